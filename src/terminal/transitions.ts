import type { PaneState } from "../protocol/pane.ts";

export interface PaneSight {
  /** Of the pane and its process: a reused id is another pane. */
  identity: string;
  id: string;
  target: string;
  /** As it would be published; `stale` where its own capture failed. */
  state: PaneState;
  /** False: a shell that the settings hide, or discovery is off. */
  isShown: boolean;
}

export interface Sighted {
  at: number;
  sights: readonly PaneSight[];
  /** The pass failed: nothing in `sights` is news, and nothing that is absent is gone. */
  hasFailed: boolean;
}

/** What became of a pane between two passes; `before` is the last state that was certain. */
export interface Transition {
  kind: "appeared" | "changed" | "gone";
  pane: PaneSight;
  before: PaneSight | null;
  at: number;
  /** The pane was already there in the first pass that succeeded. */
  firstPass: boolean;
  /** What lies between `before` and `pane` was not watched: a pass or a capture had failed. */
  recovered: boolean;
}

interface Known {
  /** The last state that was certain; null while every capture of it has failed. */
  certain: PaneSight | null;
  last: PaneSight;
  wasFirst: boolean;
  isUncertain: boolean;
}

export interface PassHistory {
  readonly panes: ReadonlyMap<string, Known>;
  readonly isFirst: boolean;
  readonly hasFailed: boolean;
}

export const NO_HISTORY: PassHistory = { panes: new Map(), isFirst: true, hasFailed: false };

/**
 * Whether anybody may be told of it: it happened while it was watched, or it is a prompt of a pane
 * that worked or asked something else when it was last seen, so that it did not stand there before.
 */
export function wasWatched({ firstPass, recovered, before, pane }: Transition): boolean {
  if (firstPass || !recovered) return !firstPass;
  if (before === null || pane.state.status !== "needs_input") return false;
  const { status, prompt_since } = before.state;
  return (
    status === "working" || (status === "needs_input" && prompt_since !== pane.state.prompt_since)
  );
}

/**
 * Follows panes by identity from publication to publication. A failed pass changes nothing but the
 * trust in what the next one is compared with; a pane that is stale is compared when it is back.
 */
export function diffPasses(
  past: PassHistory,
  now: Sighted,
): { past: PassHistory; transitions: Transition[] } {
  if (now.hasFailed) return { past: { ...past, hasFailed: true }, transitions: [] };
  const { at } = now;
  const transitions: Transition[] = [];
  const panes = new Map<string, Known>();
  for (const pane of now.sights) {
    const known = past.panes.get(pane.identity);
    panes.set(pane.identity, noted(known, pane, past));
    if (pane.state.stale) continue;
    const before = known?.certain ?? null;
    const recovered = past.hasFailed || (before !== null && known?.isUncertain === true);
    const firstPass = before === null && (known?.wasFirst ?? past.isFirst);
    if (!before) transitions.push({ kind: "appeared", pane, before, at, firstPass, recovered });
    else if (isOther(before, pane))
      transitions.push({ kind: "changed", pane, before, at, firstPass, recovered });
  }
  for (const [identity, { last, certain, isUncertain }] of past.panes) {
    if (panes.has(identity)) continue;
    const recovered = past.hasFailed || isUncertain;
    const pane = certain ?? last;
    transitions.push({ kind: "gone", pane, before: certain, at, firstPass: false, recovered });
  }
  return { past: { panes, isFirst: false, hasFailed: false }, transitions };
}

function noted(known: Known | undefined, pane: PaneSight, past: PassHistory): Known {
  const isUncertain = pane.state.stale;
  const wasFirst = known?.wasFirst ?? past.isFirst;
  if (!isUncertain) return { certain: pane, last: pane, wasFirst, isUncertain };
  return { certain: known?.certain ?? null, last: pane, wasFirst, isUncertain };
}

function isOther(before: PaneSight, now: PaneSight): boolean {
  // Unchanged panes keep their state from pass to pass.
  if (before.state === now.state) return false;
  const [a, b] = [before.state, now.state];
  return (
    a.status !== b.status ||
    a.prompt_since !== b.prompt_since ||
    a.finished_at !== b.finished_at ||
    a.kind !== b.kind ||
    a.target !== b.target
  );
}
