import type { DeviceKind, Preferences, Suppression } from "../protocol/push.ts";
import type { Occasion } from "./occasion.ts";
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
  /** Seconds that a prompt must stand before it is told on other channels than the native one. */
  dwell: number;
  /** Whether errors alert at all. */
  onError: boolean;
}

export interface Circumstances {
  occasion: Occasion;
  device: Listener;
  rules: AlertRules;
  at: number;
  /** When this device last heard of this pane; null: never. */
  heardAt: number | null;
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
  /** To be looked at again then, if it still stands. */
  | { is: "later"; why: Suppression; at: number };

/** Whether a device hears of an occasion now, later or not at all, and why not. */
export function judge(c: Circumstances): Verdict {
  const { occasion, device, rules, at, heardAt, isUrgent } = c;
  const { preferences } = device;
  const { reason, since } = occasion;
  if (reason === "error" && !rules.onError) return never("reason_off");
  if (!preferences.reasons.includes(reason)) return never("reason_off");
  if (!device.isConfigured) return never("not_configured");
  if (isMuted(preferences, occasion.pane.target, at)) return never("muted");
  if (c.isBatched) return never("batching");
  const dwellEnd = device.kind === "apns" ? since : since + rules.dwell;
  if (at < dwellEnd) return later("dwell", dwellEnd);
  const waitEnd = since + preferences.wait_minutes * 60;
  if (at < waitEnd) return later("wait", waitEnd);
  // A clock that was set back must not hold alerts for longer than the cooldown.
  const cooldownEnd = heardAt === null ? at : Math.min(heardAt, at) + rules.cooldown;
  if (at < cooldownEnd) return later("cooldown", cooldownEnd);
  const { quiet } = preferences;
  const quietUntil = isUrgent && quiet?.urgent === true ? null : quietEnd(quiet, at);
  if (quietUntil !== null) return later("quiet_hours", quietUntil);
  if (c.isPresent) return never("present");
  return { is: "due" };
}

function never(why: Suppression): Verdict {
  return { is: "never", why };
}

function later(why: Suppression, at: number): Verdict {
  return { is: "later", why, at };
}
