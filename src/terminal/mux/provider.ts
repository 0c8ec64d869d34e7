import type { TerminalUse } from "../../detect/finding.ts";
import { AppError } from "../../errors.ts";
import type { Log } from "../../lib/log.ts";
import { RunError } from "../../lib/run.ts";
import type { PaneCapabilities } from "../../protocol/pane.ts";
import { type Namespace, THIS_MACHINE } from "../namespace.ts";
import {
  ProviderError,
  type CapturedPane,
  type Captures,
  type EventSubscription,
  type InputStep,
  type ListedPane,
  type PaneProcess,
  type ProviderInfo,
  type PaneCapture,
  type SendGuard,
  type SendOutcome,
  type TerminalProvider,
} from "../provider.ts";
import { complaint, MUX_CAPABILITIES } from "./parse.ts";
import { DISABLE_AUTO_RENAME, expectedScreen } from "./commands.ts";
import { MuxReader } from "./reader.ts";
import type { Processes } from "./process-table.ts";
import { QuietPanes } from "./quiet.ts";
import type { CommandLine, Tmux } from "./tmux.ts";
import { sendSteps } from "./send.ts";

const COMMAND_TIMEOUT_MS = 5000;

interface ServerOptions {
  client: Tmux;
  processes: Processes;
  namespace?: Namespace;
  /** The connection to another machine; absent on this one. */
  link?: ServerLink;
  disableAutoRename: boolean;
  log: Log;
}

interface ServerLink {
  start(wake: () => void): void;
  stop(): void;
  isLive(): boolean;
  /** The refusal of any request while the link is down. */
  away(cause?: Error): AppError;
  /** Whether no other host watches the panes of this server. */
  claims(server: string): Promise<boolean>;
}

/** tmux, read and written through short commands; no client ever attaches to a session. */
export class MuxProvider implements TerminalProvider {
  readonly capabilities: PaneCapabilities = MUX_CAPABILITIES;
  readonly info: ProviderInfo;
  readonly comparesScreens: boolean;
  readonly client: Tmux;
  readonly #options: Pick<ServerOptions, "disableAutoRename" | "log">;
  readonly #processes: Processes;
  readonly #namespace: Namespace;
  readonly #link: ServerLink | null;
  readonly #reader: MuxReader;
  readonly #quiet: QuietPanes;
  /** Of the server that was prepared last. */
  #epoch = "";

  constructor({ client, processes, namespace = THIS_MACHINE, link, ...options }: ServerOptions) {
    this.client = client;
    this.#processes = processes;
    this.#namespace = namespace;
    this.#link = link ?? null;
    this.comparesScreens = client.feedWhere !== undefined;
    this.info = {
      id: "mux",
      get version() {
        return client.version;
      },
      protocol: null,
      socket: client.socket,
    };
    this.#options = options;
    this.#reader = new MuxReader(client, namespace);
    this.#quiet = new QuietPanes(this.#reader);
  }

  isPaneId(id: string): boolean {
    return this.#namespace.has(id);
  }

  /** Only a link wakes: tmux reports nothing by itself without a client in a person's session. */
  start(wake: () => void): void {
    this.#link?.start(wake);
  }

  async stop(): Promise<void> {
    this.#link?.stop();
  }

  events(): EventSubscription {
    return { supported: false, active: false, minimum_protocol: null };
  }

  server(): string {
    return this.#epoch;
  }

  async list(signal: AbortSignal): Promise<readonly ListedPane[]> {
    const { epoch, panes } = await this.#reader.all(signal);
    // An empty listing has no epoch: it may be the same server, without a session for now.
    if (epoch !== "" && epoch !== this.#epoch) {
      // Not awaited: the pass that found the server goes on.
      void this.#prepare().catch((error: unknown) => this.#options.log.warn(String(error)));
      this.#epoch = epoch;
    }
    const isOurs = !this.#link || this.#epoch === "" || (await this.#link.claims(this.#epoch));
    return isOurs ? panes : [];
  }

  /** Once for each server, as `mux.disable_auto_rename` documents; a refusal is only logged. */
  async #prepare(): Promise<void> {
    if (!this.#options.disableAutoRename) return;
    const limits = { timeoutMs: COMMAND_TIMEOUT_MS, maxBytes: 4096 };
    const { code, stderr } = await this.client.run(DISABLE_AUTO_RENAME, limits);
    if (code === 0) return;
    this.#options.log.warn(
      `automatic renaming stays on in this tmux server: ${complaint(stderr, code)}`,
    );
  }

  unchanged(
    panes: readonly CapturedPane[],
    at: number,
    signal: AbortSignal,
  ): Promise<ReadonlySet<string>> {
    return this.#quiet.unchanged(panes, at, signal);
  }

  async look(id: string, lines: number, signal: AbortSignal): Promise<PaneCapture | null> {
    if (!this.isPaneId(id)) return null;
    if (!this.#link) return this.#reader.look(id, lines, signal);
    this.#requireLive();
    const result = this.#reader.look(id, lines, signal);
    // Requested along with the screen, so that interpreting it waits for no second round trip.
    const listed = this.#reader.last.panes.find((pane) => pane.id === id);
    if (listed) this.processes(listed, "now").catch(() => []);
    return result.catch((error: unknown) => {
      const isAway = error instanceof RunError || error instanceof ProviderError;
      throw isAway ? (this.#link?.away(error) ?? error) : error;
    });
  }

  capture(panes: readonly ListedPane[], lines: number, signal: AbortSignal): Promise<Captures> {
    return this.#reader.capture(panes, lines, signal);
  }

  async processes(pane: ListedPane, age: "recent" | "now"): Promise<readonly PaneProcess[]> {
    const root = this.#reader.factsOf(pane)?.pid;
    return root === undefined ? [] : this.#processes.processes(root, age);
  }

  async terminalUse(pane: ListedPane, age: "recent" | "now"): Promise<TerminalUse | null> {
    const root = this.#reader.factsOf(pane)?.pid;
    return (root !== undefined && (await this.#processes.terminalUse?.(root, age))) || null;
  }

  async send(
    id: string,
    steps: readonly InputStep[],
    guard: SendGuard | null,
  ): Promise<SendOutcome> {
    this.#requireLive();
    try {
      return await this.#send(this.#namespace.ownId(id), steps, guard);
    } catch (error) {
      // The link went down before anything was written, whatever the refusal says.
      if (error instanceof AppError && this.#link && !this.#link.isLive())
        throw this.#link.away(error);
      throw error;
    }
  }

  async #send(own: string, steps: readonly InputStep[], guard: SendGuard | null) {
    const { client } = this;
    const limits = { timeoutMs: COMMAND_TIMEOUT_MS, maxBytes: 4096 };
    const feed = (lines: readonly CommandLine[]) => client.feed(lines, limits);
    const ownGuard = guard && { ...guard, identity: this.#namespace.ownIdentity(guard.identity) };
    if (!guard?.screen) return sendSteps(feed, own, steps, ownGuard);
    const expected = expectedScreen(own, guard.screen.pane, guard.screen.text);
    const feedWhere = expected && client.feedWhere?.bind(client, expected);
    if (!feedWhere) return "refused";
    return sendSteps(feed, own, steps, ownGuard, (lines) => feedWhere(lines, limits));
  }

  #requireLive(): void {
    if (this.#link && !this.#link.isLive()) throw this.#link.away();
  }
}
