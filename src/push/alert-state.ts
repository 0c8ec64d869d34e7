import type { ScreenCard } from "../cards/cards.ts";
import type { Moment } from "../lib/clock.ts";
import type { AlertDevice, HeldBack } from "./held.ts";
import { type DigestReason, PANE_FORMS, type PaneReason } from "./message.ts";

/** One appearance of something that a person may want to hear of. */
export type AlertState = {
  /** Monotonic seconds of the pass that saw it first. */
  since: number;
  /** It happened while the pane was watched: only then may it alert. */
  isNews: boolean;
  /** An agent itself calls what its pane asks high or critical. */
  isUrgent: boolean;
  progress: Map<string, Progress>;
} & ({ reason: PaneReason; card: ScreenCard } | { reason: DigestReason; card: null });
export type PaneAlert = Extract<AlertState, { card: ScreenCard }>;

export const isOfPane = (state: AlertState): state is PaneAlert => state.card !== null;

/** Its pane cannot be read by now: nobody is told of what may be over. */
export const cannotBeRead = ({ card }: AlertState): boolean => card?.pane.stale === true;

/** Times are monotonic seconds. */
interface Progress {
  /** The last time, logged once. */
  held: HeldBack | null;
  /** When an alert of it was sent. */
  alertedAt: number | null;
  isReminded: boolean;
  /** An alert of it was lost, and is due once more. */
  isRepeated: boolean;
}

export const reasonOf = ({ need }: ScreenCard): PaneReason => PANE_FORMS[need.section].reason;

/** Another prompt, error or end of work in the same pane is another occasion. */
export const isSameOccasion = ({ reason, card }: PaneAlert, now: ScreenCard): boolean =>
  reason === reasonOf(now) && card.need.since === now.need.since;

export function progressOf({ progress }: AlertState, device: string): Progress {
  const known = progress.get(device);
  if (known) return known;
  const none = { held: null, alertedAt: null, isReminded: false, isRepeated: false };
  progress.set(device, none);
  return none;
}

/** What has just begun. */
export const begun = (isNews: boolean, now: Moment) => ({
  ...{ since: now.monotonic, isNews, isUrgent: false },
  progress: new Map<string, Progress>(),
});

/** It is alerted, or reminded. */
export function noteAlert(state: AlertState, { id }: AlertDevice, now: Moment): void {
  const progress = progressOf(state, id);
  if (progress.alertedAt !== null) progress.isReminded = true;
  progress.alertedAt ??= now.monotonic;
  progress.held = null;
}

/** What holds it back is looked at anew, but for what the device has chosen for good. */
export function becomeUrgent(state: AlertState): void {
  state.isUrgent = true;
  for (const progress of state.progress.values()) {
    const { held } = progress;
    if (held && (held.at !== null || held.why === "batching")) progress.held = null;
  }
}

/** When a device is to be decided on; Infinity: not any more, or not until its pane is read again. */
export function readyAt(state: AlertState, device: AlertDevice): number {
  const { isNews, since, card, progress } = state;
  if (!isNews || cannotBeRead(state) || since < device.knownSince) return Infinity;
  const known = progress.get(device.id);
  if (!known) return -Infinity;
  if (known.held?.at === null) return Infinity;
  const heldUntil = known.held?.at ?? -Infinity;
  if (known.alertedAt === null) return heldUntil;
  const { remind_minutes } = device.preferences;
  if (known.isReminded || remind_minutes === 0 || card === null) return Infinity;
  return Math.max(heldUntil, known.alertedAt + remind_minutes * 60);
}

/** Times that were read from different notices of one limit. */
const SAME_RESET_SECONDS = 300;
/** Where no time is told, agents that stopped in the same hour have met the same limit. */
const SAME_HOUR_SECONDS = 3600;

/** Whether a limit has ended what the pane's agent did. */
export const isParked = ({ card }: PaneAlert): boolean => card.need.section === "parked";

/**
 * One alert for all that parked together: what is due in groups, one for each limit, and those
 * that need none, because another one of theirs was alerted on that device and still stands.
 */
export function groupParked(
  due: readonly PaneAlert[],
  all: Iterable<AlertState>,
  device: string,
): { alerts: PaneAlert[][]; quiet: PaneAlert[] } {
  const alertedAt = ({ progress }: AlertState) => progress.get(device)?.alertedAt ?? null;
  const told = [...all]
    .filter(isOfPane)
    .filter((each) => isParked(each) && alertedAt(each) !== null);
  const alerts: PaneAlert[][] = [];
  const quiet: PaneAlert[] = [];
  for (const state of due) {
    const isSame = (other: PaneAlert | undefined) => other && isSameLimit(state, other);
    const group = alerts.find(([first]) => isSame(first));
    // A reminder was asked for of each.
    if (alertedAt(state) === null && told.some(isSame)) quiet.push(state);
    else if (group) group.push(state);
    else alerts.push([state]);
  }
  return { alerts, quiet };
}

function isSameLimit(a: PaneAlert, b: PaneAlert): boolean {
  const [one, other] = [a.card.pane, b.card.pane];
  if (one.agent?.id !== other.agent?.id) return false;
  const [until, otherUntil] = [one.parked?.until ?? null, other.parked?.until ?? null];
  if (until !== null && otherUntil !== null)
    return Math.abs(until - otherUntil) <= SAME_RESET_SECONDS;
  return until === otherUntil && Math.abs(a.since - b.since) <= SAME_HOUR_SECONDS;
}
