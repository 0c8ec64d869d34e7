import type { NativeAgent, PaneCapabilities } from "../../src/protocol/pane.ts";
import type {
  Capture,
  CapturedPane,
  EventSubscription,
  InputStep,
  ListedPane,
  PaneProcess,
  ProviderInfo,
  SendGuard,
  SendOutcome,
  TerminalProvider,
} from "../../src/terminal/provider.ts";
import { type Clock, momentOf } from "../../src/lib/clock.ts";
import { completeAt, QuietPanes, type ScreenFacts } from "../../src/terminal/mux/quiet.ts";
import { FakeClock } from "./clock.ts";
import { listedPane, pane as paneState } from "./pane.ts";

export interface FakePane {
  id: string;
  session: string;
  window: string;
  windowIndex: number;
  title: string;
  command: string;
  cwd: string;
  isCreatedHere: boolean;
  hasProgress: boolean;
  hasEnded: boolean;
  pid: number;
  width: number;
  height: number;
  alternate: boolean;
  text: string;
  /** The screen for people; null: the same as `text`. */
  display: string | null;
  native: NativeAgent | null;
  revision: string;
  /** Argument lists of its foreground process. */
  processes: string[][];
  cursor: ListedPane["cursor"];
  activity: number;
  history: number;
}

/** Panes in memory that a test scripts. Unchanged ones are found as by the tmux provider. */
export class FakeProvider implements TerminalProvider {
  info: ProviderInfo = {
    ...{ id: "mux", version: "3.3a", protocol: null },
    ...{ socket: null },
  };
  capabilities: PaneCapabilities = paneState().capabilities;
  readonly panes: FakePane[] = [];
  readonly sent: { id: string; steps: readonly InputStep[]; guard: SendGuard | null }[] = [];
  /** Calls so far, one entry each: `captured` holds the ids. */
  readonly calls = { list: 0, captured: [] as string[][], processes: 0 };
  /** Thrown by calls until it is null again. */
  listError: Error | null = null;
  captureError: Error | null = null;
  /** Failures of single panes by id; `gone`: listed, but no longer there when captured. */
  readonly paneErrors = new Map<string, Error | "gone">();
  /** Calls wait for it: a test can look at the middle of a pass. */
  gate: Promise<void> | null = null;
  /** Called by `send`, so that a program can react. */
  onSend: (id: string, steps: readonly InputStep[]) => SendOutcome = () => "sent";
  /** Number of the running server; null: none runs. */
  #server: number | null = null;
  #lastServer = 0;
  #nextId = 1;
  #nextPid = 1000;
  readonly #clock: Clock;
  readonly #facts = new WeakMap<ListedPane, ScreenFacts>();
  readonly #lastFacts = new WeakMap<FakePane, ScreenFacts>();
  readonly #quiet = new QuietPanes({
    factsOf: (pane) => this.#facts.get(pane),
    capture: (panes, _, signal) => this.capture(panes, 0, signal),
  });

  constructor(clock: Clock = new FakeClock()) {
    this.#clock = clock;
  }

  open(members: Partial<FakePane> = {}): FakePane {
    this.#server ??= ++this.#lastServer;
    const number = this.#nextId++;
    const pane: FakePane = {
      ...{ id: `%${number}`, session: "main", window: "work", windowIndex: number },
      ...{ title: "", command: "program", cwd: "/", isCreatedHere: false, hasProgress: false },
      hasEnded: false,
      ...{ pid: this.#nextPid++, width: 80, height: 24, alternate: false, text: "" },
      ...{ display: null, native: null, revision: "", processes: [], history: 0 },
      cursor: null,
      activity: Math.floor(this.#clock.now()),
      ...members,
    };
    this.panes.push(pane);
    return pane;
  }

  find(id: string): FakePane {
    const pane = this.panes.find((each) => each.id === id);
    if (!pane) throw new Error(`the fake has no pane ${id}`);
    return pane;
  }

  /** Output that adds lines. */
  print(id: string, text: string): void {
    const pane = this.find(id);
    this.show(id, pane.text === "" ? text : `${pane.text}\n${text}`);
    pane.history += text.split("\n").length;
  }

  /** Output that redraws the whole screen in place. */
  show(id: string, text: string): void {
    const pane = this.find(id);
    pane.text = text;
    pane.activity = Math.floor(this.#clock.now());
  }

  close(id: string): void {
    this.panes.splice(this.panes.indexOf(this.find(id)), 1);
    if (this.panes.length === 0) this.stopServer();
  }

  /** Another process in the same pane. */
  respawn(id: string, text = ""): void {
    this.find(id).pid = this.#nextPid++;
    this.show(id, text);
  }

  /** The server and all panes end; the next pane starts another server, whose ids begin again. */
  stopServer(): void {
    this.#server = null;
    this.#nextId = 1;
    this.panes.length = 0;
  }

  isPaneId(id: string): boolean {
    return /^%\d+$/.test(id);
  }

  start(_wake: () => void): void {}

  async stop(): Promise<void> {}

  events(): EventSubscription {
    return { supported: false, active: false, minimum_protocol: null };
  }

  async list(signal: AbortSignal): Promise<readonly ListedPane[]> {
    this.calls.list++;
    await this.#enter(signal);
    if (this.listError) throw this.listError;
    return this.panes.map((pane) => this.#listed(pane));
  }

  async look(
    id: string,
    lines: number,
    signal: AbortSignal,
  ): Promise<{ pane: ListedPane; capture: Capture } | null> {
    await this.#enter(signal);
    if (this.listError) throw this.listError;
    const found = this.panes.find((pane) => pane.id === id);
    if (!found) return null;
    const pane = this.#listed(found);
    const capture = (await this.capture([pane], lines, signal)).get(id);
    if (capture instanceof Error) throw capture;
    return capture ? { pane, capture } : null;
  }

  async capture(
    panes: readonly ListedPane[],
    lines: number,
    signal: AbortSignal,
  ): Promise<Map<string, Capture | Error>> {
    this.calls.captured.push(panes.map(({ id }) => id));
    await this.#enter(signal);
    if (this.captureError) throw this.captureError;
    const found = new Map<string, Capture | Error>();
    const last = (text: string) => text.split("\n").slice(-lines).join("\n");
    for (const { id } of panes) {
      const error = this.paneErrors.get(id);
      const pane = this.panes.find((each) => each.id === id);
      const display = pane?.display;
      if (error instanceof Error) found.set(id, error);
      else if (pane && error !== "gone")
        found.set(id, { text: last(pane.text), display: display ? last(display) : null });
    }
    return found;
  }

  terminalUse: NonNullable<TerminalProvider["terminalUse"]> = async () => null;

  async processes({ id }: ListedPane): Promise<readonly PaneProcess[]> {
    this.calls.processes++;
    const pane = this.panes.find((each) => each.id === id);
    return pane?.processes.map((args) => ({ pid: pane.pid, startedAt: null, args })) ?? [];
  }

  async send(
    id: string,
    steps: readonly InputStep[],
    guard: SendGuard | null,
  ): Promise<SendOutcome> {
    const pane = this.panes.find((each) => each.id === id);
    if (guard && pane && guard.identity !== this.#listed(pane).identity) return "refused";
    this.sent.push({ id, steps, guard });
    return this.onSend(id, steps);
  }

  unchanged(
    panes: readonly CapturedPane[],
    at: number,
    signal: AbortSignal,
  ): Promise<ReadonlySet<string>> {
    return this.#quiet.unchanged(panes, at, signal);
  }

  #listed(pane: FakePane): ListedPane {
    const { id, session, window, windowIndex, title, command, cwd, pid, width, height } = pane;
    const { alternate, isCreatedHere, hasProgress, hasEnded, native, revision, cursor } = pane;
    const listed = listedPane({
      ...{ id, title, command, cwd, window, width, height },
      ...{ alternate, isCreatedHere, hasProgress, hasEnded, native, revision, cursor },
      identity: `${this.#server}/${id}/${pid}`,
      target: `${session}:${windowIndex}.0`,
      hierarchy: [
        { kind: "session", id: "$0", label: session, position: null },
        { kind: "window", id: `@${windowIndex}`, label: window, position: windowIndex },
        { kind: "pane", id, label: title || "0", position: 0 },
      ],
      names: { session, windowIndex: String(windowIndex), paneIndex: "0" },
      capabilities: this.capabilities,
    });
    const { history, activity } = pane;
    const mark = [pid, width, height, title, command, alternate, history, activity].join("\0");
    const before = this.#lastFacts.get(pane);
    // `activity` is by our own clock: the second is over when that clock has passed it.
    const { at, monotonic } = momentOf(this.#clock);
    const fresh = { mark, completeAt: activity < at - 1 ? -Infinity : completeAt(monotonic) };
    const facts = before?.mark === mark ? before : fresh;
    this.#lastFacts.set(pane, facts);
    this.#facts.set(listed, facts);
    return listed;
  }

  async #enter(signal: AbortSignal): Promise<void> {
    await this.gate;
    signal.throwIfAborted();
  }
}
