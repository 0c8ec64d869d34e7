import { join } from "node:path";
import { runCall, socketPathOf, type Call, type Machine, type Outcome } from "./cli.ts";
import { SCHEMA } from "./schema.ts";
import { Session, type SessionState } from "./session.ts";
import { World, type Pane, type PublicState } from "./world.ts";

const FOLDER = new URL("../../fixtures/wsp/", import.meta.url).pathname;

export interface RecordedCall {
  name: string;
  args: string[];
  env?: Record<string, string>;
  /** A word where the process had to be killed. */
  exit: number | string;
  stdout: string;
  stderr: string;
}

interface RecordedSocket {
  name: string;
  request: string;
  response: string[];
}

type Wire = Record<string, unknown>;
export type RecordedSnapshot = Record<"workspaces" | "tabs" | "panes" | "agents", Wire[]> & Wire;

async function lines<T>(file: string): Promise<T[]> {
  const text = await Bun.file(join(FOLDER, file)).text();
  return text
    .trimEnd()
    .split("\n")
    .map((line): T => JSON.parse(line));
}

export const recordedCalls = (): Promise<RecordedCall[]> => lines("calls.jsonl");
export const recordedSockets = (): Promise<RecordedSocket[]> => lines("sockets.jsonl");

export async function recordedSnapshots(): Promise<
  Record<string, { before: RecordedSnapshot; after: RecordedSnapshot }>
> {
  return Bun.file(join(FOLDER, "snapshots.json")).json();
}

const KNOWN = new Set([
  ...["pane_id", "terminal_id", "workspace_id", "tab_id", "focused", "cwd", "foreground_cwd"],
  ...["label", "agent", "terminal_title", "terminal_title_stripped", "agent_status", "scroll"],
  ...["revision", "state_change_seq"],
]);

/** A world whose snapshot is the recorded one. */
export function worldOf(snapshot: RecordedSnapshot): World {
  const world = new World();
  for (const wire of snapshot.workspaces) {
    const workspace = world.openWorkspace(String(wire.label));
    workspace.id = String(wire.workspace_id);
    for (const tab of snapshot.tabs.filter((each) => each.workspace_id === workspace.id)) {
      const opened = world.openTab(workspace, String(tab.label));
      opened.id = String(tab.tab_id);
      for (const pane of snapshot.panes.filter((each) => each.tab_id === opened.id))
        restore(world, world.openPane(opened), pane);
    }
  }
  for (const agent of snapshot.agents) {
    const pane = world.current(String(agent.pane_id));
    if (pane) pane.seq = Number(agent.state_change_seq);
  }
  world.focused = world.current(String(snapshot.focused_pane_id)) ?? null;
  world.restoreCounters();
  world.log.length = 0;
  return world;
}

/** A world with only this pane. */
export function worldAround(...wires: Wire[]): World {
  const ids = (name: string) => [...new Set(wires.map((wire) => String(wire[name])))];
  return worldOf({
    workspaces: ids("workspace_id").map((id) => ({ workspace_id: id, label: id })),
    tabs: ids("tab_id").map((id) => ({
      tab_id: id,
      workspace_id: id.slice(0, id.indexOf(":")),
      label: id,
    })),
    panes: wires,
    agents: wires.filter((wire) => wire.state_change_seq !== undefined),
    focused_pane_id: wires.find((wire) => wire.focused === true)?.pane_id,
  });
}

function restore(world: World, pane: Pane, wire: Wire): void {
  pane.id = String(wire.pane_id);
  pane.terminalId = String(wire.terminal_id);
  pane.label = textOr(wire.label);
  pane.agent = textOr(wire.agent);
  pane.title = textOr(wire.terminal_title);
  pane.cwd = String(wire.cwd);
  pane.revision = Number(wire.revision);
  const [process] = pane.foreground.processes;
  if (process) process.cwd = String(wire.foreground_cwd);
  setStatus(pane, String(wire.agent_status));
  const { scroll } = wire;
  if (typeof scroll === "object" && scroll !== null) {
    const size = Object.assign<Record<string, unknown>, object>({}, scroll);
    pane.screen.rows = Number(size.viewport_rows);
    pane.screen.show("");
    const left = Number(size.max_offset_from_bottom);
    pane.screen.history = Array.from({ length: left }, () => ({ ansi: "", wraps: false }));
    pane.screen.scrolledBack = Number(size.offset_from_bottom);
  }
  pane.extra = Object.fromEntries(Object.entries(wire).filter(([key]) => !KNOWN.has(key)));
  if (wire.focused === true) world.focused = pane;
}

function setStatus(pane: Pane, status: string): void {
  const known: readonly PublicState[] = ["idle", "working", "blocked", "done", "unknown"];
  const found = known.find((each) => each === status) ?? "unknown";
  pane.raw = found === "done" ? "idle" : found;
  pane.isSeen = found !== "done";
}

const textOr = (value: unknown): string | null => (typeof value === "string" ? value : null);

/** The machine of the recordings, with its paths, in memory. */
export class RecordedMachine implements Machine {
  readonly binary = "/tmp/w/bin/herdr";
  readonly version = "0.8.2";
  readonly protocol = 20;
  readonly schema = SCHEMA;
  readonly sessions = new Map<string, Session>();
  readonly violations: string[] = [];

  add(name: string, world: World, state: SessionState = "running"): Session {
    const session = new Session(name, this.violations);
    Object.assign(session, { world, state });
    this.sessions.set(name, session);
    return session;
  }

  sessionAt(path: string): Session | null {
    const names = [...this.sessions.keys()];
    const name = names.find((each) => socketPathOf(BASE_ENV, each) === path);
    return name === undefined ? null : (this.sessions.get(name) ?? null);
  }

  isRunning(): boolean {
    return true;
  }

  run(args: string[], env: Call["env"]): Promise<Outcome> {
    return runCall(this, { args, env });
  }
}

export const BASE_ENV: Readonly<Record<string, string>> = {
  HOME: "/tmp/w",
  XDG_CONFIG_HOME: "/tmp/w/config",
};
