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
  normalizeTimes,
  type Device,
  DeviceFile,
  type DeviceRecord,
  DEVICES_FILE,
  isTopic,
  mapRecords,
  MAX_DEVICES,
  MAX_OF_GRANT,
  NativeRecord,
  preferencesWith,
  reachableIn,
  type RegisteredRecord,
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

/** In force at once, whether or not it can be saved. */
interface DeviceState {
  knownSince: number;
  deliveries: { last: LastDelivery | null; failures: number };
}

/** The registered devices, in a private file. A change is in force once it is written. */
export class Devices {
  readonly #deps: DevicesDeps;
  readonly #content: SavedValue<DeviceFile>;
  readonly #states = new Map<string, DeviceState>();
  #notices: readonly ShownNotification[];
  #all: readonly Device[];
  #isFailing = false;

  private constructor(deps: DevicesDeps, write: JsonFile["write"], saved: DeviceFile) {
    this.#deps = deps;
    const content = normalizeTimes(saved, deps.clock.now(), deps.access.owner);
    for (const { id, last, failures } of content.records)
      this.#states.set(id, { knownSince: -Infinity, deliveries: { last, failures } });
    this.#notices = content.notices;
    this.#all = this.#listed(content);
    this.#content = new SavedValue(content, (changed) => this.#write(write, changed));
  }

  static async open(deps: DevicesDeps): Promise<Devices> {
    const file = new JsonFile(join(deps.stateDir, DEVICES_FILE), deps);
    const { saved, write } = await readOptional(file, DeviceFile);
    return new Devices(deps, write, saved ?? DeviceFile.parse({}));
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

  set notices(notices: readonly ShownNotification[]) {
    this.#notices = notices;
    this.#content.touch();
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

  /** True when it is new. @throws AppError conflict with too many; storage, persist_failed. */
  async registerNative(
    facts: Pick<NativeRecord, "token" | "name" | "platform" | "contextual" | "grant">,
  ): Promise<boolean> {
    const { isNew } = await this.#register(
      (records) => records.find((one) => one.kind === "apns" && one.token === facts.token),
      (before) => NativeRecord.loose().parse({ ...before, ...facts }),
    );
    return isNew;
  }

  /** Replaces the device with the same endpoint, or else the device that `replaces` names. */
  async registerWeb(
    facts: Pick<WebRecord, "subscription" | "name" | "origin" | "grant" | "preferences"> & {
      replaces: string | undefined;
    },
  ): Promise<{ id: string; isNew: boolean }> {
    const { replaces, preferences, ...rest } = facts;
    const registered = await this.#register(
      (records) => {
        const web = records.filter((one) => one.kind === "web");
        const { endpoint } = facts.subscription;
        const known = web.find(({ subscription }) => subscription.endpoint === endpoint);
        return known ?? web.find(({ id }) => id === replaces);
      },
      (before) => {
        const chosen = { ...before.preferences, ...preferences };
        return WebRecord.loose().parse({ ...before, ...rest, preferences: chosen, gone: null });
      },
    );
    const state = this.#states.get(registered.id);
    if (state) state.deliveries.failures = 0;
    return registered;
  }

  async #register(
    find: (records: readonly DeviceRecord[]) => DeviceRecord | undefined,
    make: (before: Partial<DeviceRecord>) => RegisteredRecord,
  ): Promise<{ id: string; isNew: boolean }> {
    const { access, clock } = this.#deps;
    let registered = { id: "", isNew: false };
    await this.#content.change((content) => {
      const known = find(content.records);
      const record = make(known ?? { added: clock.now() });
      const { id, last, failures, grant } = record;
      for (const removed of this.#states.keys())
        if (!content.records.some((one) => one.id === removed)) this.#states.delete(removed);
      const knownSince = clock.monotonic();
      if (!known) this.#states.set(id, { knownSince, deliveries: { last, failures } });
      registered = { id, isNew: known === undefined };
      const most = access.holds(grant, "own") ? MAX_DEVICES : MAX_OF_GRANT;
      return withRecord(content, known, record, most);
    });
    return registered;
  }

  /** False: no device has such an id. @throws AppError storage, persist_failed */
  async remove(...ids: readonly string[]): Promise<boolean> {
    if (!ids.some((id) => this.find(id))) return false;
    await this.#content.change((content) => ({
      ...content,
      records: content.records.filter((record) => isTopic(record) || !ids.includes(record.id)),
    }));
    return true;
  }

  /** Removes devices without a valid grant, also one that is being registered; gives their ids. */
  async keepOnly(holds: (grant: string) => boolean): Promise<string[]> {
    let ended: string[] = [];
    await this.#content.change((content) => {
      const isHeld = (record: DeviceRecord) => isTopic(record) || holds(record.grant);
      const records = content.records.filter(isHeld);
      ended = content.records.filter((record) => !isHeld(record)).map(({ id }) => id);
      return ended.length === 0 ? content : { ...content, records };
    });
    return ended;
  }

  /** @throws AppError storage, persist_failed */
  async setPreferences(id: string, chosen: ChosenPreferences): Promise<Device> {
    await this.#content.change((content) =>
      mapRecords(content, (record) =>
        record.id === id
          ? { ...record, preferences: { ...record.preferences, ...chosen } }
          : record,
      ),
    );
    return this.require(id);
  }

  /** A mute follows its pane to another target. */
  followMoves(transitions: readonly Transition[]): void {
    const targets = transitions.flatMap(({ before, pane }): [string, string][] => {
      const [was, is] = [before?.state.target, pane?.state.target];
      return was !== undefined && is !== undefined && was !== is ? [[was, is]] : [];
    });
    if (targets.length === 0) return;
    const moved = this.#content.change((content) => retargetMutes(content, new Map(targets)));
    moved.catch((error: unknown) =>
      this.#deps.log.warn(
        `a muted pane has moved, and its mute could not follow: ${String(error)}`,
      ),
    );
  }

  /** A device that is gone is sent nothing more. */
  noteDelivery({ id, kind, record }: Device, last: LastDelivery): void {
    const known = this.#states.get(id)?.deliveries;
    if (!known) return;
    const { log } = this.#deps;
    const name = `${kind} device ${id}`;
    // Logged once per change of state: a push service that fails all night fills no log.
    if (last.result === "gone") log.warn(`${name} is gone: ${last.detail}`);
    else if (last.result === "failed" && known.failures === 0)
      log.warn(`alerts to ${name} fail: ${last.detail}`);
    else if (last.result === "accepted" && known.failures > 0)
      log.info(`alerts to ${name} arrive again`);
    known.last = last;
    known.failures = last.result === "accepted" ? 0 : known.failures + 1;
    if (last.result !== "gone" || isTopic(record)) return this.#content.touch();
    const ended =
      record.kind === "apns"
        ? this.remove(id)
        : this.#content.change((content) =>
            mapRecords(content, (one) =>
              // A device that registered again meanwhile has another endpoint.
              one.kind === "web" && one.subscription.endpoint === record.subscription.endpoint
                ? { ...one, gone: last.at }
                : one,
            ),
          );
    // `#write` logs a failure, and the next alert gets the same answer.
    ended.catch(() => undefined);
  }

  saved(): Promise<void> {
    return this.#content.saved();
  }

  /** Waits as `saved`; nothing is written afterwards. */
  close(): Promise<void> {
    return this.#content.close();
  }

  async #write(write: JsonFile["write"], content: DeviceFile): Promise<void> {
    const records = content.records.map((record) => ({
      ...record,
      ...this.#states.get(record.id)?.deliveries,
    }));
    try {
      await write(renderDeviceFile({ ...content, records, notices: this.#notices }));
    } catch (cause) {
      const error = persistError("the registered devices cannot be saved", cause);
      // Logged once per change of state, not with each alert.
      if (!this.#isFailing) this.#deps.log.error(error.message, cause);
      this.#isFailing = true;
      throw error;
    }
    this.#isFailing = false;
    this.#all = this.#listed(content);
  }

  #listed({ records }: DeviceFile): readonly Device[] {
    const { configured, onError } = this.#deps;
    const listed = records.filter((record) => !isTopic(record) || configured.has(record.kind));
    const byKind = DeviceKind.options.flatMap((kind) => listed.filter((one) => one.kind === kind));
    return byKind.map((record) => {
      const { id, kind } = record;
      const state = this.#states.get(id) ?? NO_STATE;
      return {
        id,
        kind,
        record,
        preferences: preferencesWith(kind, { onError }, record.preferences),
        ...state,
      };
    });
  }
}

const NO_STATE: DeviceState = { knownSince: -Infinity, deliveries: { last: null, failures: 0 } };
