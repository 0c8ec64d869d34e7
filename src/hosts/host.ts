import { randomUUID } from "node:crypto";
import { AppError } from "../errors.ts";
import { type Clock, momentOf } from "../lib/clock.ts";
import { Semaphore } from "../lib/lock.ts";
import type { Log } from "../lib/log.ts";
import { type Limits, RunError, type RunResult } from "../lib/run.ts";
import type { HostConfig, HostState } from "../protocol/hosts.ts";
import type { PaneState } from "../protocol/pane.ts";
import type { Namespace } from "../terminal/namespace.ts";
import type { Poller } from "../terminal/poller.ts";
import type { TerminalProvider } from "../terminal/provider.ts";
import { linkCommand, type OutgoingImage, putImage, type RequestKind } from "./remote-shell.ts";
import { Link, type LinkDeps } from "./link.ts";

export interface HostDeps extends Pick<LinkDeps, "versionFault" | "random"> {
  /** @throws Error where panes of other machines cannot be watched */
  open(host: Host): TerminalProvider;
  watch(provider: TerminalProvider, host: Host): Poller;
  isPageOpen(): boolean;
  /** This machine, whose own tmux nobody else watches. */
  local: { name: string; server(): string };
  /** All that are watched, in the order of the configuration: of two names of one tmux the first is. */
  hosts(): readonly Host[];
  /** The command line of a link; absent: ssh. */
  command?: (ssh: string) => readonly string[];
  clock: Clock;
  log: Log;
}

/** Which tmux the hosts before it have is waited for, at the start; a later answer still counts. */
const EARLIER_WITHIN_MS = 2000;
/**
 * Copies of one machine have its name, and a tmux of the same process id that began in the same second:
 * what is drawn here tells them apart, and stays for as long as that tmux lives.
 */
const whichServer =
  () => `if-shell -F '#{?@panewatch_server,0,1}' 'set-option -s @panewatch_server ${randomUUID()}'
display-message -p '#{host} #{@panewatch_server}'
`;
const SCRIPT_LIMITS = { timeoutMs: 8000, maxBytes: 1024 * 1024 };

export class Host {
  config: HostConfig;
  readonly namespace: Namespace;
  readonly link: Link;
  readonly provider: TerminalProvider;
  readonly poller: Poller;
  watchedAs: string | null = null;
  panes: readonly PaneState[] = [];
  readonly #deps: HostDeps;
  readonly #command: readonly string[];
  readonly #stopping = new AbortController();
  readonly #uploads = new Semaphore(1);
  readonly #decided = Promise.withResolvers<void>();
  #wake: () => void = () => {};
  /** Of its machine and its tmux; "" while nobody knows. */
  #server = "";
  /** What was drawn for that tmux; another one of the same name has another. */
  #drawn = "";
  #claimed = "";
  #isQuiet = false;
  #lastNews = "";

  constructor(config: HostConfig, namespace: Namespace, deps: HostDeps) {
    this.config = config;
    this.namespace = namespace;
    this.#deps = deps;
    const { command = linkCommand, versionFault, clock, random } = deps;
    this.#command = command(config.ssh);
    this.link = new Link({
      ...{ command: this.#command, versionFault, clock, random },
      onChange: () => this.#changed(),
    });
    this.provider = deps.open(this);
    this.poller = deps.watch(this.provider, this);
  }

  stop(): void {
    this.#stopping.abort();
    this.link.stop();
  }

  start(wake: () => void): void {
    this.#wake = wake;
    this.link.start();
  }

  /** What asks there: its own link or, while that is away, the one of another name of its tmux. */
  get #way(): Host {
    if (this.link.isReady) return this;
    const isLiveHere = (other: Host) =>
      other.watchedAs === this.config.name &&
      this.#isBeside(other) &&
      other.#claimed !== "" &&
      other.link.state.status === "live";
    return this.#deps.hosts().find(isLiveHere) ?? this;
  }

  #isBeside(other: Host): boolean {
    return other.#server === this.#server && other.#drawn === this.#drawn;
  }

  get version(): string | null {
    return this.#way.link.version;
  }

  get mark(): string {
    return this.#way.link.mark;
  }

  ask(kind: RequestKind, text: string, limits: Limits): Promise<RunResult> {
    return this.#way.link.ask(kind, text, limits);
  }

  isLive(): boolean {
    return this.#way.link.state.status === "live";
  }

  async claims(server: string): Promise<boolean> {
    const { local } = this.#deps;
    const hosts = this.#deps.hosts();
    const before = hosts.slice(0, Math.max(0, hosts.indexOf(this)));
    if (server !== this.#claimed) {
      const { stdout } = await this.ask("tmux", whichServer(), SCRIPT_LIMITS);
      const [name = "", drawn = ""] = new TextDecoder().decode(stdout).trim().split(" ");
      const earlier = before.map((each) => each.#decided.promise);
      await Promise.race([Promise.all(earlier), Bun.sleep(EARLIER_WITHIN_MS)]);
      this.#server = serverOn(name, server);
      this.#drawn = drawn;
      this.#claimed = server;
      this.#decided.resolve();
    }
    const isIt = (each: Host) => this.#isBeside(each) && each.watchedAs === null;
    this.watchedAs =
      local.server() === this.#server ? local.name : (before.find(isIt)?.config.name ?? null);
    if (this.watchedAs !== null)
      this.#logNews(`host ${this.config.name} is ${sameAs(this.watchedAs)}`);
    return this.watchedAs === null;
  }

  /** For an action on it while it is away: nothing was written to it. */
  away(cause?: Error): AppError {
    const { name } = this.config;
    const message = `${name} is away; nothing was sent.`;
    const detail = { reason: "host_away", code: "host_away", host: name, message };
    return new AppError("conflict", `the host ${name} is away`, detail, { cause });
  }

  /** @throws AppError conflict, so that an action there is refused with the reason */
  requireLive(): void {
    if (!this.isLive()) throw this.away();
  }

  /** @throws AppError conflict while it is away, unavailable where it ends before it has answered */
  async run(script: string): Promise<{ code: number; stdout: string }> {
    this.requireLive();
    try {
      const { code, stdout } = await this.ask("aside", script, SCRIPT_LIMITS);
      return { code, stdout: new TextDecoder().decode(stdout) };
    } catch (cause) {
      if (!(cause instanceof RunError)) throw cause;
      const message = `${this.config.name} does not answer`;
      throw new AppError("unavailable", message, undefined, { cause });
    }
  }

  /** One at a time. @returns its path there @throws AppError conflict while it is away, storage */
  putImage(image: OutgoingImage): Promise<string> {
    return this.#uploads.run(async () => {
      this.requireLive();
      return putImage(image, { command: this.#way.#command, signal: this.#stopping.signal });
    });
  }

  recordPanes(panes: readonly PaneState[]): void {
    this.#isQuiet = panes === this.panes;
    this.panes = panes;
  }

  /** Seconds between two passes. */
  interval(wanted: number): number {
    const isIdle = this.#isQuiet && !this.#deps.isPageOpen();
    return paceOf({ wanted, roundTripMs: this.#way.link.roundTripMs, isIdle });
  }

  state(): HostState {
    const { name, ssh, watch } = this.config;
    const { retryAt } = this.link.state;
    const { watchedAs } = this;
    const { link, config } = this.#way;
    const { status, since, refusal } = link.state;
    const over = config.name === name ? null : `reached as ${config.name}`;
    const now = momentOf(this.#deps.clock);
    return {
      ...{ name, kind: "ssh", ssh, watch, since },
      status: watchedAs === null ? status : "off",
      // Those that are configured and not there do not count.
      panes: this.panes.filter((pane) => pane.status !== "offline").length,
      version: this.provider.info.version,
      round_trip_ms: link.roundTripMs,
      read_at: this.poller.health().last_success_at,
      reason: refusal?.reason ?? null,
      detail: watchedAs === null ? (refusal?.detail ?? over) : sameAs(watchedAs),
      retry_at: retryAt === null ? null : Math.round(now.at + retryAt - now.monotonic),
    };
  }

  #changed(): void {
    const { status, refusal } = this.link.state;
    const { name } = this.config;
    if (status !== "live") this.#claimed = "";
    if (status === "away") this.#decided.resolve();
    if (status === "live") this.#logNews(`host ${name} is there, with ${this.link.version}`);
    if (status === "away" && refusal)
      this.#logNews(
        `host ${name} is away: ${refusal.reason}, ${refusal.detail ?? "no word from ssh"}`,
      );
    this.#wake();
  }

  #logNews(news: string): void {
    if (news === this.#lastNews) return;
    this.#lastNews = news;
    this.#deps.log.info(news);
  }
}

/** Servers of two machines may have the same name. */
export const serverOn = (machine: string, server: string): string => `${server} on ${machine}`;

const sameAs = (name: string): string => `the same tmux as ${name}, and watched there`;

export const NO_LINK = {
  ...{ since: 0, panes: 0, version: null, round_trip_ms: null, read_at: 0 },
  ...{ reason: null, detail: null, retry_at: null },
} as const;

const LONGEST_SECONDS = 5;
/** So that most of the time a link is free for an answer. */
const ANSWERS_PER_PASS = 3;

interface PaceFacts {
  /** Seconds between two passes of this machine. */
  wanted: number;
  roundTripMs: number | null;
  /** Nobody looks, and the last pass has found nothing new. */
  isIdle: boolean;
}

/** Seconds between two passes of a host: no link is asked faster than it answers. */
export function paceOf({ wanted, roundTripMs, isIdle }: PaceFacts): number {
  const least = Math.max(wanted, (ANSWERS_PER_PASS * (roundTripMs ?? 0)) / 1000);
  return Math.min(Math.max(LONGEST_SECONDS, wanted), isIdle ? 2 * least : least);
}
