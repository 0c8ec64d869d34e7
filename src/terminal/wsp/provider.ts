import { AppError, StartupError } from "../../errors.ts";
import type { Log } from "../../lib/log.ts";
import type { PaneCapabilities } from "../../protocol/pane.ts";
import type {
  Capture,
  CapturedPane,
  Captures,
  EventSubscription,
  InputStep,
  ListedPane,
  PaneFate,
  PaneProcess,
  ProviderInfo,
  PaneCapture,
  SendGuard,
  SendOutcome,
  TerminalProvider,
} from "../provider.ts";
import { Channel } from "./channel.ts";
import { examine, requireIdentity, requireSessionName } from "./examine.ts";
import { CAPABILITIES } from "./listed.ts";
import {
  readAlone,
  readForeground,
  readSession,
  type SessionReader,
  type WatchedPane,
  whereIs,
} from "./pass.ts";
import { sendToPane } from "./send.ts";
import { Registry } from "./snapshot.ts";
import { Tool, type ToolOptions } from "./tool.ts";
import { WakeEvents } from "./wake.ts";
import { WspFailure, WspRefusal } from "./wire.ts";

const DEFAULT_LINES = 200;
const MINIMUM_PROTOCOL = 20;
/** How old a reading of the processes may be for an action. */
const PROCESSES_LAST_MS = 1000;

export interface WspOptions extends ToolOptions {
  events: "auto" | "off";
  reads: "auto" | "cli";
  accept: "verified" | "untested";
}

/** @throws StartupError naming the check that failed, what was found and what to do */
export async function openChannel({
  events,
  reads,
  accept,
  ...options
}: WspOptions): Promise<Channel> {
  requireSessionName(options.session);
  const tool = Tool.open(options);
  const mayUseSocket = events === "auto" && reads === "auto";
  try {
    const identity = requireIdentity(await examine(tool));
    return new Channel({ tool, identity, mayUseSocket, acceptsUntested: accept === "untested" });
  } catch (error) {
    throw error instanceof WspFailure ? new StartupError(error.message) : error;
  }
}

interface WspProviderDeps {
  channel: Channel;
  /** Makes the targets of this service differ from those of any other. */
  instanceId: string;
  log: Log;
  nowMs?: () => number;
}

/** One named session of herdr, watched and answered. A listing is a whole pass. */
export class WspProvider implements TerminalProvider {
  readonly capabilities: PaneCapabilities = CAPABILITIES;
  readonly #channel: Channel;
  readonly #reader: SessionReader;
  readonly #events: WakeEvents;
  readonly #log: Log;
  #wake: () => void = () => {};
  #watched = new Map<string, WatchedPane>();
  readonly #handedOut = new WeakSet<Capture>();
  /** Panes that were found to be gone or moved since the last listing. */
  readonly #fates = new Map<string, PaneFate>();
  #lines = DEFAULT_LINES;

  constructor({ channel, instanceId, log, nowMs }: WspProviderDeps) {
    const { tool } = channel;
    this.#channel = channel;
    this.#log = log;
    const registry = new Registry(`${instanceId}\0${tool.session}`);
    this.#reader = { channel, registry, nowMs: nowMs ?? (() => performance.now()) };
    const socket = () => (channel.identity.hasEvents ? channel.socket : null);
    this.#events = new WakeEvents({ socket, log });
  }

  get info(): ProviderInfo {
    const { identity, caution } = this.#channel;
    return {
      id: "wsp",
      version: identity.release.version,
      protocol: identity.release.protocol,
      socket: identity.socket.path,
      caution,
    };
  }

  isPaneId(id: string): boolean {
    return this.#reader.registry.has(id);
  }

  fateOf(id: string): PaneFate | null {
    return this.#reader.registry.fateOf(id) ?? this.#fates.get(id) ?? null;
  }

  start(wake: () => void): void {
    this.#wake = wake;
    const { caution } = this.#channel;
    if (caution) this.#log.warn(caution.message);
    this.#events.start(wake);
  }

  async stop(): Promise<void> {
    this.#events.stop();
  }

  events(): EventSubscription {
    return {
      supported: this.#channel.identity.hasEvents,
      active: this.#events.isActive,
      minimum_protocol: MINIMUM_PROTOCOL,
    };
  }

  async list(signal: AbortSignal): Promise<readonly ListedPane[]> {
    signal.throwIfAborted();
    const pass = { ...this.#reader, lines: this.#lines, signal };
    const read = () => readSession(pass, this.#watched);
    const first = await read();
    this.#watched = first.watched;
    // Read again at once: a moved pane must not count as gone now and as new in the next pass.
    const { watched, hasMoved } = first.hasMoved ? await read() : first;
    this.#watched = watched;
    this.#fates.clear();
    const agents = [...watched.values()].filter(({ at }) => Boolean(at.wire.agent));
    this.#events.follow(agents.map(({ at }) => at.wire.pane_id));
    if (hasMoved) this.#wake();
    return [...watched.values()].map(({ listed }) => listed);
  }

  async unchanged(panes: readonly CapturedPane[]): Promise<ReadonlySet<string>> {
    const same = panes.filter(({ pane, text }) => {
      const capture = this.#watched.get(pane.id)?.capture;
      if (!capture || capture instanceof Error) return false;
      return capture.text === text && this.#handedOut.has(capture);
    });
    return new Set(same.map(({ pane }) => pane.id));
  }

  /** Reads nothing: the listing has read the screens between its two snapshots. */
  async capture(
    panes: readonly ListedPane[],
    lines: number,
    signal: AbortSignal,
  ): Promise<Captures> {
    signal.throwIfAborted();
    // More lines than were read come with the next pass.
    if (lines > this.#lines) this.#wake();
    this.#lines = lines;
    const found = new Map<string, Capture | Error>();
    for (const { id } of panes) {
      const capture = this.#watched.get(id)?.capture;
      if (!capture) continue;
      found.set(id, capture);
      if (!(capture instanceof Error)) this.#handedOut.add(capture);
    }
    return found;
  }

  async look(id: string, lines: number, signal: AbortSignal): Promise<PaneCapture | null> {
    const known = this.#watched.get(id);
    if (!known) return null;
    const latest = await readAlone({ ...this.#reader, lines, signal }, known);
    if (latest === "moved" || latest === "gone") {
      this.#recordFate(id, latest);
      return null;
    }
    if (this.#watched.get(id) === known) this.#watched.set(id, latest);
    if (latest.capture instanceof Error) throw latest.capture;
    return { pane: latest.listed, capture: latest.capture };
  }

  async processes({ id }: ListedPane, age: "recent" | "now"): Promise<readonly PaneProcess[]> {
    const pane = this.#watched.get(id);
    if (!pane) return [];
    const { processes, at } = pane;
    const isRecent =
      processes !== null && this.#reader.nowMs() - processes.atMs < PROCESSES_LAST_MS;
    // Where the session names the agent, a newer reading would tell nothing more.
    if (processes && (age === "recent" || isRecent || at.wire.agent)) return processes.list;
    const read = await readForeground(this.#reader, at);
    pane.processes = read ?? processes;
    return pane.processes?.list ?? [];
  }

  async send(
    id: string,
    steps: readonly InputStep[],
    guard: SendGuard | null,
  ): Promise<SendOutcome> {
    const pane = this.#watched.get(id);
    if (!pane) throw paneGone(id);
    if (guard && guard.identity !== pane.listed.identity) return "refused";
    try {
      const outcome = await sendToPane(this.#channel, pane.at.wire, steps);
      if (outcome !== "sent") this.#channel.doubt();
      if (outcome === "refused") await this.#requireThere(id, pane);
      return outcome;
    } catch (error) {
      if (error instanceof WspFailure) this.#channel.doubt();
      if (!(error instanceof WspRefusal) || error.code !== "pane_not_found") throw error;
      // Nothing can be sent there, even if a listing still has the pane.
      await this.#requireThere(id, pane);
      throw paneGone(id);
    }
  }

  /**
   * Tells a pane that is gone or has moved from an agent that has ended: the refusal is the same.
   * @throws AppError `invalid` `pane_gone`; `fateOf` tells which
   */
  async #requireThere(id: string, { at }: WatchedPane): Promise<void> {
    await this.#channel.verify();
    const found = await whereIs(this.#channel, at.wire);
    if (typeof found !== "string") return;
    this.#recordFate(id, found);
    throw paneGone(id);
  }

  #recordFate(id: string, fate: PaneFate): void {
    this.#fates.set(id, fate);
    this.#wake();
  }
}

function paneGone(id: string): AppError {
  const reason = `can't find pane: ${id}`;
  return new AppError("invalid", reason, { reason, code: "pane_gone" });
}
