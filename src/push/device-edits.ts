// The list of devices before and after a change: values to values, nothing is read or written.
import { AppError } from "../errors.ts";
import { type ChosenPreferences, CONFIGURED_KINDS } from "../protocol/push.ts";
import type { DeviceFile, WebRecord } from "./device.ts";

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
