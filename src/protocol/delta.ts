import type { Card, CardsDelta } from "./cards.ts";
import type { DeltaFrame, PaneDelta } from "./frames.ts";
import type { HostState } from "./hosts.ts";
import type { PaneState, StyleRun } from "./pane.ts";

/** Runs of each line, by pane id; a pane without styles has no entry. */
export type Styles = ReadonlyMap<string, StyledLines>;
type StyledLines = readonly (readonly StyleRun[])[];

export interface Scene<P extends Pane = PaneState> {
  panes: readonly P[];
  styles: Styles;
}

/** The members that the algorithm reads; a client reads the others tolerantly. */
type Pane = Pick<PaneState, "id" | "lines">;

/** The panes whose `lines` a client wants, and whether with styles. */
export interface ClientView {
  ids: ReadonlySet<string>;
  styles: boolean;
}

export const NO_VIEW: ClientView = { ids: new Set(), styles: false };

export interface ViewedScene {
  scene: {
    panes: readonly PaneState[];
    styles: Pick<Styles, "get">;
    hosts?: readonly HostState[] | undefined;
  };
  view: ClientView;
}

/** A delta as a client reads it, with panes of its own, more tolerant type. */
export type DeltaOf<P extends Pane> = Omit<DeltaFrame, "added" | "changed" | "hosts" | "cards"> & {
  added?: readonly P[] | undefined;
  changed?: readonly ChangeOf<P>[] | undefined;
};

type ChangeOf<P> = Omit<PaneDelta, "set"> & {
  set?: { [Member in keyof P]?: P[Member] | undefined } | undefined;
};

export interface CardsDeltaOf<C> {
  added?: readonly C[] | undefined;
  changed?: readonly { key: string; set: object }[] | undefined;
  order?: readonly string[] | undefined;
}

interface Patch<T> {
  drop: number;
  head: number;
  tail: number;
  insert: T[];
}

/**
 * The full state of a delta socket: all panes, with empty `lines` where a pane neither waits
 * (`needs_input`) nor is viewed, and styles of viewed panes alone, where the view asks for them.
 */
export function sceneOf({ scene, view }: ViewedScene): Scene {
  const styles = new Map<string, StyledLines>();
  const panes = scene.panes.map((pane) => {
    const runs = visibleStyles(pane, scene.styles, view);
    if (runs.length > 0) styles.set(pane.id, runs);
    return withVisibleLines(pane, view);
  });
  return { panes, styles };
}

/** The frame by which a client with the state `before` comes to `after`. */
export function diffState(before: ViewedScene, after: ViewedScene): DeltaFrame {
  const rows = diffRows(before.scene.panes, after.scene.panes, {
    idOf: ({ id }) => id,
    change: (old, pane) => diffPane(old, pane, before, after),
  });
  const added = rows.added?.map((pane) => withVisibleLines(pane, after.view));
  const frame: DeltaFrame = { type: "delta", ...rows, ...(added && { added }) };
  const { hosts } = after.scene;
  // An empty list: the last host is not watched any more.
  return hosts === before.scene.hosts ? frame : { ...frame, hosts: [...(hosts ?? [])] };
}

/** Null where no card changed. */
export function diffCards(before: readonly Card[], after: readonly Card[]): CardsDelta | null {
  if (before === after) return null;
  const delta = diffRows(before, after, {
    idOf: ({ key }) => key,
    change(old, card) {
      const set = old && old !== card ? changedMembers(old, card, ["key"]) : null;
      return set && { key: card.key, set };
    },
  });
  return Object.keys(delta).length > 0 ? delta : null;
}

/** New rows, changed rows and the order of all, without empty members. */
function diffRows<T, D>(
  before: readonly T[],
  after: readonly T[],
  { idOf, change }: { idOf: (row: T) => string; change: (old: T | null, now: T) => D | null },
): { added?: T[]; changed?: D[]; order?: string[] } {
  const had = new Map(before.map((row) => [idOf(row), row]));
  const added = after.filter((row) => !had.has(idOf(row)));
  const changed = after.flatMap((row) => change(had.get(idOf(row)) ?? null, row) ?? []);
  const order = after.map(idOf);
  const isSame = before.length === order.length && before.every((row, i) => idOf(row) === order[i]);
  return {
    ...(added.length > 0 && { added }),
    ...(changed.length > 0 && { changed }),
    ...(isSame ? {} : { order }),
  };
}

/**
 * The next state of a client; panes that the frame does not touch stay the same objects.
 * Null when the frame does not fit the client's state: it must connect again.
 */
export function applyDelta<P extends Pane>(state: Scene<P>, frame: DeltaOf<P>): Scene<P> | null {
  if (!frame.added && !frame.changed && !frame.order) return state;
  const panes = new Map(state.panes.map((pane) => [pane.id, pane]));
  const styles = new Map(state.styles);
  for (const pane of frame.added ?? []) panes.set(pane.id, pane);
  for (const { id, set, lines_patch, styles_patch } of frame.changed ?? []) {
    const pane = panes.get(id);
    if (!pane) return null;
    const lines = lines_patch ? applyPatch(pane.lines, lines_patch) : pane.lines;
    if (!lines) return null;
    // JSON knows no undefined: every member of `set` has its value.
    if (set || lines_patch) panes.set(id, { ...pane, ...(set as Partial<P>), lines });
    if (!styles_patch) continue;
    const runs = applyPatch(styles.get(id) ?? [], styles_patch);
    if (!runs) return null;
    styles.set(id, runs);
  }
  const ordered: P[] = [];
  for (const id of frame.order ?? panes.keys()) {
    const pane = panes.get(id);
    if (!pane) return null;
    ordered.push(pane);
    panes.delete(id);
  }
  // Panes left in the map are not named by `order`: they are gone.
  for (const [id, runs] of styles) if (panes.has(id) || runs.length === 0) styles.delete(id);
  return { panes: ordered, styles };
}

/** The next cards of a client, as `applyDelta` gives its panes. */
export function applyCards<C extends { key: string }>(
  cards: readonly C[],
  delta: CardsDeltaOf<C> | undefined,
): readonly C[] | null {
  if (!delta) return cards;
  const { added = [], changed = [], order } = delta;
  const byKey = new Map([...cards, ...added].map((card) => [card.key, card]));
  for (const { key, set } of changed) {
    const card = byKey.get(key);
    if (!card) return null;
    // JSON knows no undefined: every member of `set` has its value.
    byKey.set(key, { ...card, ...(set as Partial<C>) });
  }
  const keys = order ?? cards.map(({ key }) => key);
  const next = keys.flatMap((key) => byKey.get(key) ?? []);
  return next.length === keys.length ? next : null;
}

function diffPane(
  old: PaneState | null,
  pane: PaneState,
  before: ViewedScene,
  after: ViewedScene,
): PaneDelta | null {
  const delta: PaneDelta = { id: pane.id };
  const runsBefore = old ? visibleStyles(old, before.scene.styles, before.view) : [];
  const runs = visibleStyles(pane, after.scene.styles, after.view);
  if (runs !== runsBefore) {
    const patch = diffLines(runsBefore, runs, JSON.stringify);
    if (patch) delta.styles_patch = { ...patch, insert: patch.insert.map((line) => [...line]) };
  }
  if (old) {
    const set = old === pane ? null : changedMembers(old, pane, APART);
    if (set) delta.set = set;
    const linesBefore = visibleLines(old, before.view);
    const lines = visibleLines(pane, after.view);
    const patch = lines === linesBefore ? null : diffLines(linesBefore, lines, String);
    if (patch) delta.lines_patch = patch;
  }
  return delta.set || delta.lines_patch || delta.styles_patch ? delta : null;
}

/** The members of a row with another value; null where all are equal. */
function changedMembers<T extends object>(
  old: T,
  now: T,
  without: readonly string[],
): Partial<T> | null {
  const was = new Map<string, unknown>(Object.entries(old));
  const changed = Object.entries(now).filter(
    ([key, value]) => !without.includes(key) && !Bun.deepEquals(was.get(key), value, true),
  );
  // All entries come from `now`.
  return changed.length > 0 ? (Object.fromEntries(changed) as Partial<T>) : null;
}

const APART = ["id", "lines"];

const NO_LINES: readonly never[] = [];

function visibleLines(pane: PaneState, view: ClientView): readonly string[] {
  return pane.status === "needs_input" || view.ids.has(pane.id) ? pane.lines : NO_LINES;
}

function visibleStyles(
  pane: PaneState,
  styles: ViewedScene["scene"]["styles"],
  view: ClientView,
): StyledLines {
  return view.styles && view.ids.has(pane.id) ? (styles.get(pane.id) ?? NO_LINES) : NO_LINES;
}

function withVisibleLines(pane: PaneState, view: ClientView): PaneState {
  return visibleLines(pane, view) === pane.lines ? pane : { ...pane, lines: [] };
}

/** Null when all lines are equal. */
function diffLines<T>(
  before: readonly T[],
  after: readonly T[],
  keyOf: (line: T) => string,
): Patch<T> | null {
  const old = before.map(keyOf);
  const now = after.map(keyOf);
  let end = 0;
  while (end < Math.min(old.length, now.length) && old.at(-1 - end) === now.at(-1 - end)) end++;
  if (end === old.length && end === now.length) return null;

  // Of all scroll distances, take the one that keeps the most lines.
  const matches = prefixMatches(now, old);
  let best = { drop: 0, head: 0, tail: 0 };
  matches.forEach((head, drop) => {
    const tail = Math.min(end, now.length - head, old.length - drop - head);
    if (head + tail > best.head + best.tail) best = { drop, head, tail };
  });
  return { ...best, insert: after.slice(best.head, after.length - best.tail) };
}

/** For each index of `text`, how many lines from there equal those of `pattern` (Z-function). */
function prefixMatches(pattern: readonly string[], text: readonly string[]): number[] {
  const joined: (string | null)[] = [...pattern, null, ...text];
  const z = new Array<number>(joined.length).fill(0);
  let left = 0;
  let right = 0;
  for (let i = 1; i < joined.length; i++) {
    let length = i < right ? Math.min(right - i, z[i - left] ?? 0) : 0;
    while (i + length < joined.length && joined[length] === joined[i + length]) length++;
    z[i] = length;
    if (i + length > right) [left, right] = [i, i + length];
  }
  return z.slice(pattern.length + 1);
}

function applyPatch<T>(lines: readonly T[], patch: Patch<T>): T[] | null {
  const { drop, head, tail, insert } = patch;
  if (drop + head + tail > lines.length) return null;
  return [...lines.slice(drop, drop + head), ...insert, ...lines.slice(lines.length - tail)];
}
