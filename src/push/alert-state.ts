import type { ScreenCard } from "../cards/cards.ts";
import type { Moment } from "../lib/clock.ts";
import { isSameLimit } from "../protocol/limit.ts";
import type { AlertDevice, AlertHold } from "./hold.ts";
import { type DigestReason, PANE_FORMS, type PaneReason } from "./message.ts";

/** One prompt, error, end of work or digest of which devices may be alerted. */
export type AlertState = {
  /** Monotonic seconds of the first pass with it. */
  since: number;
  /** The agent itself gives its question the priority high or critical. */
  isUrgent: boolean;
  /** Of the devices that may be alerted: those that were there when it was seen to begin. */
  progress: ReadonlyMap<string, Progress>;
} & ({ reason: PaneReason; card: ScreenCard } | { reason: DigestReason; card: null });
export type PaneAlert = Extract<AlertState, { card: ScreenCard }>;

export const isOfPane = (state: AlertState): state is PaneAlert => state.card !== null;

/** Its pane cannot be read at present: the prompt may be over, so nobody is alerted. */
export const cannotBeRead = ({ card }: AlertState): boolean => card?.pane.stale === true;

/** Per device. */
interface Progress {
  hold: AlertHold | null;
  /** Monotonic seconds. */
  alertedAt: number | null;
  isReminded: boolean;
  /** An alert was lost, and is due a second and last time. */
  isRepeated: boolean;
}

export const reasonOf = ({ need }: ScreenCard): PaneReason => PANE_FORMS[need.section].reason;

/** False for another prompt, error or end of work in the same pane. */
export const isSameOccasion = ({ reason, card }: PaneAlert, now: ScreenCard): boolean =>
  reason === reasonOf(now) && card.need.since === now.need.since;

export function newOccasion(devices: readonly string[], now: Moment) {
  const none = { hold: null, alertedAt: null, isReminded: false, isRepeated: false };
  const progress = new Map<string, Progress>(devices.map((id) => [id, { ...none }]));
  return { since: now.monotonic, isUrgent: false, progress };
}

export function noteAlert(state: AlertState, { id }: AlertDevice, now: Moment): void {
  const progress = state.progress.get(id);
  if (!progress) return;
  if (progress.alertedAt !== null) progress.isReminded = true;
  progress.alertedAt ??= now.monotonic;
  progress.hold = null;
}

/** Ends a hold that may have ended, by time or otherwise; one by a choice of the device stays. */
export function decideAgain({ hold }: Progress): void {
  if (hold && hold.at !== null && hold.why !== "lost") hold.at = -Infinity;
}

/** When to decide for a device (monotonic seconds); Infinity: never, or once the pane is read. */
export function readyAt(state: AlertState, device: AlertDevice): number {
  const { card, progress } = state;
  const known = progress.get(device.id);
  if (!known || cannotBeRead(state) || known.hold?.at === null) return Infinity;
  const heldUntil = known.hold?.at ?? -Infinity;
  if (known.alertedAt === null) return heldUntil;
  const { remind_minutes } = device.preferences;
  if (known.isReminded || remind_minutes === 0 || card === null) return Infinity;
  return Math.max(heldUntil, known.alertedAt + remind_minutes * 60);
}

/** Whether a usage limit has ended the turn of the pane's agent. */
export const isParked = ({ card }: PaneAlert): boolean => card.need.section === "parked";

/**
 * One alert for all agents that one limit stopped: `alerts` groups the due ones by limit, `covered`
 * are those of a limit of which the device was alerted already.
 */
export function groupParked(
  due: readonly PaneAlert[],
  all: Iterable<AlertState>,
  device: string,
): { alerts: PaneAlert[][]; covered: PaneAlert[] } {
  const alertedAt = ({ progress }: AlertState) => progress.get(device)?.alertedAt ?? null;
  const alerted = [...all]
    .filter(isOfPane)
    .filter((each) => isParked(each) && alertedAt(each) !== null);
  const alerts: PaneAlert[][] = [];
  const covered: PaneAlert[] = [];
  for (const state of due) {
    const isSame = (other: PaneAlert | undefined) =>
      other && isSameLimit(state.card.pane, other.card.pane, state.since - other.since);
    const group = alerts.find(([first]) => isSame(first));
    // A reminder is sent for each.
    if (alertedAt(state) === null && alerted.some(isSame)) covered.push(state);
    else if (group) group.push(state);
    else alerts.push([state]);
  }
  return { alerts, covered };
}
