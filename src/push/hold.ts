import type { Moment } from "../lib/clock.ts";
import type { PaneState } from "../protocol/pane.ts";
import type { AlertReason, Preferences, QuietHours, Suppression } from "../protocol/push.ts";
import type { Device } from "./device.ts";

export interface AlertRules {
  cooldown: number;
  /** Seconds that a prompt must stand before it alerts, except on the native channel. */
  dwell: number;
}

export interface HoldDeps {
  rules: AlertRules;
  isPresent: (device: string, paneId: string) => boolean;
  /** Whether alerts of this reason are collected for the review at present. */
  isBatched: (reason: AlertReason) => boolean;
}

export type AlertDevice = Pick<Device, "id" | "kind" | "preferences"> & { isConfigured: boolean };

/** Without a card there is no pane to mute, to answer or to look at. */
interface AlertSubject {
  reason: AlertReason;
  card: { pane: Pick<PaneState, "id" | "target"> } | null;
  /** Monotonic seconds. */
  since: number;
  /** The agent itself gives its question the priority high or critical. */
  isUrgent: boolean;
}

/** Why an alert is held back. */
export interface AlertHold<Why = Suppression | "lost"> {
  why: Why;
  /**
   * When to decide again (monotonic seconds); Infinity: once `reconsider` or an urgent decision
   * asks for it; null: never for this occasion.
   */
  at: number | null;
}

/** Quiet hours are checked so often: the wall clock may be set, and sleep is no monotonic time. */
const QUIET_AGAIN_SECONDS = 60;

/** Why a device is not alerted now; null: it may be. */
export function findHold(
  { reason, card, since, isUrgent }: AlertSubject,
  { id, kind, preferences, isConfigured }: AlertDevice,
  { rules, isPresent, isBatched }: HoldDeps,
  { now, lastAlertAt = null }: { now: Moment; lastAlertAt?: number | null },
): AlertHold<Suppression> | null {
  const pane = card?.pane ?? null;
  const { dwell, cooldown } = rules;
  if (!preferences.reasons.includes(reason)) return { why: "reason_off", at: null };
  if (!isConfigured) return { why: "not_configured", at: null };
  if (pane !== null && isMuted(preferences, pane.target, now.at)) return { why: "muted", at: null };
  if (!isUrgent && isBatched(reason)) return { why: "batching", at: Infinity };
  const waits = [
    { why: "dwell", at: pane === null || kind === "apns" ? since : since + dwell },
    { why: "wait", at: pane === null ? since : since + preferences.wait_minutes * 60 },
    { why: "cooldown", at: lastAlertAt === null ? since : lastAlertAt + cooldown },
  ] as const;
  const wait = waits.find(({ at }) => now.monotonic < at);
  if (wait) return wait;
  const { quiet } = preferences;
  const quietUntil = isUrgent && quiet?.urgent === true ? null : quietEnd(quiet, now.at);
  if (quietUntil !== null) {
    const seconds = Math.min(quietUntil - now.at, QUIET_AGAIN_SECONDS);
    return { why: "quiet_hours", at: now.monotonic + seconds };
  }
  // Until the page is hidden: then `reconsider` is called.
  return pane !== null && isPresent(id, pane.id) ? { why: "present", at: Infinity } : null;
}

/** Whether alerts about this target are muted at this time (epoch seconds). */
function isMuted({ muted }: Preferences, target: string, at: number): boolean {
  return muted.some((pane) => pane.target === target && (pane.until === null || at < pane.until));
}

/**
 * The end of the quiet hours at `at` (epoch seconds); null outside of them, and where start and end
 * are equal. They end by the wall clock: a night with a clock change is an hour longer or shorter.
 */
export function quietEnd(quiet: QuietHours | null, at: number): number | null {
  if (!quiet) return null;
  const { start, end, time_zone } = quiet;
  const instant = Temporal.Instant.fromEpochMilliseconds(Math.floor(at * 1000));
  const now = instant.toZonedDateTimeISO(time_zone);
  const wall = now.toPlainTime().toString({ smallestUnit: "minute" });
  const [hasBegun, hasEnded] = [start <= wall, end <= wall];
  if (start <= end ? !hasBegun || hasEnded : !hasBegun && hasEnded) return null;
  const day = now.toPlainDate().add({ days: hasEnded ? 1 : 0 });
  const endOf = (disambiguation: "earlier" | "later") =>
    day.toPlainDateTime(end).toZonedDateTime(time_zone, { disambiguation }).epochMilliseconds /
    1000;
  // On the day of a clock change that time may occur twice, or never.
  return endOf("earlier") > at ? endOf("earlier") : endOf("later");
}
