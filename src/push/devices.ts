import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { AppError } from "../errors.ts";
import type { Clock } from "../lib/clock.ts";
import { JsonFile } from "../lib/json-file.ts";
import type { Log } from "../lib/log.ts";
import type { ChosenPreferences, LastDelivery, Preferences } from "../protocol/push.ts";
import {
  type DeviceFile,
  DEVICES_FILE,
  type NativeRecord,
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

/** One registered device with what its channel needs to reach it. */
export type Device =
  | { kind: "apns"; id: string; record: NativeRecord }
  | { kind: "web"; id: string; record: WebRecord }
  | { kind: "ntfy"; id: string; record: TopicRecord };

export interface DevicesDeps {
  stateDir: string;
  /** Topic URL, or "": there is no topic. */
  ntfyUrl: string;
  clock: Clock;
  log: Log;
}

/** Who is registered, kept in a private file that is replaced whole with every change. */
export class Devices {
  readonly #deps: DevicesDeps;
  readonly #file: JsonFile;
  #content: DeviceFile;
  #saving: Promise<void> | null = null;
  #isDirty = false;

  private constructor(deps: DevicesDeps, file: JsonFile, content: DeviceFile) {
    this.#deps = deps;
    this.#file = file;
    this.#content = content;
    for (const record of [...content.devices, ...content.web]) record.id ??= newId();
    this.#forgetLongGone();
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
    const { devices, web, ntfy } = this.#content;
    return [
      ...devices.map((record) => ({ kind: "apns", id: record.id ?? "", record }) as const),
      ...web.map((record) => ({ kind: "web", id: record.id ?? "", record }) as const),
      ...(this.#deps.ntfyUrl === "" ? [] : [{ kind: "ntfy", id: NTFY_ID, record: ntfy } as const]),
    ];
  }

  /** Native and web ones that can still be reached. */
  get count(): number {
    const { devices, web } = this.#content;
    return devices.length + web.filter(({ gone }) => gone === null).length;
  }

  get savedNotices(): readonly Notice[] {
    return this.#content.notices;
  }

  find(id: string): Device | null {
    const { devices, web, ntfy } = this.#content;
    const native = devices.find((record) => record.id === id);
    if (native) return { kind: "apns", id, record: native };
    const browser = web.find((record) => record.id === id);
    if (browser) return { kind: "web", id, record: browser };
    return id === NTFY_ID && this.#deps.ntfyUrl !== "" ? { kind: "ntfy", id, record: ntfy } : null;
  }

  /** @throws AppError not_found */
  require(id: string): Device {
    const device = this.find(id);
    if (!device) throw new AppError("not_found", "no such device");
    return device;
  }

  /** True when it is new. @throws AppError conflict when there are too many. */
  async registerNative(facts: {
    token: string;
    name: string;
    platform: string;
    contextual: boolean;
  }): Promise<boolean> {
    const known = this.#content.devices.find(({ token }) => token === facts.token);
    if (known) Object.assign(known, facts);
    else {
      this.#requireRoom();
      this.#content.devices.push({ ...facts, ...this.#fresh() });
    }
    await this.#saveNow();
    return known === undefined;
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
    const { endpoint } = facts.subscription;
    const { web } = this.#content;
    const known =
      web.find(({ subscription }) => subscription.endpoint === endpoint) ??
      web.find(({ id }) => id !== undefined && id === replaces);
    if (known && known.gone !== null) this.#requireRoom();
    if (known) {
      Object.assign(known, rest, { gone: null, failures: 0 });
      if (preferences) known.preferences = { ...known.preferences, ...preferences };
      await this.#saveNow();
      return { id: known.id ?? "", isNew: false };
    }
    this.#requireRoom();
    const record: WebRecord = { ...rest, ...this.#fresh(), gone: null };
    if (preferences) record.preferences = preferences;
    web.push(record);
    await this.#saveNow();
    return { id: record.id ?? "", isNew: true };
  }

  async remove(id: string): Promise<boolean> {
    const before = this.all.length;
    const isOther = (record: { id?: string | undefined }) => record.id !== id;
    this.#content.devices = this.#content.devices.filter(isOther);
    this.#content.web = this.#content.web.filter(isOther);
    if (this.all.length === before) return false;
    await this.#saveNow();
    return true;
  }

  async setPreferences(device: Device, changed: ChosenPreferences): Promise<void> {
    device.record.preferences = { ...device.record.preferences, ...changed };
    await this.#saveNow();
  }

  /** What a push service said; a device that it does not know any more is sent nothing again. */
  noteDelivery(id: string, last: LastDelivery): void {
    const device = this.find(id);
    if (!device) return;
    device.record.last = last;
    device.record.failures = last.result === "accepted" ? 0 : device.record.failures + 1;
    if (last.result === "gone" && device.kind === "web") device.record.gone = last.at;
    if (last.result === "gone" && device.kind === "apns")
      this.#content.devices = this.#content.devices.filter((record) => record.id !== id);
    this.save();
  }

  setNotices(notices: readonly Notice[]): void {
    this.#content.notices = [...notices];
    this.save();
  }

  /** Soon and in the background; changes that come meanwhile share the next write. */
  save(): void {
    this.#saveNow().catch((error: unknown) =>
      this.#deps.log.error("the registered devices cannot be saved", error),
    );
  }

  /** Resolves when nothing is left to write. */
  async settled(): Promise<void> {
    await this.#saving?.catch(() => undefined);
  }

  /** @throws AppError persist_failed */
  async #saveNow(): Promise<void> {
    this.#isDirty = true;
    this.#saving ??= this.#writeAll();
    await this.#saving;
  }

  async #writeAll(): Promise<void> {
    try {
      while (this.#isDirty) {
        this.#isDirty = false;
        await this.#file.write(renderDeviceFile(this.#content));
      }
    } catch (cause) {
      throw new AppError("persist_failed", "the registered devices cannot be saved", undefined, {
        cause,
      });
    } finally {
      // In the same turn as the last look at the mark: no change falls between.
      this.#saving = null;
    }
  }

  #fresh() {
    return { id: newId(), added: this.#deps.clock.now(), last: null, failures: 0 };
  }

  #requireRoom(): void {
    if (this.count < MAX_DEVICES) return;
    throw new AppError(
      "conflict",
      `cannot register the device: ${MAX_DEVICES} are registered already, remove one first`,
    );
  }

  #forgetLongGone(): void {
    const oldest = this.#deps.clock.now() - GONE_LISTED_SECONDS;
    this.#content.web = this.#content.web.filter(({ gone }) => gone === null || gone > oldest);
  }
}

/** The device's own choices over what holds for its kind. */
export function preferencesOf({ kind, record }: Device): Preferences {
  return preferencesWith(kind, record.preferences);
}

/** Whether its push service still knows it. */
export function isReachable(device: Device): boolean {
  return device.kind !== "web" || device.record.gone === null;
}

function newId(): string {
  return randomBytes(8).toString("hex");
}
