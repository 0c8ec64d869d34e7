import type { NativeAgent, PaneCapabilities } from "../../src/protocol/pane.ts";
import type {
  EventSubscription,
  ListedPane,
  PaneProcess,
  ProviderInfo,
} from "../../src/terminal/provider.ts";
import { listedPane } from "./listed.ts";
import { lastLines, ProviderDouble } from "./provider-double.ts";

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
export class ScriptedProvider extends ProviderDouble<ScriptedPane> {
  readonly info: ProviderInfo = {
    id: "wsp",
    version: "1",
    protocol: 1,
    executable: "/usr/bin/scripted",
    socket: null,
  };
  readonly capabilities = CAPABILITIES;
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

  async unchanged(): Promise<ReadonlySet<string>> {
    return new Set();
  }

  protected captured({ text, display }: ScriptedPane, lines: number) {
    return {
      text: lastLines(text, lines),
      display: display === null ? null : lastLines(display, lines),
    };
  }

  protected processesOf({ processes }: ScriptedPane): PaneProcess[] {
    return processes;
  }

  protected listed(pane: ScriptedPane): ListedPane {
    const { id, terminal, workspace, tab, title, command, native, incarnation } = pane;
    return listedPane({
      ...{ id, title, command, native, window: tab },
      identity: terminal,
      incarnation: String(incarnation),
      revision: `${terminal}/${workspace}/${tab}/${incarnation}`,
      target: `wsp:${terminal}-${tab}`,
      hierarchy: [
        { kind: "session", id: "s", label: workspace, position: null },
        { kind: "workspace", id: `w-${workspace}`, label: workspace, position: 0 },
        { kind: "tab", id: `t-${tab}`, label: tab, position: 0 },
        { kind: "pane", id, label: title || id, position: 0 },
      ],
      names: { session: workspace, window: tab, windowIndex: "0", paneIndex: "0" },
      capabilities: this.capabilities,
    });
  }
}
