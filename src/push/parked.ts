import type { PaneState } from "../protocol/pane.ts";
import type { Standing } from "./standing.ts";

/** Times that were read from different notices of one limit. */
const SAME_RESET_SECONDS = 300;
/** Where no time is told, agents that stopped in the same hour have met the same limit. */
const SAME_HOUR_SECONDS = 3600;

export type ParkedStanding = Standing & { occasion: { pane: { state: PaneState } } };

/** Whether a limit has ended what the pane's agent did. */
export function isParked(standing: Standing): standing is ParkedStanding {
  const { reason, pane } = standing.occasion;
  return reason === "error" && pane !== null && pane.state.parked !== null;
}

/**
 * One alert for all that parked together: what is due in groups, one for each limit, and those
 * that need none, because another one of theirs was alerted on that device and still stands.
 */
export function groupParked(
  due: readonly ParkedStanding[],
  all: Iterable<Standing>,
  device: string,
): { alerts: ParkedStanding[][]; quiet: ParkedStanding[] } {
  const alertedAt = ({ progress }: Standing) => progress.get(device)?.alertedAt ?? null;
  const told = [...all].filter(isParked).filter((each) => alertedAt(each) !== null);
  const alerts: ParkedStanding[][] = [];
  const quiet: ParkedStanding[] = [];
  for (const standing of due) {
    const isSame = (other: ParkedStanding | undefined) => other && isSameLimit(standing, other);
    const group = alerts.find(([first]) => isSame(first));
    // A reminder was asked for of each.
    if (alertedAt(standing) === null && told.some(isSame)) quiet.push(standing);
    else if (group) group.push(standing);
    else alerts.push([standing]);
  }
  return { alerts, quiet };
}

function isSameLimit({ occasion: a }: ParkedStanding, { occasion: b }: ParkedStanding): boolean {
  if (a.pane.state.agent?.id !== b.pane.state.agent?.id) return false;
  const [one, other] = [a.pane.state.parked?.until ?? null, b.pane.state.parked?.until ?? null];
  if (one !== null && other !== null) return Math.abs(one - other) <= SAME_RESET_SECONDS;
  return one === other && Math.abs(a.since - b.since) <= SAME_HOUR_SECONDS;
}
