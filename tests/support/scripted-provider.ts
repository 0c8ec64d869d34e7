import type { NativeAgent, PaneCapabilities } from "../../src/protocol/pane.ts";
import type {
  Capture,
  CapturedPane,
  EventSubscription,
  InputStep,
  ListedPane,
  Listing,
  PaneProcess,
  ProviderInfo,
  SendGuard,
  SendOutcome,
  TerminalProvider,
} from "../../src/terminal/provider.ts";

export interface ScriptedPane {
  /** Of its terminal: another one for another program. */
  terminal: string;
  id: string;
  workspace: string;
  tab: string;
  title: string;
  command: string;
  /** The detection buffer. */
  text: string;
  /** What people are shown; null: the provider has no reading of its own for that. */
  display: string | null;
  native: NativeAgent | null;
  processes: PaneProcess[];
  /** Our count of what has taken the pane over. */
  incarnation: number;
}

export const WORKING: NativeAgent = {
  present: true,
  kind: "claude",
  name: null,
  status: "working",
  state_change_seq: 1,
  interactive_ready: null,
};

const CAPABILITIES: PaneCapabilities = {
  capture: true,
  input: "guarded_v1",
  literal_text: true,
  menu_select: true,
  keys: ["C-c", "C-u", "Enter", "Escape"],
  broadcast: false,
  create: false,
  delete: false,
  native_agent_state: true,
};

/**
 * A provider unlike tmux: opaque ids, no marks, so that no screen is ever known to be unchanged,
 * native states, a display apart from the detection buffer, input guarded by revisions, and events.
 */
export class ScriptedProvider implements TerminalProvider {
  readonly info: ProviderInfo = {
    id: "wsp",
    version: "1",
    protocol: 1,
    executable: "/usr/bin/scripted",
    socket: null,
  };
  readonly capabilities = CAPABILITIES;
  readonly panes: ScriptedPane[] = [];
  readonly sent: { id: string; steps: readonly InputStep[] }[] = [];
  readonly calls = { captured: [] as string[][] };
  listError: Error | null = null;
  #wake: (() => void) | null = null;
  #next = 1;

  open(members: Partial<ScriptedPane> = {}): ScriptedPane {
    const number = this.#next++;
    const pane: ScriptedPane = {
      terminal: `t${number}`,
      id: `h:${number}xyz`,
      workspace: "main",
      tab: "work",
      title: "",
      command: "program",
      text: "",
      display: null,
      native: null,
      processes: [],
      incarnation: 1,
      ...members,
    };
    this.panes.push(pane);
    return pane;
  }

  find(id: string): ScriptedPane {
    const pane = this.panes.find((each) => each.id === id);
    if (!pane) throw new Error(`no scripted pane ${id}`);
    return pane;
  }

  close(id: string): void {
    this.panes.splice(this.panes.indexOf(this.find(id)), 1);
  }

  respawn(id: string): void {
    const pane = this.find(id);
    pane.terminal = `t${this.#next++}`;
    pane.incarnation += 1;
  }

  /** The provider has noticed something. */
  tell(): void {
    this.#wake?.();
  }

  isPaneId(): boolean {
    return false;
  }

  start(wake: () => void): void {
    this.#wake = wake;
  }

  async stop(): Promise<void> {
    this.#wake = null;
  }

  events(): EventSubscription {
    return { supported: true, active: this.#wake !== null, minimum_protocol: 1 };
  }

  async list(signal: AbortSignal): Promise<Listing> {
    signal.throwIfAborted();
    if (this.listError) throw this.listError;
    return { panes: this.panes.map(listed) };
  }

  async unchanged(_panes: readonly CapturedPane[]): Promise<ReadonlySet<string>> {
    return new Set();
  }

  async capture(
    panes: readonly ListedPane[],
    lines: number,
    signal: AbortSignal,
  ): Promise<Map<string, Capture | Error>> {
    signal.throwIfAborted();
    this.calls.captured.push(panes.map(({ id }) => id));
    const found = panes.flatMap(({ id }) => this.panes.filter((pane) => pane.id === id));
    return new Map(found.map((pane) => [pane.id, captured(pane, lines)]));
  }

  async look(
    id: string,
    lines: number,
    signal: AbortSignal,
  ): Promise<{ pane: ListedPane; capture: Capture } | null> {
    signal.throwIfAborted();
    if (this.listError) throw this.listError;
    const pane = this.panes.find((each) => each.id === id);
    return pane ? { pane: listed(pane), capture: captured(pane, lines) } : null;
  }

  async processes({ id }: ListedPane): Promise<readonly PaneProcess[]> {
    return this.panes.find((pane) => pane.id === id)?.processes ?? [];
  }

  async send(
    id: string,
    steps: readonly InputStep[],
    guard: SendGuard | null,
  ): Promise<SendOutcome> {
    const pane = this.find(id);
    if (guard && guard.identity !== listed(pane).identity) return "refused";
    this.sent.push({ id, steps });
    return "sent";
  }
}

function captured({ text, display }: ScriptedPane, lines: number): Capture {
  const last = (whole: string) => whole.split("\n").slice(-lines).join("\n");
  return { text: last(text), display: display === null ? null : last(display) };
}

function listed(pane: ScriptedPane): ListedPane {
  const { id, terminal, workspace, tab, title, command, native, incarnation } = pane;
  return {
    id,
    identity: terminal,
    incarnation: String(incarnation),
    revision: `${terminal}/${workspace}/${tab}/${incarnation}`,
    target: `wsp:${terminal}-${tab}`,
    title,
    command,
    cwd: "/",
    isCreatedHere: false,
    hasProgress: false,
    window: tab,
    width: 80,
    height: 24,
    alternate: false,
    cursor: null,
    hierarchy: [
      { kind: "session", id: "s", label: workspace, position: null },
      { kind: "workspace", id: `w-${workspace}`, label: workspace, position: 0 },
      { kind: "tab", id: `t-${tab}`, label: tab, position: 0 },
      { kind: "pane", id, label: title || id, position: 0 },
    ],
    names: { session: workspace, window: tab, windowIndex: "0", paneIndex: "0" },
    capabilities: CAPABILITIES,
    native,
  };
}
