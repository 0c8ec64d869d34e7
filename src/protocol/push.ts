import { z } from "zod";

/** Why an alert is sent; a device chooses among these. */
export const AlertReason = z.enum(["needs_input", "error", "finished", "quota", "review"]);
export type AlertReason = z.infer<typeof AlertReason>;

/** Why an alert was not sent. */
export const Suppression = z.enum([
  "reason_off",
  "cooldown",
  "dwell",
  "wait",
  "quiet_hours",
  "present",
  "muted",
  "batching",
  "parked",
  "gone",
  "not_configured",
]);
export type Suppression = z.infer<typeof Suppression>;

/** Body of `POST /api/push/register`; its handler checks the form of the token (400). */
export const RegisterRequest = z.object({
  token: z.string(),
  name: z.string(),
  platform: z.string().default("ios"),
  contextual: z.boolean().default(true),
});

export const PushInfo = z.object({
  /** All four settings of the native service are set. */
  configured: z.boolean(),
  /** The signing key can be used. */
  available: z.boolean(),
  enabled: z.boolean(),
  /** Native devices and browsers together. */
  devices: z.number(),
});
export type PushInfo = z.infer<typeof PushInfo>;

const ClockTime = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, "expected a time as 07:30");

export const QuietHours = z.object({
  /** `HH:MM` in `time_zone`; an end before the start is on the next day. */
  start: ClockTime,
  end: ClockTime,
  /** An IANA name such as `Europe/Berlin`. */
  time_zone: z.string().max(64).refine(isTimeZone, "unknown time zone"),
  /** Decisions that the agent itself calls high or critical are sent all the same. */
  urgent: z.boolean().default(true),
});
export type QuietHours = z.infer<typeof QuietHours>;

export const MutedPane = z.object({
  target: z.string().min(1).max(512),
  /** Epoch seconds; null: until a person changes it. */
  until: z.number().nullable(),
});
export type MutedPane = z.infer<typeof MutedPane>;

const MAX_MUTED = 200;
const MAX_MINUTES = 24 * 60;

export const Preferences = z.object({
  reasons: z.array(AlertReason).max(AlertReason.options.length),
  /** Minutes without an answer after which the alert is sent; 0: at once. */
  wait_minutes: z.number().min(0).max(MAX_MINUTES),
  /** Minutes from the alert to one reminder, if it still waits; 0: none. */
  remind_minutes: z.number().min(0).max(MAX_MINUTES),
  quiet: QuietHours.nullable(),
  muted: z.array(MutedPane).max(MAX_MUTED),
  /** Whether the text names the pane; used for Web Push alone. */
  details: z.enum(["none", "name"]),
  /** Whether the alert of a handled prompt is replaced by "Answered". */
  answered: z.boolean(),
});
export type Preferences = z.infer<typeof Preferences>;

/** The members that a person has chosen; the others are the defaults of the kind of device. */
export const ChosenPreferences = Preferences.partial();
export type ChosenPreferences = z.infer<typeof ChosenPreferences>;

/** A browser's `PushSubscription`. */
export const WebSubscription = z.object({
  endpoint: z.string().max(2000),
  keys: z.object({ p256dh: z.string().max(200), auth: z.string().max(100) }),
});
export type WebSubscription = z.infer<typeof WebSubscription>;

export const WebRegisterRequest = z.object({
  subscription: WebSubscription,
  name: z.string(),
  preferences: ChosenPreferences.optional(),
  /** Id of the device that this subscription replaces: its preferences stay. */
  replaces: z.string().max(64).optional(),
});
export type WebRegisterRequest = z.infer<typeof WebRegisterRequest>;
export const WebRegisterReply = z.object({
  ok: z.literal(true),
  id: z.string(),
  new: z.boolean(),
});
export type WebRegisterReply = z.infer<typeof WebRegisterReply>;

export const DeviceKind = z.enum(["apns", "web", "ntfy", "webhook"]);
export type DeviceKind = z.infer<typeof DeviceKind>;

/** Kinds that are set in the configuration instead of registered; their id is the kind. */
export const ConfiguredKind = DeviceKind.extract(["ntfy", "webhook"]);
export type ConfiguredKind = z.infer<typeof ConfiguredKind>;

export const LastDelivery = z.object({
  /** Epoch seconds. */
  at: z.number(),
  reason: z.string(),
  /** `accepted` by the push service; whether the device showed the alert is not known. */
  result: z.enum(["accepted", "failed", "gone"]),
  /** Status and reason of the push service. */
  detail: z.string(),
});
export type LastDelivery = z.infer<typeof LastDelivery>;

/** A device without its secrets: no token, and only the host of an endpoint. */
export const PushDevice = z.object({
  id: z.string(),
  kind: DeviceKind,
  name: z.string(),
  platform: z.string(),
  /** Epoch seconds; 0 for a device of the configuration. */
  added: z.number(),
  host: z.string(),
  last: LastDelivery.nullable(),
  /** Consecutive failures. */
  failures: z.number(),
  /** Epoch seconds when the push service called it gone, or null. */
  gone: z.number().nullable(),
  preferences: Preferences,
  /** Whether the asking grant registered it; absent from servers before grants. */
  mine: z.boolean().optional(),
});
export type PushDevice = z.infer<typeof PushDevice>;

export const DevicesReply = z.object({ devices: z.array(PushDevice) });
export type DevicesReply = z.infer<typeof DevicesReply>;

export const TestReply = z.object({
  ok: z.boolean(),
  result: LastDelivery.shape.result,
  detail: z.string(),
  /** Tag by which the service worker reports the test as shown. */
  tag: z.string(),
  at: z.number(),
});
export type TestReply = z.infer<typeof TestReply>;

export const AlertLogEntry = z.object({
  at: z.number(),
  /** Id of the pane; null for an alert without a pane. */
  pane: z.string().nullable(),
  reason: z.string(),
  device: z.string().nullable(),
  outcome: z.enum(["sent", "failed", "suppressed"]),
  /** For `suppressed` a `Suppression`, otherwise the answer of the push service. */
  why: z.string(),
});
export type AlertLogEntry = z.infer<typeof AlertLogEntry>;

export const AlertLogReply = z.object({ log: z.array(AlertLogEntry) });

export const WebPushCapability = z.object({
  version: z.number(),
  /** Whether alerts can be sent to browsers at present. */
  web_push: z.boolean(),
  ntfy: z.boolean(),
  /** The VAPID key for subscribing, base64url. */
  public_key: z.string(),
  /** Why a channel cannot be used, as sentences. */
  reasons: z.array(z.string()),
});

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    // A RangeError for an unknown name.
    return false;
  }
}
