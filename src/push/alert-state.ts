import { sha256 } from "../lib/digest.ts";
import type { PaneState } from "../protocol/pane.ts";
import type { AlertReason, Suppression } from "../protocol/push.ts";
import type { PaneSight } from "../terminal/transitions.ts";
import type { Device } from "./device.ts";

export type PaneReason = Extract<AlertReason, "needs_input" | "error" | "finished">;
/** Of no pane: nothing stands that could be handled. */
export type DigestReason = Exclude<AlertReason, PaneReason>;

/** One appearance of something that a person may want to hear of. */
export type AlertCause = {
  /** Another prompt, error or end of work in the same pane has another key. */
  key: string;
  /** Monotonic seconds of the pass that saw it first. */
  since: number;
  /** It happened while the pane was watched: only then may it alert. */
  isNews: boolean;
} & ({ reason: PaneReason; pane: PaneSight } | { reason: DigestReason; pane: null });

/** What stood before it was known is no news to it. */
export type AlertDevice = Pick<Device, "id" | "kind" | "preferences" | "knownSince"> & {
  isConfigured: boolean;
};

export interface AlertState {
  cause: AlertCause;
  /** An agent itself calls what it asks high or critical. */
  isUrgent: boolean;
  progress: Map<string, Progress>;
}

/** Why an alert is held back, and until when (monotonic seconds); null: whatever becomes of its cause. */
export interface HeldBack {
  why: Suppression | "lost";
  at: number | null;
}

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

/**
 * What of a pane's state may alert. What waits counts before what failed, and that before what has
 * ended. A pane that the settings hide says nothing.
 */
export function causeOf(pane: PaneSight): { reason: PaneReason; key: string } | null {
  if (!pane.isShown) return null;
  const { status, prompt_since, status_since, finished_at } = pane.state;
  if (status === "needs_input")
    return { reason: "needs_input", key: `needs_input ${prompt_since ?? status_since}` };
  if (status === "error") return { reason: "error", key: `error ${status_since}` };
  if (finished_at !== null) return { reason: "finished", key: `finished ${finished_at}` };
  return null;
}

const TAG_CHARS = 24;

/** Names a pane's notifications, so that the next takes the place of the one before. */
export function tagOf(identity: string): string {
  const digest = sha256(identity).toString("base64url");
  return `pane-${digest.slice(0, TAG_CHARS)}`;
}

export function progressOf({ progress }: AlertState, device: string): Progress {
  const known = progress.get(device);
  if (known) return known;
  const none = { held: null, alertedAt: null, isReminded: false, isRepeated: false };
  progress.set(device, none);
  return none;
}

/** When a device is to be decided on; Infinity: not any more. */
export function readyAt({ cause, progress }: AlertState, device: AlertDevice): number {
  if (!cause.isNews || cause.since < device.knownSince) return Infinity;
  const known = progress.get(device.id);
  if (!known) return -Infinity;
  if (known.held?.at === null) return Infinity;
  const heldUntil = known.held?.at ?? -Infinity;
  if (known.alertedAt === null) return heldUntil;
  const { remind_minutes } = device.preferences;
  if (known.isReminded || remind_minutes === 0 || cause.pane === null) return Infinity;
  return Math.max(heldUntil, known.alertedAt + remind_minutes * 60);
}

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
