import type { PaneState } from "../protocol/pane.ts";

export interface PaneSight {
  /** Of the pane and its process: a reused id is another pane. */
  identity: string;
  /** As it would be published; `stale` where its own capture failed. */
  state: PaneState;
  /** False: a shell that the settings hide, or discovery is off. */
  isShown: boolean;
}

export interface Sighted {
  sights: readonly PaneSight[];
  /** The pass failed: nothing in `sights` is news, and nothing that is absent is gone. */
  hasFailed: boolean;
}

/** What became of a pane between two passes. */
export interface Transition {
  identity: string;
  /** The last state that was certain; null: there was none. */
  before: PaneSight | null;
  /** Null: it is gone. */
  pane: PaneSight | null;
  /** Anybody may be told of what it shows: that was not there before. */
  isNews: boolean;
}

interface Known {
  /** The last state that was certain; null while every capture of it has failed. */
  certain: PaneSight | null;
  /** It was already there in the first pass that succeeded. */
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
 * Follows panes by identity from publication to publication. A failed pass changes nothing but the
 * trust in what the next one is compared with; a pane that is stale is compared when it is back.
 */
export function diffPasses(
  past: PassHistory,
  now: Sighted,
): { past: PassHistory; transitions: Transition[] } {
  if (now.hasFailed) return { past: { ...past, hasFailed: true }, transitions: [] };
  const transitions: Transition[] = [];
  const panes = new Map<string, Known>();
  for (const pane of now.sights) {
    const { identity } = pane;
    const known = past.panes.get(identity);
    const before = known?.certain ?? null;
    const wasFirst = known?.wasFirst ?? past.isFirst;
    const isUncertain = pane.state.stale;
    panes.set(identity, { certain: isUncertain ? before : pane, wasFirst, isUncertain });
    if (isUncertain || (before && !isOther(before, pane))) continue;
    // What lies between the two was not watched where a pass or a capture had failed.
    const isGap = past.hasFailed || known?.isUncertain === true;
    const isNews = before ? !isGap || isOtherPrompt(before, pane) : !wasFirst && !past.hasFailed;
    transitions.push({ identity, before, pane, isNews });
  }
  for (const [identity, { certain: before }] of past.panes)
    if (!panes.has(identity)) transitions.push({ identity, before, pane: null, isNews: false });
  return { past: { panes, isFirst: false, hasFailed: false }, transitions };
}

/** A prompt of a pane that worked or asked something else: it did not stand there before. */
function isOtherPrompt({ state: before }: PaneSight, { state: now }: PaneSight): boolean {
  if (now.status !== "needs_input") return false;
  if (before.status === "working") return true;
  return before.status === "needs_input" && before.prompt_since !== now.prompt_since;
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
