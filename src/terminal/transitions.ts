import type { PaneState } from "../protocol/pane.ts";

export interface PaneSight {
  /** Of the pane and its process: a pane with a reused id is another one. */
  identity: string;
  /** `stale` where its own capture failed. */
  state: PaneState;
  /** False: the settings hide it. */
  isShown: boolean;
}

export interface PassSights {
  sights: readonly PaneSight[];
  /** The pass failed: nothing in `sights` is new, and a pane that is missing is not gone. */
  hasFailed: boolean;
}

/** What became of a pane between two passes. */
export interface Transition {
  identity: string;
  /** The last certain state; null: there was none. */
  before: PaneSight | null;
  /** Null: it is gone. */
  pane: PaneSight | null;
  /** What it shows began while panes were watched: people may be alerted. */
  isNews: boolean;
}

interface PaneHistory {
  /** The last certain state; null while every capture of it has failed. */
  certain: PaneSight | null;
  /** It was already there in the first pass that succeeded. */
  wasFirst: boolean;
  isUncertain: boolean;
}

export interface PassHistory {
  readonly panes: ReadonlyMap<string, PaneHistory>;
  readonly isFirst: boolean;
  readonly hasFailed: boolean;
}

export const NO_HISTORY: PassHistory = { panes: new Map(), isFirst: true, hasFailed: false };

/**
 * Compares panes by identity from publication to publication. A failed pass changes no pane, but what the
 * next one finds was not watched; a stale pane is compared once it is read again.
 */
export function diffPasses(
  past: PassHistory,
  now: PassSights,
): { past: PassHistory; transitions: Transition[] } {
  if (now.hasFailed) return { past: { ...past, hasFailed: true }, transitions: [] };
  const transitions: Transition[] = [];
  const panes = new Map<string, PaneHistory>();
  for (const pane of now.sights) {
    const { identity } = pane;
    const known = past.panes.get(identity);
    const before = known?.certain ?? null;
    const wasFirst = known?.wasFirst ?? past.isFirst;
    const isUncertain = pane.state.stale;
    panes.set(identity, { certain: isUncertain ? before : pane, wasFirst, isUncertain });
    if (isUncertain || (before && !isOther(before, pane))) continue;
    // After a failed pass or capture nobody saw what happened in between.
    const isGap = past.hasFailed || known?.isUncertain === true;
    const isNews = before ? !isGap || isOtherPrompt(before, pane) : !wasFirst && !past.hasFailed;
    transitions.push({ identity, before, pane, isNews });
  }
  for (const [identity, { certain: before }] of past.panes)
    if (!panes.has(identity)) transitions.push({ identity, before, pane: null, isNews: false });
  return { past: { panes, isFirst: false, hasFailed: false }, transitions };
}

/** A prompt that is surely new: the pane worked before, or asked something else. */
function isOtherPrompt({ state: before }: PaneSight, { state: now }: PaneSight): boolean {
  if (now.status !== "needs_input") return false;
  if (before.status === "working") return true;
  return before.status === "needs_input" && before.prompt_since !== now.prompt_since;
}

function isOther(before: PaneSight, now: PaneSight): boolean {
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
