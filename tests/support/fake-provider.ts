import type { PaneCapabilities } from "../../src/protocol/pane.ts";
import type {
  CapturedPane,
  EventSubscription,
  ListedPane,
  PaneProcess,
  ProviderInfo,
} from "../../src/terminal/provider.ts";
import { type Clock, momentOf } from "../../src/lib/clock.ts";
import { completeAt, QuietPanes, type ScreenFacts } from "../../src/terminal/mux/quiet.ts";
import { FakeClock } from "./clock.ts";
import { listedPane } from "./listed.ts";
import { pane as paneState } from "./pane.ts";
import { lastLines, ProviderDouble } from "./provider-double.ts";

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
  pid: number;
  width: number;
  height: number;
  alternate: boolean;
  text: string;
  /** Argument lists of its foreground process. */
  processes: string[][];
  activity: number;
  history: number;
}

/**
 * Tells quiet panes as the tmux provider does, by marks, activity and a look at the screens once in
 * a while.
 */
export class FakeProvider extends ProviderDouble<FakePane> {
  readonly info: ProviderInfo = {
    id: "mux",
    version: "3.3a",
    protocol: null,
    executable: "/usr/bin/tmux",
    socket: null,
  };
  readonly capabilities: PaneCapabilities = paneState().capabilities;
  /** Number of the server that runs, and of the last one that did. */
  #server: number | null = null;
  #lastServer = 0;
  #nextId = 1;
  #nextPid = 1000;
  readonly #clock: Clock;
  readonly #facts = new WeakMap<ListedPane, ScreenFacts>();
  readonly #lastFacts = new WeakMap<FakePane, ScreenFacts>();
  readonly #quiet = new QuietPanes({
    facts: (pane) => this.#facts.get(pane),
    screens: (panes, signal) => this.capture(panes, 0, signal),
  });

  constructor(clock: Clock = new FakeClock()) {
    super();
    this.#clock = clock;
  }

  open(members: Partial<FakePane> = {}): FakePane {
    this.#server ??= ++this.#lastServer;
    const number = this.#nextId++;
    const pane: FakePane = {
      id: `%${number}`,
      session: "main",
      window: "work",
      windowIndex: number,
      title: "",
      command: "program",
      cwd: "/",
      isCreatedHere: false,
      hasProgress: false,
      pid: this.#nextPid++,
      width: 80,
      height: 24,
      alternate: false,
      text: "",
      processes: [],
      activity: Math.floor(this.#clock.now()),
      history: 0,
      ...members,
    };
    this.panes.push(pane);
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

  override close(id: string): void {
    super.close(id);
    if (this.panes.length === 0) this.stopServer();
  }

  /** Another process in the same pane. */
  respawn(id: string, text = ""): void {
    this.find(id).pid = this.#nextPid++;
    this.show(id, text);
  }

  /** The server ends, and with it every pane; the next pane starts another, whose ids begin anew. */
  stopServer(): void {
    this.#server = null;
    this.#nextId = 1;
    this.panes.length = 0;
  }

  isPaneId(id: string): boolean {
    return /^%\d+$/.test(id);
  }

  start(): void {}

  async stop(): Promise<void> {}

  events(): EventSubscription {
    return { supported: false, active: false, minimum_protocol: null };
  }

  unchanged(
    panes: readonly CapturedPane[],
    at: number,
    signal: AbortSignal,
  ): Promise<ReadonlySet<string>> {
    return this.#quiet.unchanged(panes, at, signal);
  }

  protected captured({ text }: FakePane, lines: number) {
    return { text: lastLines(text, lines), display: null };
  }

  protected processesOf({ pid, processes }: FakePane): PaneProcess[] {
    return processes.map((args) => ({ pid, startedAt: null, args }));
  }

  protected listed(pane: FakePane): ListedPane {
    const { id, session, window, windowIndex, title, command, cwd, pid, width, height } = pane;
    const { alternate, isCreatedHere, hasProgress } = pane;
    const listed = listedPane({
      ...{ id, title, command, cwd, window, width, height },
      ...{ alternate, isCreatedHere, hasProgress },
      identity: `${this.#server}/${id}/${pid}`,
      incarnation: String(pid),
      target: `${session}:${windowIndex}.0`,
      hierarchy: [
        { kind: "session", id: "$0", label: session, position: null },
        { kind: "window", id: `@${windowIndex}`, label: window, position: windowIndex },
        { kind: "pane", id, label: title || "0", position: 0 },
      ],
      names: { session, window, windowIndex: String(windowIndex), paneIndex: "0" },
      capabilities: this.capabilities,
    });
    const { history, activity } = pane;
    const mark = [pid, width, height, title, command, alternate, history, activity].join("\0");
    const before = this.#lastFacts.get(pane);
    // What is printed bears a time of our own clock here: it is complete where that is over.
    const { at, monotonic } = momentOf(this.#clock);
    const fresh = { mark, completeAt: activity < at - 1 ? -Infinity : completeAt(monotonic) };
    const facts = before?.mark === mark ? before : fresh;
    this.#lastFacts.set(pane, facts);
    this.#facts.set(listed, facts);
    return listed;
  }
}
