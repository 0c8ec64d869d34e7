import type { PaneState } from "./pane.ts";

/** Notices of one usage limit may name reset times that differ by this much. */
const SAME_RESET_SECONDS = 300;
/** Without a reset time, agents that stopped within an hour count as stopped by one limit. */
const SAME_HOUR_SECONDS = 3600;

/** In epoch seconds; null where a notice names no time. */
export const isSameReset = (a: number | null, b: number | null): boolean =>
  a === null || b === null ? a === b : Math.abs(b - a) <= SAME_RESET_SECONDS;

/** Whether one limit has stopped the agents of both panes, one `apart` seconds after the other. */
export function isSameLimit(
  a: Pick<PaneState, "agent" | "parked">,
  b: Pick<PaneState, "agent" | "parked">,
  apart: number,
): boolean {
  if (a.parked === null || b.parked === null || a.agent?.id !== b.agent?.id) return false;
  const isNear = a.parked.until !== null || Math.abs(apart) <= SAME_HOUR_SECONDS;
  return isNear && isSameReset(a.parked.until, b.parked.until);
}
