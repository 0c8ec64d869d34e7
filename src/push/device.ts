// Devices as their file has them, before and after a change: nothing is read or written here.
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

const NONE = { last: null, failures: 0 };

/** All but the address may be absent in a file of another hand. */
const Shared = z.object({
  preferences: ChosenPreferences.optional().catch(undefined),
  last: LastDelivery.nullable().catch(null).default(null),
  /** In a row. */
  failures: z.number().default(0),
});

const Registered = z.object({
  ...Shared.shape,
  id: z.string().default(() => randomBytes(8).toString("hex")),
  name: z.string().default(""),
  added: z.number().default(0),
  /** Key of the grant that registered it: its alerts end with that. */
  grant: z.string().default(""),
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
  subscription: WebSubscription.refine(({ endpoint }) => URL.canParse(endpoint)),
  origin: z.string().default(""),
  /** Epoch seconds since when the push service knows it no more. */
  gone: z.number().nullable().default(null),
});

const TopicRecord = Shared.loose().catch(NONE).default(NONE);

export type NativeRecord = z.infer<typeof NativeRecord>;
export type WebRecord = z.infer<typeof WebRecord>;
export type RegisteredRecord = NativeRecord | WebRecord;
type ConfiguredRecord = z.infer<typeof Shared> & { kind: ConfiguredKind; id: string };
export type DeviceRecord = RegisteredRecord | ConfiguredRecord;

/** One device with what its channel needs to reach it; replaced whole by each change. */
export interface Device {
  readonly id: string;
  readonly kind: DeviceKind;
  readonly record: DeviceRecord;
  readonly preferences: Preferences;
  /** Monotonic seconds; -Infinity: before the start of the service. */
  readonly knownSince: number;
  readonly deliveries: Readonly<Pick<DeviceRecord, "last" | "failures">>;
}

export interface DeviceFile {
  records: DeviceRecord[];
  /** Notifications that still have to vanish. */
  notices: readonly ShownNotification[];
  /** What is in the file and not understood: kept as it is. */
  kept: { members: Record<string, unknown>; devices: unknown[]; web: unknown[] };
}

/** A bare `{devices: […]}` of another version is one too. */
export const DeviceFile = z
  .looseObject({
    devices: z.array(z.unknown()).default([]),
    web: z.array(z.unknown()).default([]),
    ntfy: TopicRecord,
    webhook: TopicRecord,
    notices: z.array(ShownNotification).catch([]).default([]),
  })
  .transform((file): DeviceFile => {
    const { devices, web, ntfy, webhook, notices, version: _version, ...members } = file;
    const natives = sort(devices, NativeRecord.loose());
    const browsers = sort(web, WebRecord.loose());
    const topics = [
      { ...ntfy, kind: "ntfy" as const, id: "ntfy" },
      { ...webhook, kind: "webhook" as const, id: "webhook" },
    ];
    return {
      records: [...natives.known, ...browsers.known, ...topics],
      notices,
      kept: { members, devices: natives.strange, web: browsers.strange },
    };
  });

export function renderDeviceFile({ records, notices, kept }: DeviceFile): unknown {
  const of = (kind: DeviceKind) => records.filter((record) => record.kind === kind);
  return {
    version: VERSION,
    devices: [...of("apns"), ...kept.devices],
    web: [...of("web"), ...kept.web],
    ntfy: of("ntfy")[0],
    webhook: of("webhook")[0],
    notices,
    ...kept.members,
  };
}

function sort<T>(list: readonly unknown[], schema: z.ZodType<T>) {
  const known: T[] = [];
  const strange: unknown[] = [];
  for (const item of list) {
    const parsed = schema.safeParse(item);
    if (parsed.success) known.push(parsed.data);
    else strange.push(item);
  }
  return { known, strange };
}

export const isTopic = (record: DeviceRecord): record is ConfiguredRecord =>
  record.kind === "ntfy" || record.kind === "webhook";

/** Null for what stands in the configuration. */
export const grantOf = ({ record }: Pick<Device, "record">): string | null =>
  isTopic(record) ? null : record.grant;

const isGone = (record: DeviceRecord): boolean => record.kind === "web" && record.gone !== null;

export const isReachable = ({ record }: Pick<Device, "record">): boolean => !isGone(record);

/** Without token and endpoint. `hosts` are those without an endpoint; `asks` is the key of who asks. */
export function publicDevice(
  device: Device,
  hosts: Readonly<Record<Exclude<DeviceKind, "web">, string>>,
  asks: string,
): PushDevice {
  const { id, record, preferences, deliveries } = device;
  const { last, failures } = deliveries;
  const mine = grantOf(device) === asks;
  const shared = { id, kind: record.kind, last, failures, preferences, gone: null, mine };
  if (isTopic(record)) {
    const { kind } = record;
    return { ...shared, name: kind, platform: kind, added: 0, host: hosts[kind] };
  }
  const { name, added } = record;
  if (record.kind === "apns")
    return { ...shared, name, platform: record.platform, added, host: hosts.apns };
  const { host } = new URL(record.subscription.endpoint);
  return { ...shared, name, platform: "web", added, host, gone: record.gone };
}

export const MAX_DEVICES = 50;
const GONE_LISTED_SECONDS = 30 * 24 * 3600;

/** The same object where no record changes. */
export function mapRecords(
  content: DeviceFile,
  change: (record: DeviceRecord) => DeviceRecord,
): DeviceFile {
  const records = content.records.map(change);
  const isSame = records.every((record, index) => record === content.records[index]);
  return isSame ? content : { ...content, records };
}

/** With the mutes of panes at the targets that these have now. */
export function retargeted(content: DeviceFile, targets: ReadonlyMap<string, string>): DeviceFile {
  return mapRecords(content, (record) => {
    const { muted } = record.preferences ?? {};
    if (!muted?.some(({ target }) => targets.has(target))) return record;
    const now = muted.map((one) => ({ ...one, target: targets.get(one.target) ?? one.target }));
    return { ...record, preferences: { ...record.preferences, muted: now } };
  });
}

/**
 * What was saved, at this time (epoch seconds): a time that lies in the future counts as now. `owner`
 * has registered what releases before grants have written.
 */
export function asOf(content: DeviceFile, now: number, owner: string): DeviceFile {
  const records = content.records.flatMap((record): DeviceRecord[] => {
    if (isTopic(record)) return [record];
    const past = { added: Math.min(record.added, now), grant: record.grant || owner };
    if (record.kind === "apns") return [{ ...record, ...past }];
    const gone = record.gone && Math.min(record.gone, now);
    const isListed = gone === null || gone > now - GONE_LISTED_SECONDS;
    return isListed ? [{ ...record, ...past, gone }] : [];
  });
  return { ...content, records };
}

export function reachableIn({ records }: DeviceFile): number {
  return records.filter((record) => !isTopic(record) && !isGone(record)).length;
}

/**
 * With a new record, or the one that takes the place of `known`.
 * @throws AppError conflict when there are too many
 */
export function withRecord(
  content: DeviceFile,
  known: DeviceRecord | undefined,
  record: DeviceRecord,
): DeviceFile {
  const needsRoom = known === undefined || isGone(known);
  if (needsRoom && reachableIn(content) >= MAX_DEVICES)
    throw new AppError(
      "conflict",
      `cannot register the device: ${MAX_DEVICES} are registered already, remove one first`,
    );
  if (known === undefined) return { ...content, records: [...content.records, record] };
  return mapRecords(content, (one) => (one === known ? record : one));
}
