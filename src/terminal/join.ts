import type { HostState } from "../protocol/hosts.ts";
import type { PaneState } from "../protocol/pane.ts";
import type { Publication } from "./hub.ts";
import type { PaneSight, Past, Transition } from "./transitions.ts";

/** The name of the part that this machine publishes: no host can have it. */
export const THIS_MACHINE = "local";

/** What one machine last published, and what its next publication is held against. */
export interface Part {
  publication: Publication;
  past: Past;
}

export type Joined = Pick<Publication, "panes" | "listed" | "lines" | "sights">;

/**
 * What all machines published last, as one: each state names its host, and a list whose items are
 * the ones before is the list before.
 */
export function join(parts: ReadonlyMap<string, Part>, before: Joined | null): Joined {
  const all = [...parts].map(([machine, { publication }]) => ({
    ...publication,
    host: machine === THIS_MACHINE ? null : machine,
  }));
  const panes = all.flatMap(({ panes, host }) => panes.map((state) => onHost(state, host)));
  const listed = all.flatMap((part) => part.listed);
  return {
    panes: before && isEqual(before.panes, panes) ? before.panes : panes,
    listed: before && isEqual(before.listed, listed) ? before.listed : listed,
    sights: all.flatMap(({ sights, host }) => sights.map((sight) => sightOn(sight, host))),
    lines: { get: (id) => all.find(({ lines }) => lines.get(id))?.lines.get(id) },
  };
}

/** So that an unchanged pane stays the very same object. */
const NAMED = new WeakMap<PaneState, PaneState>();

export function onHost(state: PaneState, host: string | null): PaneState {
  const known = NAMED.get(state);
  if (known) return known;
  const named = { ...state, host };
  NAMED.set(state, named);
  return named;
}

const sightOn = (sight: PaneSight, host: string | null): PaneSight => ({
  ...sight,
  state: onHost(sight.state, host),
});

/** What became of a pane of another machine, whose name it bears. */
export const transitionOn = (transition: Transition, host: string): Transition => ({
  ...transition,
  pane: sightOn(transition.pane, host),
  before: transition.before && sightOn(transition.before, host),
});

function isEqual(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index]);
}

/** The list before, where nothing but the figures of its links has moved. */
export function sameHosts(
  before: readonly HostState[],
  now: readonly HostState[],
): readonly HostState[] {
  const factsOf = (hosts: readonly HostState[]) =>
    JSON.stringify(hosts.map((host) => ({ ...host, round_trip_ms: 0, read_at: 0 })));
  return factsOf(before) === factsOf(now) ? before : now;
}
