import { join } from "node:path";
import { AppError, persistError } from "../errors.ts";
import type { Clock } from "../lib/clock.ts";
import { JsonFile } from "../lib/json-file.ts";
import type { Log } from "../lib/log.ts";
import { SavedValue } from "../lib/saved-value.ts";
import type { ChosenPreferences, DeviceKind, LastDelivery } from "../protocol/push.ts";
import type { Device } from "./device.ts";
import {
  type DeviceFile,
  DEVICES_FILE,
  newId,
  parseDeviceFile,
  renderDeviceFile,
  type TopicRecord,
  type WebRecord,
} from "./device-file.ts";
import type { Notice } from "./notices.ts";
import { preferencesWith } from "./preferences.ts";

export const MAX_DEVICES = 50;
/** The one topic of the configuration has no registration and a fixed id. */
export const NTFY_ID = "ntfy";
const GONE_LISTED_SECONDS = 30 * 24 * 3600;

export interface DevicesDeps {
  stateDir: string;
  /** Topic URL, or "": there is no topic. */
  ntfyUrl: string;
  /** `push.on_error`: whether a device that has chosen no reasons hears of errors. */
  onError: boolean;
  clock: Clock;
  log: Log;
}

/** Who is registered, in a private file that is replaced whole. A change holds once it is written. */
export class Devices {
  readonly #deps: DevicesDeps;
  readonly #content: SavedValue<DeviceFile>;
  /** Monotonic seconds of what was registered since the start. */
  readonly #knownSince = new Map<string, number>();
  #all: readonly Device[];
  #isFailing = false;

  private constructor(deps: DevicesDeps, file: JsonFile, saved: DeviceFile) {
    this.#deps = deps;
    const content = asOf(saved, deps.clock.now());
    this.#all = this.#listed(content);
    this.#content = new SavedValue(content, async (changed) => {
      await file.write(renderDeviceFile(changed)).catch((cause: unknown) => {
        throw persistError("the registered devices cannot be saved", cause);
      });
      this.#all = this.#listed(changed);
      this.#isFailing = false;
    });
  }

  static async open(deps: DevicesDeps): Promise<Devices> {
    const file = new JsonFile(join(deps.stateDir, DEVICES_FILE), deps);
    const saved = await file.read();
    const content = parseDeviceFile(saved ?? {});
    if (content) return new Devices(deps, file, content);
    await file.moveAside("not a list of devices");
    const empty = parseDeviceFile({});
    if (!empty) throw new Error("an empty file of devices must be readable");
    return new Devices(deps, file, empty);
  }

  get all(): readonly Device[] {
    return this.#all;
  }

  /** Native and web ones that can still be reached. */
  get count(): number {
    return reachableIn(this.#content.current);
  }

  get savedNotices(): readonly Notice[] {
    return this.#content.current.notices;
  }

  find(id: string): Device | null {
    return this.#all.find((device) => device.id === id) ?? null;
  }

  /** @throws AppError not_found */
  require(id: string): Device {
    const device = this.find(id);
    if (!device) throw new AppError("not_found", "no such device");
    return device;
  }

  /** True when it is new. @throws AppError conflict when there are too many; storage, persist_failed. */
  async registerNative(facts: {
    token: string;
    name: string;
    platform: string;
    contextual: boolean;
  }): Promise<boolean> {
    let isNew = false;
    await this.#content.change((content) => {
      const { devices } = content;
      const known = devices.find(({ token }) => token === facts.token);
      isNew = known === undefined;
      if (known) return { ...content, devices: replaced(devices, known, { ...known, ...facts }) };
      requireRoom(content);
      return { ...content, devices: [...devices, { ...facts, ...this.#fresh() }] };
    });
    return isNew;
  }

  /** A subscription takes the place of the one with its endpoint, or of the device it `replaces`. */
  async registerWeb(facts: {
    subscription: WebRecord["subscription"];
    name: string;
    origin: string;
    preferences: ChosenPreferences | undefined;
    replaces: string | undefined;
  }): Promise<{ id: string; isNew: boolean }> {
    const { replaces, preferences, ...rest } = facts;
    let registered = { id: "", isNew: false };
    await this.#content.change((content) => {
      const { web } = content;
      const { endpoint } = facts.subscription;
      const known =
        web.find(({ subscription }) => subscription.endpoint === endpoint) ??
        web.find(({ id }) => id === replaces);
      if (!known || known.gone !== null) requireRoom(content);
      const fresh = known ? { ...known, failures: 0 } : this.#fresh();
      const chosen = preferences && { preferences: { ...known?.preferences, ...preferences } };
      const record: WebRecord = { ...fresh, ...rest, ...chosen, gone: null };
      registered = { id: record.id, isNew: known === undefined };
      return { ...content, web: known ? replaced(web, known, record) : [...web, record] };
    });
    return registered;
  }

  /** False: there was none. @throws AppError storage, persist_failed */
  async remove(id: string): Promise<boolean> {
    const known = this.find(id);
    if (known) await this.#content.change((content) => without(content, id));
    return known !== null;
  }

  /** @throws AppError storage, persist_failed */
  async setPreferences(id: string, chosen: ChosenPreferences): Promise<Device> {
    await this.#content.change((content) =>
      changed(content, id, ({ preferences }) => ({ preferences: { ...preferences, ...chosen } })),
    );
    return this.require(id);
  }

  /** What a push service said; a device that it does not know any more is sent nothing again. */
  noteDelivery(sentTo: Device, last: LastDelivery): void {
    const { id } = sentTo;
    const isGone = last.result === "gone";
    this.#saveSoon((content) => {
      if (isGone && sentTo.kind === "apns") return without(content, id);
      const noted = changed(content, id, ({ failures }) => ({
        last,
        failures: last.result === "accepted" ? 0 : failures + 1,
      }));
      if (!isGone || sentTo.kind !== "web") return noted;
      const { endpoint } = sentTo.record.subscription;
      // One that has registered anew meanwhile has another endpoint.
      const ended = noted.web.find((one) => one.subscription.endpoint === endpoint);
      if (!ended) return noted;
      return { ...noted, web: replaced(noted.web, ended, { ...ended, gone: last.at }) };
    });
  }

  setNotices(notices: readonly Notice[]): void {
    this.#saveSoon((content) => ({ ...content, notices: [...notices] }));
  }

  /** Resolves when nothing is left to write. */
  saved(): Promise<void> {
    return this.#content.saved();
  }

  #saveSoon(change: (content: DeviceFile) => DeviceFile): void {
    this.#content.change(change).catch((error: unknown) => {
      // Once per change of state: each alert would say so again.
      if (!this.#isFailing) this.#deps.log.error("the registered devices cannot be saved", error);
      this.#isFailing = true;
    });
  }

  #listed({ devices, web, ntfy }: DeviceFile): readonly Device[] {
    const { ntfyUrl, onError } = this.#deps;
    const shared = (kind: DeviceKind, id: string, chosen: ChosenPreferences | undefined) => ({
      id,
      preferences: preferencesWith(kind, { onError }, chosen),
      knownSince: this.#knownSince.get(id) ?? -Infinity,
    });
    const natives = devices.map((record): Device => {
      return { kind: "apns", record, ...shared("apns", record.id, record.preferences) };
    });
    const browsers = web.map((record): Device => {
      return { kind: "web", record, ...shared("web", record.id, record.preferences) };
    });
    if (ntfyUrl === "") return [...natives, ...browsers];
    const topic = { kind: "ntfy", record: ntfy } as const;
    return [...natives, ...browsers, { ...topic, ...shared("ntfy", NTFY_ID, ntfy.preferences) }];
  }

  #fresh() {
    const { clock } = this.#deps;
    const id = newId();
    this.#knownSince.set(id, clock.monotonic());
    return { id, added: clock.now(), last: null, failures: 0 };
  }
}

/** What was saved, at this time (epoch seconds): a time that lies in the future counts as now. */
function asOf(content: DeviceFile, now: number): DeviceFile {
  const past = <T extends { added: number }>(record: T): T => ({
    ...record,
    added: Math.min(record.added, now),
  });
  const web = content.web.map((record) => ({
    ...past(record),
    gone: record.gone && Math.min(record.gone, now),
  }));
  const isListed = ({ gone }: WebRecord) => gone === null || gone > now - GONE_LISTED_SECONDS;
  return { ...content, devices: content.devices.map(past), web: web.filter(isListed) };
}

function reachableIn({ devices, web }: DeviceFile): number {
  return devices.length + web.filter(({ gone }) => gone === null).length;
}

function requireRoom(content: DeviceFile): void {
  if (reachableIn(content) < MAX_DEVICES) return;
  throw new AppError(
    "conflict",
    `cannot register the device: ${MAX_DEVICES} are registered already, remove one first`,
  );
}

function replaced<T>(list: readonly T[], old: T, record: T): T[] {
  return list.map((one) => (one === old ? record : one));
}

function without(content: DeviceFile, id: string): DeviceFile {
  const isOther = (record: { id: string }) => record.id !== id;
  return {
    ...content,
    devices: content.devices.filter(isOther),
    web: content.web.filter(isOther),
  };
}

/** With other choices or another delivery of one device. */
function changed(
  content: DeviceFile,
  id: string,
  change: (record: TopicRecord) => Partial<TopicRecord>,
): DeviceFile {
  const of = <T extends { id: string } & TopicRecord>(record: T): T =>
    record.id === id ? { ...record, ...change(record) } : record;
  const { devices, web, ntfy } = content;
  const topic = id === NTFY_ID ? { ...ntfy, ...change(ntfy) } : ntfy;
  return { ...content, devices: devices.map(of), web: web.map(of), ntfy: topic };
}
