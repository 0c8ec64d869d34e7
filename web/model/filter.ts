import type { SeenHost } from "../../src/protocol/tolerant.ts";
import { sinceOf } from "../../src/protocol/waiting.ts";
import { appearanceOf, isPlaceholder, type Appearance, type Pane, waits } from "./pane.ts";
import { foldText, searchWords } from "./search.ts";

export type Sort = "session" | "waiting" | "changed" | "name";

interface Filter {
  readonly words: string;
  readonly status: Appearance | null;
}

/** Every word must occur in name, title, machine, labels or preview, ignoring case and accents. */
export function filterPanes(panes: readonly Pane[], filter: Filter): readonly Pane[] {
  const words = searchWords(filter.words);
  return panes.filter((pane) => {
    if (filter.status !== null && appearanceOf(pane) !== filter.status) return false;
    if (words.length === 0) return true;
    const labels = pane.hierarchy.map((node) => node.label);
    const names = [pane.name, pane.title, pane.agent?.label ?? "", pane.host ?? ""];
    const parts = [...names, ...labels, ...pane.preview];
    const text = foldText(parts.join("\n"));
    return words.every((word) => text.includes(word));
  });
}

const RANK: Readonly<Record<Appearance, number>> = {
  needs_input: 0,
  error: 1,
  parked: 1,
  finished: 2,
  working: 3,
  idle: 4,
  stale: 5,
  unknown: 6,
  offline: 7,
};

/** `session` keeps the provider's order. */
export function sortPanes(
  panes: readonly Pane[],
  sort: Sort,
  starsFirst: boolean,
): readonly Pane[] {
  const by = COMPARE[sort];
  return panes.toSorted((a, b) => {
    if (starsFirst && a.starred !== b.starred) return a.starred ? -1 : 1;
    return by(a, b);
  });
}

const COMPARE: Readonly<Record<Sort, (a: Pane, b: Pane) => number>> = {
  session: () => 0,
  waiting: (a, b) => RANK[appearanceOf(a)] - RANK[appearanceOf(b)] || sinceOf(a) - sinceOf(b),
  changed: (a, b) => b.updated - a.updated,
  name: (a, b) => a.name.localeCompare(b.name, undefined, { numeric: true }),
};

export const countByAppearance = (panes: readonly Pane[]): ReadonlyMap<Appearance, number> =>
  new Map(
    [...Map.groupBy(panes, appearanceOf)].map(([appearance, all]) => [appearance, all.length]),
  );

export interface Group {
  readonly key: string;
  /** Empty for panes without a session: configured targets that do not exist now. */
  readonly label: string;
  readonly ids: readonly string[];
  readonly waiting: number;
}

/** By workspace where there are any, else by session, in the order of their first panes. */
export function groupPanes(panes: readonly Pane[]): readonly Group[] {
  const placeOf = ({ hierarchy }: Pane) =>
    hierarchy.find(({ kind }) => kind === "workspace") ??
    hierarchy.find(({ kind }) => kind === "session");
  const keyOf = (pane: Pane) => placeOf(pane)?.id ?? (isPlaceholder(pane.id) ? "cfg:" : "");
  return [...Map.groupBy(panes, keyOf)].map(([key, its]) => ({
    key,
    label: its.map(placeOf)[0]?.label ?? "",
    ids: its.map(({ id }) => id),
    waiting: its.filter(waits).length,
  }));
}

export type Host = Readonly<SeenHost>;

/** Null where there is only one machine, or the pane's is not known yet. */
export const hostOf = ({ host = null }: Pane, hosts: readonly Host[]): Host | null =>
  hosts.find(({ kind, name }) => (host === null ? kind === "local" : name === host)) ?? null;

/** Unreachable, also while a retry is under way. */
export const isAway = ({ status, reason }: Host): boolean =>
  status === "away" || (status === "connecting" && reason !== null);

/** In the order of the machines; one group where there is only one. */
export function groupByHost(panes: readonly Pane[], hosts: readonly Host[]) {
  if (hosts.length === 0) return [{ host: null, panes }];
  const of = Map.groupBy(panes, (pane) => hostOf(pane, hosts));
  return [...hosts, null].flatMap((host) => {
    const its = of.get(host);
    return its === undefined ? [] : [{ host, panes: its }];
  });
}
