import { randomBytes } from "node:crypto";
import { sha256 } from "../../lib/digest.ts";
import type { PaneFate, PaneProcess } from "../provider.ts";
import type { Channel } from "./channel.ts";
import { isSameRelease, type Release } from "./identity.ts";
import {
  isGone,
  parse,
  type WireAgent,
  type WirePane,
  WireProcessInfo,
  type WireSnapshot,
  WspFailure,
  WspRefusal,
} from "./wire.ts";
import { REQUESTS } from "./requests.ts";

/** Everything that says where a pane is; another route is another pane. */
export interface Route {
  terminal: string;
  pane: string;
  tab: string;
  workspace: string;
}

/** One pane of a snapshot, with what stands elsewhere in it. */
export interface SnapshotPane {
  route: Route;
  wire: WirePane;
  agent: WireAgent | null;
  workspaceLabel: string;
  workspaceIndex: number;
  tabLabel: string;
  tabNumber: number;
  /** Its place in its tab, from 0. */
  index: number;
}

export function routeOf(pane: WirePane): Route {
  return {
    terminal: pane.terminal_id,
    pane: pane.pane_id,
    tab: pane.tab_id,
    workspace: pane.workspace_id,
  };
}

export function routeKey({ terminal, pane, tab, workspace }: Route): string {
  return `${terminal} ${pane} ${tab} ${workspace}`;
}

/**
 * The panes of a snapshot, in its order.
 * @throws WspFailure `inconsistent` when it contradicts itself, `incompatible` when it comes from
 * another server than the one that was checked
 */
export function panesOf(snapshot: WireSnapshot, release: Release): SnapshotPane[] {
  if (!isSameRelease(snapshot, release))
    throw new WspFailure(
      "incompatible",
      `the snapshot is of version ${snapshot.version}, protocol ${snapshot.protocol}`,
    );
  const workspaces = byId(snapshot.workspaces, ({ workspace_id }) => workspace_id);
  const tabs = byId(snapshot.tabs, ({ tab_id }) => tab_id);
  const agents = byId(snapshot.agents, ({ pane_id }) => pane_id);
  byId(snapshot.panes, ({ terminal_id }) => terminal_id);
  const panes = byId(snapshot.panes, ({ pane_id }) => pane_id);
  for (const agent of agents.values())
    if (panes.get(agent.pane_id)?.terminal_id !== agent.terminal_id)
      throw inconsistent(`agent in ${agent.pane_id}, which is no pane of it`);
  const indexes = new Map<string, number>();
  return snapshot.panes.map((wire) => {
    const workspace = workspaces.get(wire.workspace_id);
    const tab = tabs.get(wire.tab_id);
    if (!workspace || tab?.workspace_id !== wire.workspace_id)
      throw inconsistent(`${wire.pane_id} stands in ${wire.tab_id}, which is not there`);
    const index = indexes.get(wire.tab_id) ?? 0;
    indexes.set(wire.tab_id, index + 1);
    return {
      route: routeOf(wire),
      wire,
      agent: agents.get(wire.pane_id) ?? null,
      workspaceLabel: workspace.label,
      workspaceIndex: snapshot.workspaces.indexOf(workspace),
      tabLabel: tab.label,
      tabNumber: tab.number,
      index,
    };
  });
}

function byId<T>(items: readonly T[], idOf: (item: T) => string): Map<string, T> {
  const found = new Map<string, T>();
  for (const item of items) {
    const id = idOf(item);
    if (found.has(id)) throw inconsistent(`${id} stands in it twice`);
    found.set(id, item);
  }
  return found;
}

function inconsistent(what: string): WspFailure {
  return new WspFailure("inconsistent", `the snapshot contradicts itself: ${what}`);
}

/** How many handles of panes that are gone are still known, so that an answer to one can say why. */
const REMEMBERED = 1024;

export interface Handle {
  id: string;
  target: string;
}

/**
 * Gives each route a handle that says nothing, and keeps it for as long as the route exists. The
 * tool's own ids are not unique between sessions, and old ones go on to work after a move.
 */
export class Registry {
  readonly #scope: string;
  #handles = new Map<string, Handle & { route: Route }>();
  #byId = new Map<string, Handle & { route: Route }>();
  /** Former handles, oldest first, with the terminal behind them. */
  readonly #former = new Map<string, string>();

  /** `scope` sets the targets of this service and session apart from every other's. */
  constructor(scope: string) {
    this.#scope = scope;
  }

  /** The handles of these routes, in their order; every other one is former from now on. */
  assign(routes: readonly Route[]): Handle[] {
    const next = new Map<string, Handle & { route: Route }>();
    const handles = routes.map((route) => {
      const key = routeKey(route);
      const handle = this.#handles.get(key) ?? {
        id: `h:${randomBytes(18).toString("base64url")}`,
        target: `wsp:${this.#digest(key)}`,
        route,
      };
      next.set(key, handle);
      return handle;
    });
    for (const [key, { id, route }] of this.#handles) if (!next.has(key)) this.#retire(id, route);
    this.#handles = next;
    this.#byId = new Map(handles.map((handle) => [handle.id, handle]));
    return handles;
  }

  routeOf(id: string): Route | null {
    return this.#byId.get(id)?.route ?? null;
  }

  /** Null for a handle that is in use, or was never given out. */
  fateOf(id: string): PaneFate | null {
    const terminal = this.#former.get(id);
    if (terminal === undefined) return null;
    const lives = [...this.#handles.values()].some(({ route }) => route.terminal === terminal);
    return lives ? "moved" : "gone";
  }

  #retire(id: string, route: Route): void {
    this.#former.set(id, route.terminal);
    for (const oldest of this.#former.keys()) {
      if (this.#former.size <= REMEMBERED) break;
      this.#former.delete(oldest);
    }
  }

  #digest(key: string): string {
    return sha256(`${this.#scope}\0${key}`).toString("base64url").slice(0, 32);
  }
}

export interface SessionProcesses {
  group: number | null;
  list: readonly PaneProcess[];
  names: readonly string[];
  /** What stood in the listing when they were asked for. */
  basis: string;
  atMs: number;
}

/** Refusals that the same request will meet again. */
const NEVER: ReadonlySet<string> = new Set(["invalid_request", "not_implemented"]);

/**
 * Null where the session does not tell: they help to recognise a program and to tell two apart, but
 * nothing depends on them alone.
 */
export async function readForeground(
  { channel, nowMs }: { channel: Channel; nowMs: () => number },
  at: SnapshotPane,
  signal: AbortSignal,
): Promise<SessionProcesses | null> {
  if (!channel.tellsProcesses) return null;
  const { pane } = at.route;
  const result = await channel.ask(REQUESTS.processes(pane), signal).catch((error: unknown) => {
    const isRefused = error instanceof WspRefusal && error.category === "command_failed";
    if (!isRefused || isGone(error)) throw error;
    if (NEVER.has(error.code)) channel.forgoProcesses();
    return null;
  });
  if (!result) return null;
  const { process_info } = parse(WireProcessInfo, result, "pane process-info");
  // An old id leads to where its pane has moved: that pane's processes are the next pass's to read.
  if (process_info.pane_id !== pane) return null;
  const { foreground_processes: processes } = process_info;
  return {
    group: process_info.foreground_process_group_id ?? null,
    list: processes.map(({ pid, name, argv }) => ({
      pid,
      startedAt: null,
      args: argv && argv.length > 0 ? argv : [name ?? ""],
    })),
    names: processes.map(({ name, argv }) => name ?? argv?.[0] ?? ""),
    basis: processesBasis(at),
    atMs: nowMs(),
  };
}

// What an agent's process can be seen to change with, without asking for it.
export function processesBasis({ wire, agent }: SnapshotPane): string {
  return `${wire.agent ?? ""} ${agent?.state_change_seq ?? ""}`;
}
