import type { DeviceKind, LastDelivery, Preferences, PushDevice } from "../protocol/push.ts";
import type { NativeRecord, TopicRecord, WebRecord } from "./device-file.ts";

/** What the push service said of its last alert, and how many have failed in a row. */
export interface Deliveries {
  last: LastDelivery | null;
  failures: number;
}

/** One registered device with what its channel needs to reach it; replaced whole by each change. */
export type Device = {
  readonly id: string;
  /** Its own choices over what holds for its kind. */
  readonly preferences: Preferences;
  /** Monotonic seconds; -Infinity: before the start of the service. */
  readonly knownSince: number;
  readonly deliveries: Readonly<Deliveries>;
} & (
  | { readonly kind: "apns"; readonly record: Readonly<NativeRecord> }
  | { readonly kind: "web"; readonly record: Readonly<WebRecord> }
  | { readonly kind: "ntfy"; readonly record: Readonly<TopicRecord> }
  | { readonly kind: "webhook"; readonly record: Readonly<TopicRecord> }
);

/** Whether its push service still knows it. */
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
