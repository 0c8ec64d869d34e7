import { randomUUID } from "node:crypto";
import { AppError } from "../errors.ts";
import { type Clock, momentOf } from "../lib/clock.ts";
import { Semaphore } from "../lib/lock.ts";
import type { Log } from "../lib/log.ts";
import { type Limits, RunError, type RunResult } from "../lib/run.ts";
import type { ProviderHealth } from "../protocol/config.ts";
import type { HostConfig, HostState } from "../protocol/hosts.ts";
import type { PaneState } from "../protocol/pane.ts";
import type { Namespace } from "../terminal/namespace.ts";
import type { Poller } from "../terminal/poller.ts";
import type { TerminalProvider } from "../terminal/provider.ts";
import { linkCommand, type OutgoingImage, putImage, type RequestKind } from "./remote-shell.ts";
import { Link, type LinkDeps } from "./link.ts";

export interface HostDeps extends Pick<LinkDeps, "versionFault" | "random"> {
  /** @throws Error where other machines cannot be watched */
  open(host: Host): TerminalProvider;
  watch(provider: TerminalProvider, host: Host): Poller;
  isPageOpen(): boolean;
  /** This machine; its own tmux is watched here and by no host. */
  local: { name: string; server(): string };
  /** All watched hosts in the order of the configuration: of two that reach one tmux the first watches it. */
  hosts(): readonly Host[];
  /** The command line of a link; absent: ssh. */
  command?: (ssh: string) => readonly string[];
  clock: Clock;
  log: Log;
}

/** How long a host waits to learn which tmux the hosts before it reach; a later answer still counts. */
const EARLIER_WITHIN_MS = 2000;
/**
 * Clones of one machine have its name, and their tmux may have the same pid and start time: a random mark
 * tells them apart, and lives as long as that tmux.
 */
const serverQuery =
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
  readonly #firstClaim = Promise.withResolvers<void>();
  #wake: () => void = () => {};
  /** Names its machine and tmux; "" while that is not known. */
  #server = "";
  /** The random mark of that tmux. */
  #serverMark = "";
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

  /** This host or, while its link is down, another one that reaches the same tmux. */
  get #connectedHost(): Host {
    if (this.link.isReady) return this;
    const isLiveHere = (other: Host) =>
      other.watchedAs === this.config.name &&
      this.#isBeside(other) &&
      other.#claimed !== "" &&
      other.link.state.status === "live";
    return this.#deps.hosts().find(isLiveHere) ?? this;
  }

  #isBeside(other: Host): boolean {
    return other.#server === this.#server && other.#serverMark === this.#serverMark;
  }

  get version(): string | null {
    return this.#connectedHost.link.version;
  }

  get mark(): string {
    return this.#connectedHost.link.mark;
  }

  ask(kind: RequestKind, text: string, limits: Limits): Promise<RunResult> {
    return this.#connectedHost.link.ask(kind, text, limits);
  }

  isLive(): boolean {
    return this.#connectedHost.link.state.status === "live";
  }

  async claims(server: string): Promise<boolean> {
    const { local } = this.#deps;
    const hosts = this.#deps.hosts();
    const before = hosts.slice(0, Math.max(0, hosts.indexOf(this)));
    if (server !== this.#claimed) {
      const { stdout } = await this.ask("tmux", serverQuery(), SCRIPT_LIMITS);
      const [name = "", serverMark = ""] = new TextDecoder().decode(stdout).trim().split(" ");
      const earlier = before.map((each) => each.#firstClaim.promise);
      await Promise.race([Promise.all(earlier), Bun.sleep(EARLIER_WITHIN_MS)]);
      this.#server = serverOn(name, server);
      this.#serverMark = serverMark;
      this.#claimed = server;
      this.#firstClaim.resolve();
    }
    const isIt = (each: Host) => this.#isBeside(each) && each.watchedAs === null;
    this.watchedAs =
      local.server() === this.#server ? local.name : (before.find(isIt)?.config.name ?? null);
    if (this.watchedAs !== null)
      this.#logNews(`host ${this.config.name} is ${sameAs(this.watchedAs)}`);
    return this.watchedAs === null;
  }

  /** The refusal of an action while it is away: nothing was written to it. */
  away(cause?: Error): AppError {
    const { name } = this.config;
    const message = `${name} is away; nothing was sent.`;
    const detail = { reason: "host_away", code: "host_away", host: name, message };
    return new AppError("conflict", `the host ${name} is away`, detail, { cause });
  }

  /** @throws AppError conflict */
  requireLive(): void {
    if (!this.isLive()) throw this.away();
  }

  /** @throws AppError conflict while it is away, unavailable where the link ends before the answer */
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

  /** One at a time. @returns the path there @throws AppError conflict while it is away, storage */
  putImage(image: OutgoingImage): Promise<string> {
    return this.#uploads.run(async () => {
      this.requireLive();
      return putImage(image, {
        command: this.#connectedHost.#command,
        signal: this.#stopping.signal,
      });
    });
  }

  recordPanes(panes: readonly PaneState[]): void {
    this.#isQuiet = panes === this.panes;
    this.panes = panes;
  }

  /** Seconds between two passes. */
  interval(intervalSeconds: number): number {
    const isIdle = this.#isQuiet && !this.#deps.isPageOpen();
    return paceOf({ intervalSeconds, roundTripMs: this.#connectedHost.link.roundTripMs, isIdle });
  }

  state(): HostState {
    const { name, ssh, watch } = this.config;
    const { retryAt } = this.link.state;
    const { watchedAs } = this;
    const { link, config } = this.#connectedHost;
    const { status, since, refusal } = link.state;
    const over = config.name === name ? null : `reached as ${config.name}`;
    const now = momentOf(this.#deps.clock);
    return {
      ...{ name, kind: "ssh", ssh, watch, since },
      status: watchedAs === null ? status : "off",
      ...lastReading(this.poller.health()),
      round_trip_ms: link.roundTripMs,
      reason: refusal?.reason ?? null,
      detail: watchedAs === null ? (refusal?.detail ?? over) : sameAs(watchedAs),
      retry_at: retryAt === null ? null : Math.round(now.at + retryAt - now.monotonic),
    };
  }

  #changed(): void {
    const { status, refusal } = this.link.state;
    const { name } = this.config;
    if (status !== "live") this.#claimed = "";
    if (status === "away") this.#firstClaim.resolve();
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

/** Placeholders of configured targets are no panes. */
export function lastReading({ version, last_success_at, ...panes }: ProviderHealth) {
  const { listed_panes = 0, hidden_panes = 0 } = panes;
  return { version, panes: listed_panes - hidden_panes, read_at: last_success_at };
}

/** Servers of two machines may have the same name. */
export const serverOn = (machine: string, server: string): string => `${server} on ${machine}`;

const sameAs = (name: string): string => `the same tmux as ${name}, and watched there`;

export const NO_LINK = {
  ...{ since: 0, panes: 0, version: null, round_trip_ms: null, read_at: 0 },
  ...{ reason: null, detail: null, retry_at: null },
} as const;

const LONGEST_SECONDS = 5;
/** Round trips between two passes, so that a link is mostly free for an action. */
const ROUND_TRIPS_PER_PASS = 3;

interface PaceFacts {
  /** Seconds between two passes of this machine, as configured. */
  intervalSeconds: number;
  roundTripMs: number | null;
  /** No page is open, and the last pass found nothing new. */
  isIdle: boolean;
}

/** Seconds between two passes of a host, never shorter than its link takes to answer. */
export function paceOf({ intervalSeconds, roundTripMs, isIdle }: PaceFacts): number {
  const least = Math.max(intervalSeconds, (ROUND_TRIPS_PER_PASS * (roundTripMs ?? 0)) / 1000);
  return Math.min(Math.max(LONGEST_SECONDS, intervalSeconds), isIdle ? 2 * least : least);
}
