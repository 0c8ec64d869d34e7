import { computed, signal } from "@preact/signals";
import type {
  ChosenPreferences,
  Preferences,
  PushDevice,
  WebRegisterRequest,
} from "../../../src/protocol/push.ts";
import { deviceName } from "../../model/browser-name.ts";
import { type Failure, refusal, type Result } from "../../net/api.ts";
import * as push from "../browser/push-manager.ts";
import { Queries } from "./queries.ts";
import { Part } from "./part.ts";
import type { Server } from "./server.ts";
import { Editor } from "./settings.ts";

export class Notifications extends Part {
  readonly permission = signal(push.permission());
  /** Why this device could not be switched on. */
  readonly failure = signal<Failure | null>(null);
  readonly isBusy = signal(false);
  readonly #device = this.server.browser.device;
  readonly own = computed(() => this.#all.find(({ id }) => id === this.#device.id.value) ?? null);
  readonly others = computed(() => this.#all.filter(({ id }) => id !== this.#device.id.value));
  readonly preferences = new Editor<Preferences>({
    current: () => this.own.value?.preferences ?? null,
    patch: (preferences) => this.#prefer(preferences),
    notDone: "Not changed",
  });
  /** In the server's words. */
  readonly reasons = computed(() => this.#push?.reasons ?? []);

  constructor(server: Server) {
    super(server);
    // Sign-out removes the device from the server.
    server.signedOut.addEventListener("abort", () => {
      if (this.#device.id.peek() !== null)
        void this.#end().catch(() => undefined /* The server forgets it with its next alert. */);
    });
  }

  get devices() {
    return this.server.part(Queries).query("GET /api/push/devices");
  }

  async load(): Promise<void> {
    this.permission.value = push.permission();
    this.preferences.forget();
    await this.devices.reload();
  }

  /** Called by a tap: asks the person, subscribes, registers. */
  async switchOn(): Promise<void> {
    await this.#busy(async () => {
      this.permission.value = await push.ask();
      if (this.permission.value === "granted") await this.#subscribe();
    });
  }

  async switchOff(): Promise<void> {
    await this.#busy(() => this.#end());
    await this.devices.reload();
  }

  /**
   * At page load: renews a subscription that the browser has replaced or whose key the server has
   * changed. A device that the same server does not know any more was removed by a person: it ends
   * here too. One that another grant registered moves to the present grant.
   */
  async renew(): Promise<"renewed" | "removed" | null> {
    const key = this.#push?.public_key ?? "";
    if (this.#device.id.peek() === null || key === "" || push.permission() !== "granted")
      return null;
    await this.devices.reload();
    const own = this.own.peek();
    // Without an answer nothing is certain.
    const isTold = this.devices.value.peek() !== null && this.devices.failure.peek() === null;
    if (!isTold) return null;
    const isOurs = own !== null && own.gone === null && own.mine !== false;
    if (isOurs && (await push.current(key)) !== null) return null;
    if (own === null && this.#device.current.peek()?.server === this.#instance) {
      await this.#busy(() => this.#forget());
      return "removed";
    }
    await this.#busy(() => this.#subscribe());
    return this.failure.peek() === null ? "renewed" : null;
  }

  async #prefer(preferences: ChosenPreferences): Promise<Result<PushDevice>> {
    const path = { id: this.own.peek()?.id ?? "" };
    const json = { preferences };
    const result = await this.server.api.call("PATCH /api/push/devices/:id", { path, json });
    if (!result.ok) return result;
    const devices = this.#all.map((known) => (known.id === path.id ? result.value : known));
    // A list that was asked for before is dropped.
    await this.devices.fetchWith(async () => ({ ok: true, value: { devices } }));
    return result;
  }

  async #subscribe(): Promise<void> {
    const subscription = await push.subscribe(this.#push?.public_key ?? "");
    if (subscription === null) return;
    const { endpoint, keys } = subscription.toJSON();
    const replaces = this.#device.id.peek();
    const json: WebRegisterRequest = {
      subscription: {
        endpoint: endpoint ?? "",
        keys: { p256dh: keys?.["p256dh"] ?? "", auth: keys?.["auth"] ?? "" },
      },
      name: deviceName(navigator.userAgent),
      ...(replaces === null ? {} : { replaces }),
    };
    const result = await this.server.api.call("POST /api/push/web/register", { json });
    if (!this.#took(result)) return;
    this.#device.write({ id: result.value.id, server: this.#instance });
    await this.devices.reload();
  }

  async #end(): Promise<void> {
    const id = this.#device.id.peek();
    // Sent at once: the caller may forget the credential next.
    const told =
      id === null ? null : this.server.api.call("DELETE /api/push/devices/:id", { path: { id } });
    await this.#forget();
    await told;
  }

  async #forget(): Promise<void> {
    this.#device.write(null);
    await push.unsubscribe();
  }

  get #all(): readonly PushDevice[] {
    return this.devices.value.value?.devices ?? [];
  }

  get #push() {
    return this.server.config.current.value?._info.capabilities.web_push_v1;
  }

  get #instance(): string | null {
    return this.server.config.current.value?._info.server_instance_id ?? null;
  }

  async #busy(run: () => Promise<void>): Promise<void> {
    if (this.isBusy.peek()) return;
    this.isBusy.value = true;
    this.failure.value = null;
    try {
      await run();
    } catch (error) {
      // The browser's own message.
      this.#took(refusal(error instanceof Error ? error.message : ""));
    } finally {
      this.isBusy.value = false;
    }
  }

  #took<T>(result: Result<T>): result is { readonly ok: true; readonly value: T } {
    this.failure.value = result.ok ? null : result.failure;
    return result.ok;
  }
}
