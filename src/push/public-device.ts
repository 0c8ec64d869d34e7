import type { PushDevice } from "../protocol/push.ts";
import { type Device, preferencesOf } from "./devices.ts";

/** Without token and endpoint: what everybody may see. */
export function publicDevice(device: Device, hosts: { native: string; ntfy: string }): PushDevice {
  const { kind, id, record } = device;
  const shared = { id, kind, last: record.last, failures: record.failures };
  const preferences = preferencesOf(device);
  if (kind === "ntfy")
    return {
      ...shared,
      name: "ntfy",
      platform: "ntfy",
      added: 0,
      host: hosts.ntfy,
      gone: null,
      preferences,
    };
  const { name, added } = record;
  if (kind === "apns")
    return {
      ...shared,
      name,
      platform: record.platform,
      added,
      host: hosts.native,
      gone: null,
      preferences,
    };
  const { host } = new URL(record.subscription.endpoint);
  return { ...shared, name, platform: "web", added, host, gone: record.gone, preferences };
}
