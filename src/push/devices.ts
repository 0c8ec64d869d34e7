import { join } from "node:path";
import type { Credentials } from "../config/credentials.ts";
import { AppError, persistError } from "../errors.ts";
import type { Clock } from "../lib/clock.ts";
import { JsonFile } from "../lib/json-file.ts";
import type { Log } from "../lib/log.ts";
import { readOptional, SavedValue } from "../lib/stored-json.ts";
import {
  type ChosenPreferences,
  type ConfiguredKind,
  DeviceKind,
  type LastDelivery,
} from "../protocol/push.ts";
import {
  addressOf,
  normalizeTimes,
  type Device,
  DeviceFile,
  type DeviceRecord,
  type DeviceRecords,
  DEVICES_FILE,
  mapRecords,
  MAX_DEVICES,
  MAX_OF_GRANT,
  NativeRecord,
  preferencesWith,
  reachableIn,
  renderDeviceFile,
  retargetMutes,
  WebRecord,
  withRecord,
} from "./device.ts";
import type { ShownNotification } from "./message.ts";
import type { Transition } from "../terminal/transitions.ts";

interface DevicesDeps {
  stateDir: string;
  /** Kinds that the configuration sets: listed without a registration. */
  configured: ReadonlySet<ConfiguredKind>;
  /** `push.on_error`: whether a device that has chosen no reasons is alerted of errors. */
  onError: boolean;
  /** `owner`: for devices without a noted grant. */
  access: Pick<Credentials, "owner" | "holds">;
  clock: Clock;
  log: Log;
}

type Registration = (
  | Pick<NativeRecord, "kind" | "token" | "name" | "platform" | "contextual" | "grant">
  | Pick<WebRecord, "kind" | "subscription" | "name" | "origin" | "grant">
) & { preferences?: ChosenPreferences | undefined; replaces?: string | undefined };

/** The registered devices, in a private file. A change is in force once it is written. */
export class Devices {
  readonly #deps: DevicesDeps;
  readonly #records: SavedValue<DeviceRecords>;
  #notices: readonly ShownNotification[];
  #isFailing = false;

  private constructor(deps: DevicesDeps, write: JsonFile["write"], saved: DeviceFile) {
    this.#deps = deps;
    this.#notices = saved.notices;
    const records = normalizeTimes(saved.records, deps.clock.now(), deps.access.owner);
    this.#records = new SavedValue(records, (changed) =>
      this.#write(write, { ...saved, records: changed, notices: this.#notices }),
    );
  }

  static async open(deps: DevicesDeps): Promise<Devices> {
    const file = new JsonFile(join(deps.stateDir, DEVICES_FILE), deps);
    const { saved, write } = await readOptional(file, DeviceFile);
    return new Devices(deps, write, saved ?? DeviceFile.parse({}));
  }

  get all(): readonly Device[] {
    const { configured, onError } = this.#deps;
    const isListed = ({ kind }: DeviceRecord) =>
      !(kind === "ntfy" || kind === "webhook") || configured.has(kind);
    const place = ({ kind }: DeviceRecord) => DeviceKind.options.indexOf(kind);
    return this.#records.current
      .filter(isListed)
      .toSorted((a, b) => place(a) - place(b))
      .map(({ preferences, ...record }) => ({
        ...record,
        preferences: preferencesWith(record.kind, { onError }, preferences),
      }));
  }

  get count(): number {
    return reachableIn(this.#records.current);
  }

  /** In force at once, whether or not they can be saved. */
  get notices(): readonly ShownNotification[] {
    return this.#notices;
  }

  set notices(notices: readonly ShownNotification[]) {
    this.#notices = notices;
    this.#records.touch();
  }

  find(id: string): Device | null {
    return this.all.find((device) => device.id === id) ?? null;
  }

  /** @throws AppError not_found */
  require(id: string): Device {
    const device = this.find(id);
    if (!device) throw new AppError("not_found", "no such device");
    return device;
  }

  /**
   * Replaces the device with the same address, or else the browser that `replaces` names; it keeps
   * its preferences.
   * @throws AppError conflict with too many; storage, persist_failed
   */
  async register({ replaces, ...facts }: Registration): Promise<{ id: string; isNew: boolean }> {
    const { access, clock } = this.#deps;
    const schema = facts.kind === "web" ? WebRecord : NativeRecord;
    let registered = { id: "", isNew: false };
    await this.#records.change((records) => {
      const known =
        records.find((one) => addressOf(one) === addressOf(facts)) ??
        records.find(({ kind, id }) => kind === "web" && id === replaces);
      const record = schema.loose().parse({
        ...(known ?? { added: clock.now() }),
        ...facts,
        ...{ gone: null, failures: 0 },
        preferences: { ...known?.preferences, ...facts.preferences },
      });
      registered = { id: record.id, isNew: known === undefined };
      const most = access.holds(record.grant, "own") ? MAX_DEVICES : MAX_OF_GRANT;
      return withRecord(records, known, record, most);
    });
    return registered;
  }

  /** False: no device has such an id. @throws AppError storage, persist_failed */
  async remove(id: string): Promise<boolean> {
    if (!this.find(id)) return false;
    await this.#change((record) => (record.id === id ? null : record));
    return true;
  }

  /** Removes devices without a valid grant, also one that is being registered. */
  keepOnly(holds: (grant: string) => boolean): Promise<void> {
    const isHeld = ({ grant }: DeviceRecord) => grant === null || holds(grant);
    return this.#change((record) => (isHeld(record) ? record : null));
  }

  /** @throws AppError storage, persist_failed */
  async setPreferences(id: string, chosen: ChosenPreferences): Promise<Device> {
    await this.#change((record) =>
      record.id === id ? { ...record, preferences: { ...record.preferences, ...chosen } } : record,
    );
    return this.require(id);
  }

  /** A mute follows its pane to another target. */
  followMoves(transitions: readonly Transition[]): void {
    const moves = transitions.flatMap(({ before, pane }): [string, string][] => {
      const [was, is] = [before?.state.target, pane?.state.target];
      return was !== undefined && is !== undefined && was !== is ? [[was, is]] : [];
    });
    if (moves.length === 0) return;
    const targets = new Map(moves);
    this.#change((record) => retargetMutes(record, targets)).catch((error: unknown) =>
      this.#deps.log.warn(
        `a muted pane has moved, and its mute could not follow: ${String(error)}`,
      ),
    );
  }

  /** A device that is gone is sent nothing more. */
  noteDelivery(sentTo: Device, last: LastDelivery): void {
    // A device that registered again meanwhile has another endpoint.
    const isIt = (one: DeviceRecord) =>
      one.id === sentTo.id && addressOf(one) === addressOf(sentTo);
    const noted = this.#change((one) => (isIt(one) ? this.#delivered(one, last) : one));
    // `#write` logs a failure, and the next alert gets the same answer.
    noted.catch(() => undefined);
  }

  #change(change: (record: DeviceRecord) => DeviceRecord | null): Promise<void> {
    return this.#records.change((records) => mapRecords(records, change));
  }

  /** Null: it is not listed any more. */
  #delivered(record: DeviceRecord, last: LastDelivery): DeviceRecord | null {
    const { kind, id, failures } = record;
    const { result, detail, at } = last;
    const { log } = this.#deps;
    const name = `${kind} device ${id}`;
    // Logged once per change of state: a push service that fails all night fills no log.
    if (result === "gone") log.warn(`${name} is gone: ${detail}`);
    else if (result === "failed" && failures === 0) log.warn(`alerts to ${name} fail: ${detail}`);
    else if (result === "accepted" && failures > 0) log.info(`alerts to ${name} arrive again`);
    if (result === "accepted") return { ...record, last, failures: 0 };
    if (result === "gone" && kind === "apns") return null;
    return { ...record, last, failures: failures + 1, gone: result === "gone" ? at : record.gone };
  }

  saved(): Promise<void> {
    return this.#records.saved();
  }

  /** Waits as `saved`; nothing is written afterwards. */
  close(): Promise<void> {
    return this.#records.close();
  }

  async #write(write: JsonFile["write"], content: DeviceFile): Promise<void> {
    try {
      await write(renderDeviceFile(content));
    } catch (cause) {
      const error = persistError("the registered devices cannot be saved", cause);
      // Logged once per change of state, not with each alert.
      if (!this.#isFailing) this.#deps.log.error(error.message, cause);
      this.#isFailing = true;
      throw error;
    }
    this.#isFailing = false;
  }
}
