import { isParked, type Pane } from "./pane.ts";

/** Panes that are known to wait or to have failed, with their status; null before the first snapshot. */
export type Alerted = ReadonlyMap<string, string> | null;

export interface AlertStep {
  readonly alerted: ReadonlyMap<string, string>;
  /** Panes that have just begun to wait, or have just failed. */
  readonly fresh: readonly Pane[];
  /** Ids of panes that do neither any longer: answered here, elsewhere or by themselves. */
  readonly over: readonly string[];
}

/** One alert per pane on its transition; what is there at the start is no news. */
export function stepAlerts(alerted: Alerted, panes: readonly Pane[]): AlertStep {
  const now = new Map(panes.map((pane) => [pane.id, pane.status]));
  if (alerted === null) return { alerted: now, fresh: [], over: [] };
  return {
    alerted: now,
    fresh: panes.filter((pane) => alerted.get(pane.id) !== pane.status),
    over: [...alerted.keys()].filter((id) => !now.has(id)),
  };
}

/** All that a limit holds is one alert: of those that park now the first, where none was parked yet. */
export function withoutTwins(fresh: readonly Pane[], all: readonly Pane[]): readonly Pane[] {
  const first = all.some((pane) => isParked(pane) && !fresh.includes(pane))
    ? undefined
    : fresh.find(isParked);
  return fresh.filter((pane) => !isParked(pane) || pane === first);
}
