import type { PaneState } from "../protocol/pane.ts";
import type { AlertState } from "./alert-state.ts";

/** Times that were read from different notices of one limit. */
const SAME_RESET_SECONDS = 300;
/** Where no time is told, agents that stopped in the same hour have met the same limit. */
const SAME_HOUR_SECONDS = 3600;

export type ParkedState = AlertState & { cause: { pane: { state: PaneState } } };

/** Whether a limit has ended what the pane's agent did. */
export function isParked(state: AlertState): state is ParkedState {
  const { reason, pane } = state.cause;
  return reason === "error" && pane !== null && pane.state.parked !== null;
}

/**
 * One alert for all that parked together: what is due in groups, one for each limit, and those
 * that need none, because another one of theirs was alerted on that device and still stands.
 */
export function groupParked(
  due: readonly ParkedState[],
  all: Iterable<AlertState>,
  device: string,
): { alerts: ParkedState[][]; quiet: ParkedState[] } {
  const alertedAt = ({ progress }: AlertState) => progress.get(device)?.alertedAt ?? null;
  const told = [...all].filter(isParked).filter((each) => alertedAt(each) !== null);
  const alerts: ParkedState[][] = [];
  const quiet: ParkedState[] = [];
  for (const state of due) {
    const isSame = (other: ParkedState | undefined) => other && isSameLimit(state, other);
    const group = alerts.find(([first]) => isSame(first));
    // A reminder was asked for of each.
    if (alertedAt(state) === null && told.some(isSame)) quiet.push(state);
    else if (group) group.push(state);
    else alerts.push([state]);
  }
  return { alerts, quiet };
}

function isSameLimit({ cause: a }: ParkedState, { cause: b }: ParkedState): boolean {
  if (a.pane.state.agent?.id !== b.pane.state.agent?.id) return false;
  const [one, other] = [a.pane.state.parked?.until ?? null, b.pane.state.parked?.until ?? null];
  if (one !== null && other !== null) return Math.abs(one - other) <= SAME_RESET_SECONDS;
  return one === other && Math.abs(a.since - b.since) <= SAME_HOUR_SECONDS;
}
