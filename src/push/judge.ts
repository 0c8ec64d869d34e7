import type { AlertReason, DeviceKind, Preferences, Suppression } from "../protocol/push.ts";
import type { Moment } from "./occasion.ts";
import { isMuted, quietEnd } from "./preferences.ts";

/** A device as the decision sees it. */
export interface Listener {
  id: string;
  kind: DeviceKind;
  preferences: Preferences;
  /** Its channel can send at all. */
  isConfigured: boolean;
}

export interface AlertRules {
  /** Seconds in which one pane alerts a device only once. */
  cooldown: number;
  /** Seconds that a prompt must stand before it alerts on other channels than the native one. */
  dwell: number;
}

export interface Circumstances {
  reason: AlertReason;
  /** Null: it is of no pane, so that there is nothing to mute, to answer or to look at. */
  target: string | null;
  /** Monotonic seconds when it appeared. */
  since: number;
  device: Listener;
  rules: AlertRules;
  now: Moment;
  /** Monotonic seconds when this device was last alerted about this pane; null: never. */
  lastAlertAt: number | null;
  /** The device's own page is visible and shows the pane, or the queue. */
  isPresent: boolean;
  /** Review collects such alerts for its next window. */
  isBatched: boolean;
  /** An agent itself calls what it asks high or critical. */
  isUrgent: boolean;
}

export type Verdict =
  | { is: "due" }
  /** Not for this occasion, whatever becomes of it. */
  | { is: "never"; why: Suppression }
  /** To be looked at again then (monotonic seconds), if it still stands. */
  | { is: "later"; why: Suppression; at: number };

/** The wall clock may be set, and a machine that sleeps counts no monotonic time. */
const QUIET_AGAIN_SECONDS = 60;

/** Whether a device is alerted now, later or not at all, and why not. */
export function judge(c: Circumstances): Verdict {
  const { reason, target, since, device, rules, now, lastAlertAt, isUrgent } = c;
  const { preferences, kind } = device;
  if (!preferences.reasons.includes(reason)) return never("reason_off");
  if (!device.isConfigured) return never("not_configured");
  if (target !== null && isMuted(preferences, target, now.wall)) return never("muted");
  if (c.isBatched) return never("batching");
  const dwellEnd = target === null || kind === "apns" ? since : since + rules.dwell;
  if (now.monotonic < dwellEnd) return later("dwell", dwellEnd);
  const waitEnd = target === null ? since : since + preferences.wait_minutes * 60;
  if (now.monotonic < waitEnd) return later("wait", waitEnd);
  const cooldownEnd = lastAlertAt === null ? since : lastAlertAt + rules.cooldown;
  if (now.monotonic < cooldownEnd) return later("cooldown", cooldownEnd);
  const { quiet } = preferences;
  const quietUntil = isUrgent && quiet?.urgent === true ? null : quietEnd(quiet, now.wall);
  if (quietUntil !== null) {
    const seconds = Math.min(quietUntil - now.wall, QUIET_AGAIN_SECONDS);
    return later("quiet_hours", now.monotonic + seconds);
  }
  // Until `reconsider` says that its page is out of sight.
  if (c.isPresent) return later("present", Infinity);
  return { is: "due" };
}

function never(why: Suppression): Verdict {
  return { is: "never", why };
}

function later(why: Suppression, at: number): Verdict {
  return { is: "later", why, at };
}
