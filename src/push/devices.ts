import { join } from "node:path";
import { AppError, persistError } from "../errors.ts";
import type { Clock } from "../lib/clock.ts";
import { JsonFile } from "../lib/json-file.ts";
import type { Log } from "../lib/log.ts";
import { readStored, SavedValue } from "../lib/stored-json.ts";
import {
  type ChosenPreferences,
  CONFIGURED_KINDS,
  type ConfiguredKind,
  type DeviceKind,
  type LastDelivery,
} from "../protocol/push.ts";
import {
  asOf,
  type DeliveryRecord,
  type Device,
  DeviceFile,
  DEVICES_FILE,
  grantOf,
  newId,
  reachableIn,
  renderDeviceFile,
  replaced,
  requireRoom,
  retargeted,
  type WebRecord,
  without,
  withPreferences,
} from "./device.ts";
import type { ShownNotification } from "./message.ts";
import { preferencesWith } from "./preferences.ts";

interface DevicesDeps {
  stateDir: string;
  /** What the configuration names: listed without a registration. */
  configured: ReadonlySet<ConfiguredKind>;
  /** `push.on_error`: whether a device that has chosen no reasons hears of errors. */
  onError: boolean;
  /** Key of the grant that those count as registered by of which it was not noted. */
  owner: string;
  clock: Clock;
  log: Log;
}

/** Who is registered, in a private file that is replaced whole. A change holds once it is written. */
export class Devices {
  readonly #deps: DevicesDeps;
  readonly #content: SavedValue<DeviceFile>;
  /** Monotonic seconds of what was registered since the start. */
  readonly #knownSince = new Map<string, number>();
  /** What push services said, in force at once: it has happened, whether or not it can be saved. */
  readonly #deliveries = new Map<string, DeliveryRecord>();
  #notices: readonly ShownNotification[];
  #all: readonly Device[];
  #isFailing = false;

  private constructor(deps: DevicesDeps, file: JsonFile, saved: DeviceFile) {
    this.#deps = deps;
    const content = asOf(saved, deps.clock.now(), deps.owner);
    const configured = CONFIGURED_KINDS.map((id) => ({ ...content[id], id }));
    for (const { id, last, failures } of [...content.devices, ...content.web, ...configured])
      this.#deliveries.set(id, { last, failures });
    this.#notices = content.notices;
    this.#all = this.#listed(content);
    this.#content = new SavedValue(content, (changed) => this.#write(file, changed));
  }

  static async open(deps: DevicesDeps): Promise<Devices> {
    const file = new JsonFile(join(deps.stateDir, DEVICES_FILE), deps);
    return new Devices(deps, file, (await readStored(file, DeviceFile)) ?? DeviceFile.parse({}));
  }

  get all(): readonly Device[] {
    return this.#all;
  }

  get count(): number {
    return reachableIn(this.#content.current);
  }

  get notices(): readonly ShownNotification[] {
    return this.#notices;
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
    grant: string;
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
    grant: string;
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
      const fresh = known ?? this.#fresh();
      const chosen = preferences && { preferences: { ...known?.preferences, ...preferences } };
      const record: WebRecord = { ...fresh, ...rest, ...chosen, gone: null };
      registered = { id: record.id, isNew: known === undefined };
      return { ...content, web: known ? replaced(web, known, record) : [...web, record] };
    });
    const deliveries = this.#deliveries.get(registered.id);
    if (deliveries) deliveries.failures = 0;
    return registered;
  }

  /** False: there was none. @throws AppError storage, persist_failed */
  async remove(id: string): Promise<boolean> {
    const known = this.find(id);
    if (known) await this.#content.change((content) => without(content, id));
    return known !== null;
  }

  /** Ends those whose grant holds no more; gives their ids. */
  async keepOnly(holds: (grant: string) => boolean): Promise<string[]> {
    const ended = this.#all.filter((device) => {
      const grant = grantOf(device);
      return grant !== null && !holds(grant);
    });
    if (ended.length > 0)
      await this.#content.change((content) =>
        ended.reduce((rest, { id }) => without(rest, id), content),
      );
    return ended.map(({ id }) => id);
  }

  /** @throws AppError storage, persist_failed */
  async setPreferences(id: string, chosen: ChosenPreferences): Promise<Device> {
    await this.#content.change((content) => withPreferences(content, id, chosen));
    return this.require(id);
  }

  /** A mute goes with its pane to the target that the pane has now. */
  async retarget(targets: ReadonlyMap<string, string>): Promise<void> {
    await this.#content.change((content) => retargeted(content, targets));
  }

  /** What a push service said; a device that it does not know any more is sent nothing again. */
  noteDelivery(sentTo: Device, last: LastDelivery): void {
    const { id } = sentTo;
    const known = this.#deliveries.get(id);
    if (!known) return;
    known.last = last;
    known.failures = last.result === "accepted" ? 0 : known.failures + 1;
    if (last.result !== "gone" || (sentTo.kind !== "apns" && sentTo.kind !== "web"))
      return this.#content.touch();
    const ended = this.#content.change((content) => {
      if (sentTo.kind === "apns") return without(content, id);
      const { endpoint } = sentTo.record.subscription;
      // One that has registered anew meanwhile has another endpoint.
      const record = content.web.find((one) => one.subscription.endpoint === endpoint);
      if (!record) return content;
      return { ...content, web: replaced(content.web, record, { ...record, gone: last.at }) };
    });
    // Told in the log where it could not be written; the next alert is answered the same.
    ended.catch(() => undefined);
  }

  setNotices(notices: readonly ShownNotification[]): void {
    this.#notices = notices;
    this.#content.touch();
  }

  saved(): Promise<void> {
    return this.#content.saved();
  }

  /** As `saved`; nothing is written afterwards. */
  close(): Promise<void> {
    return this.#content.close();
  }

  async #write(file: JsonFile, content: DeviceFile): Promise<void> {
    const told = <T extends { id: string }>(record: T): T => ({
      ...record,
      ...this.#deliveries.get(record.id),
    });
    const devices = content.devices.map(told);
    const web = content.web.map(told);
    const ntfy = { ...content.ntfy, ...this.#deliveries.get("ntfy") };
    const webhook = { ...content.webhook, ...this.#deliveries.get("webhook") };
    try {
      const notices = [...this.#notices];
      await file.write(renderDeviceFile({ ...content, devices, web, ntfy, webhook, notices }));
    } catch (cause) {
      const error = persistError("the registered devices cannot be saved", cause);
      // Once per change of state: each alert would say so again.
      if (!this.#isFailing) this.#deps.log.error(error.message, cause);
      this.#isFailing = true;
      throw error;
    }
    this.#isFailing = false;
    this.#all = this.#listed(content);
  }

  #listed({ devices, web, ...file }: DeviceFile): readonly Device[] {
    const { configured, onError } = this.#deps;
    const shared = (kind: DeviceKind, id: string, chosen: ChosenPreferences | undefined) => ({
      id,
      preferences: preferencesWith(kind, { onError }, chosen),
      knownSince: this.#knownSince.get(id) ?? -Infinity,
      deliveries: this.#deliveries.get(id) ?? { last: null, failures: 0 },
    });
    const natives = devices.map((record): Device => {
      return { kind: "apns", record, ...shared("apns", record.id, record.preferences) };
    });
    const browsers = web.map((record): Device => {
      return { kind: "web", record, ...shared("web", record.id, record.preferences) };
    });
    const named = CONFIGURED_KINDS.filter((kind) => configured.has(kind)).map((kind): Device => {
      const record = file[kind];
      const rest = { record, ...shared(kind, kind, record.preferences) };
      return kind === "ntfy" ? { kind, ...rest } : { kind, ...rest };
    });
    return [...natives, ...browsers, ...named];
  }

  #fresh() {
    const { clock } = this.#deps;
    const id = newId();
    this.#knownSince.set(id, clock.monotonic());
    const none = { last: null, failures: 0 };
    this.#deliveries.set(id, { ...none });
    return { id, added: clock.now(), ...none };
  }
}
