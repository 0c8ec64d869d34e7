// The list of devices before and after a change: values to values, nothing is read or written.
import { randomBytes } from "node:crypto";
import { z } from "zod";
import { AppError } from "../errors.ts";
import {
  ChosenPreferences,
  CONFIGURED_KINDS,
  type DeviceKind,
  LastDelivery,
  type Preferences,
  type PushDevice,
  WebSubscription,
} from "../protocol/push.ts";
import { ShownNotification } from "./message.ts";

/** What the push service said of its last alert, and how many have failed in a row. */
export interface DeliveryRecord {
  last: LastDelivery | null;
  failures: number;
}

/** One registered device with what its channel needs to reach it; replaced whole by each change. */
export type Device = {
  readonly id: string;
  readonly preferences: Preferences;
  /** Monotonic seconds; -Infinity: before the start of the service. */
  readonly knownSince: number;
  readonly deliveries: Readonly<DeliveryRecord>;
} & (
  | { readonly kind: "apns"; readonly record: Readonly<NativeRecord> }
  | { readonly kind: "web"; readonly record: Readonly<WebRecord> }
  | { readonly kind: "ntfy"; readonly record: Readonly<TopicRecord> }
  | { readonly kind: "webhook"; readonly record: Readonly<TopicRecord> }
);

export function isReachable(device: Device): boolean {
  return device.kind !== "web" || device.record.gone === null;
}

/** Key of the grant that registered it; null for what stands in the configuration. */
export function grantOf(device: Device): string | null {
  return device.kind === "apns" || device.kind === "web" ? device.record.grant : null;
}

/** Without token and endpoint: what everybody may see; `asks` is the key of who does. `hosts` are those without an endpoint. */
export function publicDevice(
  device: Device,
  hosts: Readonly<Record<Exclude<DeviceKind, "web">, string>>,
  asks: string,
): PushDevice {
  const { kind, id, record, preferences } = device;
  const { last, failures } = device.deliveries;
  const mine = grantOf(device) === asks;
  const shared = { id, kind, last, failures, preferences, gone: null, mine };
  if (kind === "ntfy" || kind === "webhook")
    return { ...shared, name: kind, platform: kind, added: 0, host: hosts[kind] };
  const { name, added } = record;
  if (kind === "apns")
    return { ...shared, name, platform: record.platform, added, host: hosts.apns };
  const { host } = new URL(record.subscription.endpoint);
  return { ...shared, name, platform: "web", added, host, gone: record.gone };
}

export const DEVICES_FILE = "panewatch-push.json";
const VERSION = 1;

/** What both kinds of devices have; all but the address may be absent in a file of another hand. */
const Shared = z.object({
  id: z.string().default(newId),
  name: z.string().default(""),
  added: z.number().default(0),
  preferences: ChosenPreferences.optional().catch(undefined),
  last: LastDelivery.nullable().catch(null).default(null),
  failures: z.number().default(0),
  /** Key of the grant that registered it: its alerts end with that. */
  grant: z.string().default(""),
});

const NativeRecord = z.looseObject({
  ...Shared.shape,
  token: z.string(),
  platform: z.string().default("ios"),
  contextual: z.boolean().default(true),
});

const WebRecord = z.looseObject({
  ...Shared.shape,
  subscription: WebSubscription.refine(({ endpoint }) => URL.canParse(endpoint)),
  origin: z.string().default(""),
  /** Epoch seconds since when the push service knows it no more. */
  gone: z.number().nullable().default(null),
});

const TopicRecord = z.looseObject({
  preferences: ChosenPreferences.optional().catch(undefined),
  last: LastDelivery.nullable().catch(null).default(null),
  failures: z.number().default(0),
});

type NativeRecord = z.infer<typeof NativeRecord>;
export type WebRecord = z.infer<typeof WebRecord>;
type TopicRecord = z.infer<typeof TopicRecord>;

export interface DeviceFile {
  devices: NativeRecord[];
  web: WebRecord[];
  ntfy: TopicRecord;
  webhook: TopicRecord;
  /** Notifications that still have to vanish. */
  notices: ShownNotification[];
  /** What is in the file and not understood: kept as it is. */
  kept: { members: Record<string, unknown>; devices: unknown[]; web: unknown[] };
}

const NONE = { last: null, failures: 0 };

const File = z.looseObject({
  devices: z.array(z.unknown()).default([]),
  web: z.array(z.unknown()).default([]),
  ntfy: TopicRecord.catch(NONE).default(NONE),
  webhook: TopicRecord.catch(NONE).default(NONE),
  notices: z.array(ShownNotification).catch([]).default([]),
});

/** A bare `{devices: […]}` of another version is one too. */
export const DeviceFile = File.transform((file): DeviceFile => {
  const { devices, web, ntfy, webhook, notices, version: _version, ...members } = file;
  const natives = sort(devices, NativeRecord);
  const browsers = sort(web, WebRecord);
  return {
    devices: natives.known,
    web: browsers.known,
    ntfy,
    webhook,
    notices,
    kept: { members, devices: natives.strange, web: browsers.strange },
  };
});

export function renderDeviceFile(file: DeviceFile): unknown {
  const { devices, web, ntfy, webhook, notices, kept } = file;
  return {
    version: VERSION,
    devices: [...devices, ...kept.devices],
    web: [...web, ...kept.web],
    ntfy,
    webhook,
    notices,
    ...kept.members,
  };
}

export function newId(): string {
  return randomBytes(8).toString("hex");
}

function sort<T extends z.ZodType>(
  list: readonly unknown[],
  schema: T,
): { known: z.infer<T>[]; strange: unknown[] } {
  const known: z.infer<T>[] = [];
  const strange: unknown[] = [];
  for (const item of list) {
    const parsed = schema.safeParse(item);
    if (parsed.success) known.push(parsed.data);
    else strange.push(item);
  }
  return { known, strange };
}

export const MAX_DEVICES = 50;
const GONE_LISTED_SECONDS = 30 * 24 * 3600;

interface Choosing {
  preferences?: ChosenPreferences | undefined;
}

/** With these choices of the device, beside those that it made before. */
export function withPreferences(
  content: DeviceFile,
  id: string,
  chosen: ChosenPreferences,
): DeviceFile {
  const given = <T extends Choosing>(record: T): T => ({
    ...record,
    preferences: { ...record.preferences, ...chosen },
  });
  const kind = CONFIGURED_KINDS.find((one) => one === id);
  if (kind !== undefined) return { ...content, [kind]: given(content[kind]) };
  const of = <T extends Choosing & { id: string }>(record: T): T =>
    record.id === id ? given(record) : record;
  return { ...content, devices: content.devices.map(of), web: content.web.map(of) };
}

/** With the mutes of panes at the targets that these have now; the same object where none moved. */
export function retargeted(content: DeviceFile, targets: ReadonlyMap<string, string>): DeviceFile {
  const moved = <T extends Choosing>(record: T): T => {
    const { muted } = record.preferences ?? {};
    if (!muted?.some(({ target }) => targets.has(target))) return record;
    const now = muted.map((one) => ({ ...one, target: targets.get(one.target) ?? one.target }));
    return { ...record, preferences: { ...record.preferences, muted: now } };
  };
  const { devices, web, ntfy, webhook } = content;
  const all = [...devices, ...web, ntfy, webhook];
  if (!all.some((record) => moved(record) !== record)) return content;
  return {
    ...content,
    devices: devices.map(moved),
    web: web.map(moved),
    ntfy: moved(ntfy),
    webhook: moved(webhook),
  };
}

/**
 * What was saved, at this time (epoch seconds): a time that lies in the future counts as now. `owner`
 * has registered what releases before grants have written.
 */
export function asOf(content: DeviceFile, now: number, owner: string): DeviceFile {
  const past = <T extends { added: number; grant: string }>(record: T): T => ({
    ...record,
    added: Math.min(record.added, now),
    grant: record.grant || owner,
  });
  const web = content.web.map((record) => ({
    ...past(record),
    gone: record.gone && Math.min(record.gone, now),
  }));
  const isListed = ({ gone }: WebRecord) => gone === null || gone > now - GONE_LISTED_SECONDS;
  return { ...content, devices: content.devices.map(past), web: web.filter(isListed) };
}

/** How many native and web devices can still be reached. */
export function reachableIn({ devices, web }: DeviceFile): number {
  return devices.length + web.filter(({ gone }) => gone === null).length;
}

/** @throws AppError conflict when there are too many. */
export function requireRoom(content: DeviceFile): void {
  if (reachableIn(content) < MAX_DEVICES) return;
  throw new AppError(
    "conflict",
    `cannot register the device: ${MAX_DEVICES} are registered already, remove one first`,
  );
}

export function replaced<T>(list: readonly T[], old: T, record: T): T[] {
  return list.map((one) => (one === old ? record : one));
}

export function without(content: DeviceFile, id: string): DeviceFile {
  const isOther = (record: { id: string }) => record.id !== id;
  return {
    ...content,
    devices: content.devices.filter(isOther),
    web: content.web.filter(isOther),
  };
}
