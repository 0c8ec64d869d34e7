import { computed, signal } from "@preact/signals";
import type {
  ChosenPreferences,
  DevicesReply,
  PushDevice,
  TestReply,
  WebPushCapability,
} from "../../../src/protocol/push.ts";
import { type Api, type Failure, reasonOf, type Result } from "../../net/api.ts";
import type { PushManagerPort } from "../browser/push-manager.ts";
import { Query } from "./query.ts";
import { storedMembers } from "../../model/stored.ts";

const DEVICE_KEY = "panewatch.device";

export interface NotificationsDeps {
  readonly api: Api;
  readonly manager: PushManagerPort;
  readonly storage: Storage;
  readonly capability: () => WebPushCapability | undefined;
  /** Of the server; null before it has told. */
  readonly instance: () => string | null;
  /** What this browser is called where others see it. */
  readonly deviceName: () => string;
  readonly onUnauthorized: () => void;
}

/** A test on its way: what the push service said, and whether this device has shown it. */
export interface TestRun {
  readonly reply: TestReply | null;
  /** Why there is no reply. */
  readonly failure: Failure | null;
  /** Epoch seconds. */
  readonly shownAt: number | null;
  readonly isOver: boolean;
}

/** Alerts on this device, and the others that are registered. */
export class Notifications {
  readonly devices: Query<DevicesReply>;
  readonly deviceId = signal<string | null>(null);
  readonly test = signal<TestRun | null>(null);
  readonly permission = signal<NotificationPermission>("default");
  /** Why the last change was not taken; empty when it was. */
  readonly problem = signal("");
  readonly isBusy = signal(false);
  /** This browser as the server has it. */
  readonly own = computed(() => this.#find(this.deviceId.value));
  readonly others = computed(() =>
    (this.devices.value.value?.devices ?? []).filter(({ id }) => id !== this.deviceId.value),
  );
  /** Why the server cannot send everything, in its words. */
  readonly reasons = computed(() => this.#deps.capability()?.reasons ?? []);
  readonly #deps: NotificationsDeps;

  constructor(deps: NotificationsDeps) {
    this.#deps = deps;
    this.devices = new Query((signal) => deps.api.pushDevices(signal), deps.onUnauthorized);
    this.deviceId.value = this.#registered()?.id ?? null;
    this.permission.value = deps.manager.permission;
  }

  async load(): Promise<void> {
    this.permission.value = this.#deps.manager.permission;
    await this.devices.reload();
  }

  /** Called by a tap: the browser asks the person, subscribes, and the server learns of it. */
  async switchOn(): Promise<void> {
    await this.#busy(async () => {
      this.permission.value = await this.#deps.manager.ask();
      if (this.permission.value === "granted") await this.#subscribe();
    });
  }

  async switchOff(): Promise<void> {
    await this.#busy(() => this.#end());
    await this.devices.reload();
  }

  /** Nothing of this browser stays at a server that it has left. */
  signOut(): void {
    if (this.deviceId.peek() !== null)
      void this.#end().catch(() => undefined /* The server forgets it with its next alert. */);
    this.devices.clear();
  }

  /**
   * When the page is opened: a subscription that the browser has renewed, or that is of a key that
   * the server has no more, is made again. One that the same server does not know any more was removed
   * by a person, on another device: it ends here as well.
   */
  async renew(): Promise<"renewed" | "removed" | null> {
    const key = this.#deps.capability()?.public_key ?? "";
    const { manager, instance } = this.#deps;
    if (this.deviceId.peek() === null || key === "" || manager.permission !== "granted")
      return null;
    await this.devices.reload();
    const own = this.own.peek();
    if (this.devices.failure.peek() !== null) return null;
    if (own !== null && own.gone === null && (await manager.current(key)) !== null) return null;
    if (own === null && this.#registered()?.server === instance()) {
      await this.#busy(() => this.#forget());
      return "removed";
    }
    await this.#busy(() => this.#subscribe());
    return this.problem.peek() === "" ? "renewed" : null;
  }

  async prefer(device: PushDevice, preferences: ChosenPreferences): Promise<void> {
    const result = await this.#deps.api.preferPushDevice(device.id, preferences);
    if (this.took(result)) this.#replace(result.value);
  }

  async #subscribe(): Promise<void> {
    const { api, manager, capability, deviceName, storage } = this.#deps;
    const subscription = await manager.subscribe(capability()?.public_key ?? "");
    if (subscription === null) return;
    const { endpoint, keys } = subscription.toJSON();
    const replaces = this.deviceId.peek();
    const result = await api.registerPush({
      subscription: {
        endpoint: endpoint ?? "",
        keys: { p256dh: keys?.["p256dh"] ?? "", auth: keys?.["auth"] ?? "" },
      },
      name: deviceName(),
      ...(replaces === null ? {} : { replaces }),
    });
    if (!this.took(result)) return;
    const server = this.#deps.instance();
    storage.setItem(DEVICE_KEY, JSON.stringify({ id: result.value.id, server }));
    this.deviceId.value = result.value.id;
    await this.devices.reload();
  }

  async #end(): Promise<void> {
    const id = this.deviceId.peek();
    // Asked at once: the credential may be forgotten with the next line of the caller.
    const told = id === null ? null : this.#deps.api.removePushDevice(id);
    await this.#forget();
    await told;
  }

  async #forget(): Promise<void> {
    this.#deps.storage.removeItem(DEVICE_KEY);
    this.deviceId.value = null;
    await this.#deps.manager.unsubscribe();
  }

  /** This browser as it was registered last, and with which server; version 0.2 kept the id alone. */
  #registered(): { readonly id: string; readonly server: string | null } | null {
    const stored = this.#deps.storage.getItem(DEVICE_KEY);
    if (stored === null) return null;
    if (!stored.startsWith("{")) return { id: stored, server: null };
    const { id, server } = storedMembers(stored);
    if (typeof id !== "string") return null;
    return { id, server: typeof server === "string" ? server : null };
  }

  async #busy(run: () => Promise<void>): Promise<void> {
    if (this.isBusy.peek()) return;
    this.isBusy.value = true;
    this.problem.value = "";
    try {
      await run();
    } catch (error) {
      // The browser's own refusal, in its words.
      this.problem.value = error instanceof Error ? error.message : "";
    } finally {
      this.isBusy.value = false;
    }
  }

  /** Whether a change was taken; why not is said. */
  took<T>(result: Result<T>): result is { readonly ok: true; readonly value: T } {
    if (result.ok) {
      this.problem.value = "";
      return true;
    }
    if (result.failure.kind === "unauthorized") this.#deps.onUnauthorized();
    this.problem.value = reasonOf(result.failure);
    return false;
  }

  #replace(device: PushDevice): void {
    const devices = this.devices.value.peek()?.devices ?? [];
    const next = devices.map((known) => (known.id === device.id ? device : known));
    this.devices.value.value = { devices: next };
  }

  #find(id: string | null): PushDevice | null {
    return this.devices.value.value?.devices.find((device) => device.id === id) ?? null;
  }
}
