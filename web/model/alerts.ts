import type { Pane } from "./pane.ts";

/** Panes that are known to wait; null before the first snapshot. */
export type Alerted = ReadonlySet<string> | null;

export interface AlertStep {
  readonly alerted: ReadonlySet<string>;
  /** Panes that have just begun to wait. */
  readonly fresh: readonly Pane[];
  /** Ids of panes that wait no longer: answered here, elsewhere or by themselves. */
  readonly over: readonly string[];
}

/** One alert per pane on its transition to waiting; what waits at the start is no news. */
export function stepAlerts(alerted: Alerted, waiting: readonly Pane[]): AlertStep {
  const ids = new Set(waiting.map((pane) => pane.id));
  if (alerted === null) return { alerted: ids, fresh: [], over: [] };
  return {
    alerted: ids,
    fresh: waiting.filter((pane) => !alerted.has(pane.id)),
    over: [...alerted].filter((id) => !ids.has(id)),
  };
}
