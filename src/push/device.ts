// Devices as stored in their file, and changes of them as pure functions.
import { randomBytes } from "node:crypto";
import { z } from "zod";
import { AppError } from "../errors.ts";
import {
  ChosenPreferences,
  type ConfiguredKind,
  DeviceKind,
  LastDelivery,
  type Preferences,
  type PushDevice,
  WebSubscription,
} from "../protocol/push.ts";
import { ShownNotification } from "./message.ts";

export const DEVICES_FILE = "panewatch-push.json";
const VERSION = 1;

/** All members but the address may be absent in a file that somebody else wrote. */
const Shared = z.object({
  preferences: ChosenPreferences.optional().catch(undefined),
  last: LastDelivery.nullable().catch(null).default(null),
  /** Consecutive failures. */
  failures: z.number().default(0),
});

const Registered = z.object({
  ...Shared.shape,
  id: z.string().default(() => randomBytes(8).toString("hex")),
  name: z.string().default(""),
  added: z.number().default(0),
  /** Key of the grant that registered it: its alerts end with this grant. */
  grant: z.string().default(""),
  /** Epoch seconds when the push service called it gone. */
  gone: z.number().nullable().default(null),
});

export const NativeRecord = z.object({
  ...Registered.shape,
  kind: z.literal("apns").default("apns"),
  token: z.string(),
  platform: z.string().default("ios"),
  contextual: z.boolean().default(true),
});

export const WebRecord = z.object({
  ...Registered.shape,
  kind: z.literal("web").default("web"),
  platform: z.string().default("web"),
  subscription: WebSubscription.refine(({ endpoint }) => URL.canParse(endpoint)),
  origin: z.string().default(""),
});

/** Of the configuration: nobody registered it. */
const configured = (kind: ConfiguredKind) =>
  Shared.loose()
    .catch({ last: null, failures: 0 })
    .transform((saved) => ({
      ...saved,
      ...{ kind, id: kind, name: kind, platform: kind, added: 0, grant: null, gone: null },
    }));

export type NativeRecord = z.infer<typeof NativeRecord>;
export type WebRecord = z.infer<typeof WebRecord>;
export type RegisteredRecord = NativeRecord | WebRecord;
type ConfiguredRecord = Omit<WebRecord, "kind" | "grant" | "subscription" | "origin"> & {
  kind: ConfiguredKind;
  grant: null;
};
export type DeviceRecord = RegisteredRecord | ConfiguredRecord;

/** A record whose preferences are whole. */
export type Device = { readonly preferences: Preferences } & (
  | Omit<NativeRecord, "preferences">
  | Omit<WebRecord, "preferences">
  | Omit<ConfiguredRecord, "preferences">
);

export interface DeviceFile {
  records: DeviceRecords;
  /** Notifications that devices show until their cause ends. */
  notices: readonly ShownNotification[];
  /** Parts of the file that are not understood, written back unchanged. */
  unrecognized: { members: Record<string, unknown>; devices: unknown[]; web: unknown[] };
}

/** Also reads a bare `{devices: […]}` of another version. */
export const DeviceFile = z
  .looseObject({
    devices: z.array(z.unknown()).default([]),
    web: z.array(z.unknown()).default([]),
    ntfy: configured("ntfy"),
    webhook: configured("webhook"),
    notices: z.array(ShownNotification).catch([]).default([]),
  })
  .transform((file): DeviceFile => {
    const { devices, web, ntfy, webhook, notices, version: _version, ...members } = file;
    const natives = parseEach(devices, NativeRecord.loose());
    const browsers = parseEach(web, WebRecord.loose());
    return {
      records: [...natives.parsed, ...browsers.parsed, ntfy, webhook],
      notices,
      unrecognized: { members, devices: natives.rejected, web: browsers.rejected },
    };
  });

export function renderDeviceFile({ records, notices, unrecognized }: DeviceFile): unknown {
  const of = (kind: DeviceKind) => records.filter((record) => record.kind === kind);
  return {
    version: VERSION,
    devices: [...of("apns"), ...unrecognized.devices],
    web: [...of("web"), ...unrecognized.web],
    ntfy: of("ntfy")[0],
    webhook: of("webhook")[0],
    notices,
    ...unrecognized.members,
  };
}

function parseEach<T>(list: readonly unknown[], schema: z.ZodType<T>) {
  const parsed: T[] = [];
  const rejected: unknown[] = [];
  for (const item of list) {
    const result = schema.safeParse(item);
    if (result.success) parsed.push(result.data);
    else rejected.push(item);
  }
  return { parsed, rejected };
}

export type Addressed =
  | Pick<NativeRecord, "kind" | "token">
  | Pick<WebRecord, "kind" | "subscription">
  | Pick<ConfiguredRecord, "kind">;

/** Where it is reached; null for a device of the configuration. */
export function addressOf(record: Addressed): string | null {
  if (record.kind === "apns") return record.token;
  return record.kind === "web" ? record.subscription.endpoint : null;
}

export const isReachable = ({ gone }: Pick<DeviceRecord, "gone">): boolean => gone === null;

/**
 * A device without token and endpoint.
 * @param hosts of the kinds without an endpoint
 * @param asks key of the grant that asks
 */
export function publicDevice(
  device: Device,
  hosts: Readonly<Record<Exclude<DeviceKind, "web">, string>>,
  asks: string,
): PushDevice {
  const { id, kind, name, platform, added, gone, last, failures, preferences } = device;
  const host = kind === "web" ? new URL(device.subscription.endpoint).host : hosts[kind];
  const mine = device.grant === asks;
  return { id, kind, name, platform, added, gone, last, failures, preferences, host, mine };
}

export const MAX_DEVICES = 50;
/** Of a grant below `own`, which is one phone or browser: it must not take the places of others. */
export const MAX_OF_GRANT = 5;
const GONE_LISTED_SECONDS = 30 * 24 * 3600;

export type DeviceRecords = readonly DeviceRecord[];

/** Gives the same list where no record changes; `change` gives null to remove one. */
export function mapRecords(
  records: DeviceRecords,
  change: (record: DeviceRecord) => DeviceRecord | null,
): DeviceRecords {
  const changed = records.flatMap((record) => change(record) ?? []);
  return records.every((record, index) => record === changed[index]) ? records : changed;
}

/**
 * The chosen preferences over the defaults of the kind of device: no device is alerted of finished
 * work unless it chose so, and no native app of handled prompts.
 */
export function preferencesWith(
  kind: DeviceKind,
  { onError }: { onError: boolean },
  chosen?: ChosenPreferences,
): Preferences {
  const defaults: Preferences = {
    reasons: ["needs_input", ...(onError ? (["error"] as const) : []), "quota", "review"],
    wait_minutes: 0,
    remind_minutes: 0,
    quiet: null,
    muted: [],
    details: "none",
    answered: kind === "web" || kind === "webhook",
  };
  return Object.assign(defaults, chosen);
}

/** Moves mutes of panes to their new targets. */
export function retargetMutes(
  record: DeviceRecord,
  targets: ReadonlyMap<string, string>,
): DeviceRecord {
  const { muted } = record.preferences ?? {};
  if (!muted?.some(({ target }) => targets.has(target))) return record;
  const now = muted.map((one) => ({ ...one, target: targets.get(one.target) ?? one.target }));
  return { ...record, preferences: { ...record.preferences, muted: now } };
}

/**
 * Limits stored times to `now` (epoch seconds), and drops devices that are gone for long.
 * @param owner key of the grant that registered the devices of releases before grants
 */
export function normalizeTimes(records: DeviceRecords, now: number, owner: string): DeviceRecords {
  return mapRecords(records, (record) => {
    if (record.grant === null) return record;
    const gone = record.gone && Math.min(record.gone, now);
    if (gone !== null && gone <= now - GONE_LISTED_SECONDS) return null;
    return { ...record, gone, added: Math.min(record.added, now), grant: record.grant || owner };
  });
}

/** Without those of the configuration. */
export function reachableIn(records: DeviceRecords): number {
  return records.filter((record) => record.grant !== null && isReachable(record)).length;
}

/**
 * Adds a record, or replaces `known` by it.
 * @param most of the record's grant; beyond it, its oldest ones that are gone are listed no more
 * @throws AppError conflict when there are too many
 */
export function withRecord(
  records: DeviceRecords,
  known: DeviceRecord | undefined,
  record: RegisteredRecord,
  most: number,
): DeviceRecords {
  const own = records.filter((one) => one.grant === record.grant);
  const needsRoom = known === undefined || !isReachable(known);
  const isFull = reachableIn(own) >= most || reachableIn(records) >= MAX_DEVICES;
  if (needsRoom && isFull)
    throw new AppError(
      "conflict",
      `cannot register the device: at most ${most} of one grant, ${MAX_DEVICES} in all: remove one first`,
    );
  if (known) return records.map((one) => (one === known ? record : one));
  const gone = own.filter((one) => !isReachable(one));
  const surplus = gone.slice(0, Math.max(0, own.length + 1 - most));
  return [...records.filter((one) => !surplus.includes(one)), record];
}
