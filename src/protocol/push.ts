import { z } from "zod";

/** What an alert is about; a device chooses which of them it wants. */
export const AlertReason = z.enum(["needs_input", "error", "finished", "quota", "review"]);
export type AlertReason = z.infer<typeof AlertReason>;

/** Why an alert that was looked at was not sent. */
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

/** Body of `POST /api/push/register`; what the token may be is checked behind the schema (400). */
export const RegisterRequest = z.object({
  token: z.string(),
  name: z.string(),
  platform: z.string().default("ios"),
  contextual: z.boolean().default(true),
});

export const PushInfo = z.object({
  /** All four settings of the native service are there. */
  configured: z.boolean(),
  /** The signing key can be used. */
  available: z.boolean(),
  enabled: z.boolean(),
  /** Native and web ones together. */
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
  /** Decisions that the agent itself calls high or critical come all the same. */
  urgent: z.boolean().default(true),
});
export type QuietHours = z.infer<typeof QuietHours>;

export const MutedPane = z.object({
  target: z.string().min(1).max(512),
  /** Epoch seconds; null: until it is changed. */
  until: z.number().nullable(),
});
export type MutedPane = z.infer<typeof MutedPane>;

const MAX_MUTED = 200;
const MAX_MINUTES = 24 * 60;

export const Preferences = z.object({
  reasons: z.array(AlertReason).max(AlertReason.options.length),
  /** Minutes after which the alert goes out if nobody has answered; 0: at once. */
  wait_minutes: z.number().min(0).max(MAX_MINUTES),
  /** One reminder if it still waits so long after the alert; 0: none. */
  remind_minutes: z.number().min(0).max(MAX_MINUTES),
  quiet: QuietHours.nullable(),
  muted: z.array(MutedPane).max(MAX_MUTED),
  /** Whether the pane's name may be in the text; read for Web Push alone. */
  details: z.enum(["none", "name"]),
  /** Whether a prompt that was handled is told as "Answered" in the place of its alert. */
  answered: z.boolean(),
});
export type Preferences = z.infer<typeof Preferences>;

/** Only what a person has chosen; the rest is what holds for the kind of device. */
export const ChosenPreferences = Preferences.partial();
export type ChosenPreferences = z.infer<typeof ChosenPreferences>;

/** What a browser's `PushSubscription` says of itself. */
export const WebSubscription = z.object({
  endpoint: z.string().max(2000),
  keys: z.object({ p256dh: z.string().max(200), auth: z.string().max(100) }),
});
export type WebSubscription = z.infer<typeof WebSubscription>;

export const WebRegisterRequest = z.object({
  subscription: WebSubscription,
  name: z.string(),
  preferences: ChosenPreferences.optional(),
  /** The device that this subscription takes the place of: its preferences stay. */
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

/** Kinds that stand in the configuration: no registration, and an id that is the kind. */
export const ConfiguredKind = DeviceKind.extract(["ntfy", "webhook"]);
export type ConfiguredKind = z.infer<typeof ConfiguredKind>;

export const LastDelivery = z.object({
  /** Epoch seconds. */
  at: z.number(),
  reason: z.string(),
  /** `accepted` by the push service: whether the device showed it is not known. */
  result: z.enum(["accepted", "failed", "gone"]),
  /** What the push service said: a status and its reason. */
  detail: z.string(),
});
export type LastDelivery = z.infer<typeof LastDelivery>;

/** A device as everybody may see it: no token, of an endpoint only its host. */
export const PushDevice = z.object({
  id: z.string(),
  kind: DeviceKind,
  name: z.string(),
  platform: z.string(),
  /** Epoch seconds; 0 for what stands in the configuration file. */
  added: z.number(),
  host: z.string(),
  last: LastDelivery.nullable(),
  /** In a row. */
  failures: z.number(),
  /** Epoch seconds of when the push service said that it is gone, or null. */
  gone: z.number().nullable(),
  preferences: Preferences,
  /** Whether who asks has registered it; absent from servers before grants. */
  mine: z.boolean().optional(),
});
export type PushDevice = z.infer<typeof PushDevice>;

export const DevicesReply = z.object({ devices: z.array(PushDevice) });
export type DevicesReply = z.infer<typeof DevicesReply>;

export const TestReply = z.object({
  ok: z.boolean(),
  result: LastDelivery.shape.result,
  detail: z.string(),
  /** Names the test to the service worker, which reports it as shown. */
  tag: z.string(),
  at: z.number(),
});
export type TestReply = z.infer<typeof TestReply>;

export const AlertLogEntry = z.object({
  at: z.number(),
  /** Id of the pane; null where the alert is of none. */
  pane: z.string().nullable(),
  reason: z.string(),
  /** Null where no device was looked at. */
  device: z.string().nullable(),
  outcome: z.enum(["sent", "failed", "suppressed"]),
  /** Of a suppressed one a `Suppression`, else what the push service said. */
  why: z.string(),
});
export type AlertLogEntry = z.infer<typeof AlertLogEntry>;

export const AlertLogReply = z.object({ log: z.array(AlertLogEntry) });

export const WebPushCapability = z.object({
  version: z.number(),
  /** Whether anything could be sent to browsers at present. */
  web_push: z.boolean(),
  ntfy: z.boolean(),
  /** The VAPID key that a page subscribes with, base64url. */
  public_key: z.string(),
  /** Why a channel cannot be used, as sentences. */
  reasons: z.array(z.string()),
});

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    // The constructor throws a RangeError for a name that it does not know.
    return false;
  }
}
