import { Screen } from "./screen.ts";

export type RawState = "idle" | "working" | "blocked" | "unknown";
export type PublicState = RawState | "done";

interface Foreground {
  pgid: number;
  processes: { pid: number; name: string; argv: string[]; cwd: string }[];
}

type Program = (pane: Pane, bytes: string) => void;

export class Pane {
  id: string;
  terminalId: string;
  tab: Tab;
  label: string | null = null;
  cwd = "/tmp/w/work";
  agent: string | null = null;
  /** The agent is known by a report only, without a process. */
  isReported = false;
  /** The label is still there, but the agent's process has ended. */
  hasLostAgent = false;
  raw: RawState = "unknown";
  isSeen = true;
  title: string | null = null;
  revision = 0;
  seq: number | null = null;
  /** Members of the wire object that are not modelled. */
  extra: Record<string, unknown> = {};
  screen: Screen;
  shellPid = 100;
  foreground: Foreground;
  /** Every byte that reached the program, in order. */
  received = "";
  program: Program = () => {};
  #drawing: Timer | null = null;

  constructor(id: string, terminalId: string, tab: Tab, rows: number) {
    this.id = id;
    this.terminalId = terminalId;
    this.tab = tab;
    this.screen = new Screen(rows);
    this.foreground = shellForeground(this.shellPid, this.cwd);
  }

  get status(): PublicState {
    return this.raw === "idle" && !this.isSeen ? "done" : this.raw;
  }

  /** Draws these screens in turns, as a program does that blinks or spins while it waits or works. */
  animate(frames: readonly string[], everyMs: number): void {
    this.still();
    let turn = 0;
    const draw = () => this.screen.show(frames[turn++ % frames.length] ?? "");
    draw();
    this.#drawing = setInterval(draw, everyMs);
    this.#drawing.unref();
  }

  still(): void {
    clearInterval(this.#drawing ?? undefined);
  }

  type(bytes: string): void {
    this.received += bytes;
    this.program(this, bytes);
  }
}

export interface Tab {
  id: string;
  label: string;
  workspace: Workspace;
  panes: Pane[];
}

export interface Workspace {
  id: string;
  label: string;
  tabs: Tab[];
  nextTab: number;
  nextPane: number;
}

export interface WorldEvent {
  /** The general subscription that carries it; null for one about a single pane's status. */
  subscription: string | null;
  pane: Pane | null;
  line: { event: string; data: Record<string, unknown> };
}

const EVENT_BUFFER = 512;
const ROWS = 39;
let lastTerminal = 0x660d167fd94d;

function shellForeground(pid: number, cwd: string): Foreground {
  return { pgid: pid, processes: [{ pid, name: "sh", argv: ["/bin/sh"], cwd }] };
}

/** The model of one running server: workspaces with tabs with panes, in order. */
export class World {
  workspaces: Workspace[] = [];
  focused: Pane | null = null;
  readonly log: WorldEvent[] = [];
  readonly #listeners = new Set<(event: WorldEvent) => void>();
  #aliases = new Map<string, Pane>();
  #seq = 0;
  #nextWorkspace = 1;
  #nextPid = 20_000;

  subscribe(listener: (event: WorldEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  get panes(): Pane[] {
    return this.workspaces.flatMap((each) => each.tabs.flatMap((tab) => tab.panes));
  }

  pane(id: string): Pane {
    const found = this.find(id);
    if (!found) throw new Error(`the double has no pane ${id}`);
    return found;
  }

  /** By its id, or by an id from before a move. */
  find(id: string): Pane | null {
    return this.current(id) ?? this.#aliases.get(id) ?? null;
  }

  /** By the current id only, as for `agent` commands. */
  current(id: string): Pane | null {
    return this.panes.find((pane) => pane.id === id) ?? null;
  }

  tab(id: string): Tab | null {
    return this.workspaces.flatMap((each) => each.tabs).find((tab) => tab.id === id) ?? null;
  }

  openWorkspace(label: string): Workspace {
    const id = `w${spell(this.#nextWorkspace++)}`;
    const workspace: Workspace = { id, label, tabs: [], nextTab: 1, nextPane: 1 };
    this.workspaces.push(workspace);
    return workspace;
  }

  openTab(workspace: Workspace, label?: string): Tab {
    const number = workspace.nextTab++;
    const id = `${workspace.id}:t${spell(number)}`;
    const tab: Tab = { id, label: label ?? String(number), workspace, panes: [] };
    workspace.tabs.push(tab);
    return tab;
  }

  openPane(tab: Tab): Pane {
    const pane = new Pane(this.#takePaneId(tab.workspace), newTerminalId(), tab, ROWS);
    pane.shellPid = this.#nextPid++;
    pane.foreground = shellForeground(pane.shellPid, pane.cwd);
    tab.panes.push(pane);
    this.focused ??= pane;
    this.emit("pane.created", pane, "pane_created", { pane: paneOf(this, pane) });
    return pane;
  }

  /** `pane close`; its event is `pane_closed`, unlike that of a shell that exits. */
  close(id: string): void {
    this.#remove(this.pane(id), "pane.closed");
  }

  exit(id: string): void {
    this.#remove(this.pane(id), "pane.exited");
  }

  /** To another tab; across workspaces it gets a new id, and the old one still works. */
  move(id: string, tabId: string): Pane {
    const pane = this.pane(id);
    const target = this.tab(tabId);
    if (!target) throw new Error(`the double has no tab ${tabId}`);
    const before = { pane: pane.id, tab: pane.tab, workspace: pane.tab.workspace };
    this.#detach(pane);
    if (target.workspace !== before.workspace) {
      this.#aliases.set(pane.id, pane);
      pane.id = this.#takePaneId(target.workspace);
    }
    pane.tab = target;
    target.panes.push(pane);
    this.emit("pane.moved", pane, "pane_moved", {
      pane: paneOf(this, pane),
      previous_pane_id: before.pane,
      previous_tab_id: before.tab.id,
      previous_workspace_id: before.workspace.id,
    });
    return pane;
  }

  setTitle(pane: Pane, title: string): void {
    const isNew = strippedTitle(title) !== strippedTitle(pane.title ?? "");
    pane.title = title;
    if (!isNew) return;
    pane.revision++;
    this.emit("pane.updated", pane, "pane_updated", { pane: paneOf(this, pane) });
  }

  /** Starts a program of this name as a new process. */
  startAgent(pane: Pane, agent: string, raw: RawState = "idle"): void {
    const pid = this.#nextPid++;
    pane.foreground = {
      pgid: pid,
      processes: [{ pid, name: agent, argv: [agent], cwd: pane.cwd }],
    };
    pane.agent = agent;
    pane.hasLostAgent = false;
    this.emit("pane.agent_detected", pane, "pane_agent_detected", {
      agent,
      pane_id: pane.id,
      workspace_id: pane.tab.workspace.id,
    });
    this.setState(pane, raw);
  }

  setState(pane: Pane, raw: RawState): void {
    if (pane.raw === raw && pane.seq !== null) return;
    pane.raw = raw;
    pane.seq = ++this.#seq;
    pane.isSeen = raw !== "idle" || this.focused?.tab === pane.tab;
    this.#statusEvent(pane);
  }

  /** The agent's process ends: the label goes first, the status later. */
  endAgent(pane: Pane): void {
    const { agent, status } = pane;
    pane.foreground = shellForeground(pane.shellPid, pane.cwd);
    pane.agent = null;
    pane.seq = null;
    this.emit("pane.agent_detected", pane, "pane_agent_detected", {
      agent,
      final_status: status,
      pane_id: pane.id,
      released: true,
      workspace_id: pane.tab.workspace.id,
    });
  }

  /** The server was stopped and started: ids and labels stay, terminals and texts are new. */
  restart(): void {
    this.#aliases.clear();
    this.#seq = 0;
    this.log.length = 0;
    for (const pane of this.panes) {
      Object.assign(pane, { terminalId: newTerminalId(), revision: 0, seq: null, agent: null });
      Object.assign(pane, { raw: "unknown", isSeen: true, title: null, program: () => {} });
      pane.shellPid = this.#nextPid++;
      pane.foreground = shellForeground(pane.shellPid, pane.cwd);
      pane.screen.alternate = false;
      pane.screen.clear();
    }
  }

  /** `server live-handoff`: the processes go on with new terminal ids. */
  handOff(): void {
    this.log.length = 0;
    for (const pane of this.panes)
      Object.assign(pane, { terminalId: newTerminalId(), revision: 0 });
  }

  /** Sets the counters behind ids that were given by a recording. */
  restoreCounters(): void {
    for (const workspace of this.workspaces) {
      this.#nextWorkspace = Math.max(this.#nextWorkspace, numberOf(workspace.id.slice(1)) + 1);
      for (const tab of workspace.tabs) {
        workspace.nextTab = Math.max(workspace.nextTab, numberOf(suffix(tab.id)) + 1);
        for (const pane of tab.panes) {
          workspace.nextPane = Math.max(workspace.nextPane, numberOf(suffix(pane.id)) + 1);
          this.#seq = Math.max(this.#seq, pane.seq ?? 0);
        }
      }
    }
  }

  emit(subscription: string, pane: Pane, type: string, data: Record<string, unknown>): void {
    this.#publish({ subscription, pane, line: { event: type, data: { type, ...data } } });
  }

  #statusEvent(pane: Pane): void {
    this.#publish({ subscription: null, pane, line: statusLine(pane) });
  }

  #publish(event: WorldEvent): void {
    // Status events are subscribed pane by pane, and not kept.
    if (event.subscription !== null) this.log.push(event);
    if (this.log.length > EVENT_BUFFER) this.log.shift();
    for (const listener of this.#listeners) listener(event);
  }

  #takePaneId(workspace: Workspace): string {
    return `${workspace.id}:p${spell(workspace.nextPane++)}`;
  }

  #remove(pane: Pane, subscription: "pane.closed" | "pane.exited"): void {
    this.#detach(pane);
    for (const [id, target] of this.#aliases) if (target === pane) this.#aliases.delete(id);
    if (this.focused === pane) this.focused = this.panes[0] ?? null;
    this.emit(subscription, pane, subscription.replace(".", "_"), {
      pane_id: pane.id,
      workspace_id: pane.tab.workspace.id,
    });
  }

  // A tab goes with its last pane, a workspace with its last tab.
  #detach(pane: Pane): void {
    const { tab } = pane;
    const { workspace } = tab;
    tab.panes = tab.panes.filter((each) => each !== pane);
    if (tab.panes.length === 0) workspace.tabs = workspace.tabs.filter((each) => each !== tab);
    if (workspace.tabs.length === 0)
      this.workspaces = this.workspaces.filter((each) => each !== workspace);
  }
}

function statusLine(pane: Pane): WorldEvent["line"] {
  return {
    event: "pane.agent_status_changed",
    data: {
      ...(pane.agent === null ? {} : { agent: pane.agent }),
      agent_status: pane.status,
      pane_id: pane.id,
      workspace_id: pane.tab.workspace.id,
    },
  };
}

/** A title without the glyph that shows activity. */
function strippedTitle(title: string): string {
  return title.replace(/^[✳✶✻✽✢·*\u2800-\u28ff]\s+/u, "");
}

export function paneOf(world: World, pane: Pane): Record<string, unknown> {
  const { screen, label, agent, title } = pane;
  return {
    pane_id: pane.id,
    terminal_id: pane.terminalId,
    workspace_id: pane.tab.workspace.id,
    tab_id: pane.tab.id,
    focused: world.focused === pane,
    cwd: pane.cwd,
    foreground_cwd: pane.foreground.processes[0]?.cwd ?? pane.cwd,
    ...(label === null ? {} : { label }),
    ...(agent === null ? {} : { agent }),
    ...(title === null
      ? {}
      : { terminal_title: title, terminal_title_stripped: strippedTitle(title) }),
    agent_status: pane.status,
    scroll: {
      offset_from_bottom: screen.scrolledBack,
      max_offset_from_bottom: screen.historyRows,
      viewport_rows: screen.rows,
    },
    revision: pane.revision,
    ...pane.extra,
  };
}

function newTerminalId(): string {
  lastTerminal += 0x11;
  return `term_${lastTerminal.toString(16)}`;
}

function suffix(id: string): string {
  return id.slice(id.indexOf(":") + 2);
}

const DIGITS = "123456789ABCDEFGHJKMNPQRSTVWXYZ0";

/** Bijective base 32: 1..9, A = 10, Z = 31, 0 = 32, 11 = 33. */
function spell(number: number): string {
  let rest = number;
  let text = "";
  while (rest > 0) {
    rest -= 1;
    text = `${DIGITS[rest % 32]}${text}`;
    rest = Math.floor(rest / 32);
  }
  return text;
}

export function numberOf(text: string): number {
  let number = 0;
  for (const digit of text) number = number * 32 + DIGITS.indexOf(digit) + 1;
  return number;
}
