import { randomBytes } from "node:crypto";
import { sha256 } from "../../lib/digest.ts";
import type { PaneFate } from "../provider.ts";
import { isSameRelease, type Release } from "./identity.ts";
import { type WireAgent, type WirePane, type WireSnapshot, WspFailure } from "./wire.ts";

/** Where a pane is; another route is another pane. */
export type Route = Pick<WirePane, "terminal_id" | "pane_id" | "tab_id" | "workspace_id">;

export function routeKey({ terminal_id, pane_id, tab_id, workspace_id }: Route): string {
  return `${terminal_id} ${pane_id} ${tab_id} ${workspace_id}`;
}

export interface SnapshotPane {
  wire: WirePane;
  agent: WireAgent | null;
  workspaceLabel: string;
  workspaceIndex: number;
  tabLabel: string;
  tabNumber: number;
  index: number;
}

/** @throws WspFailure when the snapshot contradicts itself, or is of another release than was checked */
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
      ...{ wire, index, agent: agents.get(wire.pane_id) ?? null },
      workspaceLabel: workspace.label,
      workspaceIndex: snapshot.workspaces.indexOf(workspace),
      tabLabel: tab.label,
      tabNumber: tab.number,
    };
  });
}

function byId<T>(items: readonly T[], idOf: (item: T) => string): Map<string, T> {
  const map = new Map(items.map((item) => [idOf(item), item]));
  if (map.size < items.length) throw inconsistent("an id stands in it twice");
  return map;
}

function inconsistent(what: string): WspFailure {
  return new WspFailure("inconsistent", `the snapshot contradicts itself: ${what}`);
}

/** How many handles of panes that are gone are kept, so that an answer to one can be told why. */
const MAX_FORMER = 1024;

export interface Handle {
  id: string;
  target: string;
}

/**
 * Gives each route an opaque handle for as long as the route exists. herdr's own ids are not unique
 * between sessions, and old ones still work after a move.
 */
export class Registry {
  readonly #scope: string;
  #handles = new Map<string, Handle & { terminal: string }>();
  /** Terminals by their former handles, oldest first. */
  readonly #former = new Map<string, string>();

  /** `scope` makes the targets of this service and session differ from any other's. */
  constructor(scope: string) {
    this.#scope = scope;
  }

  /** The handles of these routes, in their order; every other handle is a former one from now on. */
  assign(routes: readonly Route[]): Handle[] {
    const before = this.#handles;
    this.#handles = new Map(
      routes.map((route) => {
        const key = routeKey(route);
        return [key, before.get(key) ?? this.#handle(key, route)];
      }),
    );
    for (const [key, { id, terminal }] of before)
      if (!this.#handles.has(key)) this.#former.set(id, terminal);
    for (const oldest of this.#former.keys()) {
      if (this.#former.size <= MAX_FORMER) break;
      this.#former.delete(oldest);
    }
    return [...this.#handles.values()];
  }

  has(id: string): boolean {
    return this.#handles.values().some((handle) => handle.id === id);
  }

  fateOf(id: string): PaneFate | null {
    const former = this.#former.get(id);
    if (former === undefined) return null;
    const lives = this.#handles.values().some(({ terminal }) => terminal === former);
    return lives ? "moved" : "gone";
  }

  #handle(key: string, { terminal_id: terminal }: Route) {
    const digest = sha256(`${this.#scope}\0${key}`).toString("base64url").slice(0, 32);
    const id = `h:${randomBytes(18).toString("base64url")}`;
    return { id, target: `wsp:${digest}`, terminal };
  }
}
