import { computed, signal } from "@preact/signals";
import type { ConfigReply, LiveConfig } from "../../../src/protocol/config.ts";
import { isCompatible, readConfig, versionOf } from "../../model/config.ts";
import { reasonOf, type Api, type Failure } from "../../net/api.ts";
import { Signals } from "../signals.ts";

type Loaded = "ok" | "unauthorized" | "incompatible" | "lost";

export class ConfigStore {
  readonly current = signal<ConfigReply | null>(null);
  /** Of a server that does not fit; else empty. */
  readonly serverVersion = signal("");
  readonly labels = computed(() => this.current.value?._info.labels ?? {});
  readonly allowedKeys = computed(() => this.current.value?._info.allowed_keys ?? []);
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  /** Whether the server can do something, in at least this version of it. */
  has(capability: keyof ConfigReply["_info"]["capabilities"], version = 1): boolean {
    return versionOf(this.current.value?._info.capabilities?.[capability]) >= version;
  }

  async load(): Promise<Loaded> {
    const result = await this.#api.call("GET /api/config");
    if (!result.ok) return result.failure.kind === "unauthorized" ? "unauthorized" : "lost";
    const info: unknown = result.value?._info;
    if (typeof info !== "object" || info === null) return "incompatible";
    const fields = { ...info } as Record<string, unknown>;
    this.serverVersion.value = typeof fields.version === "string" ? fields.version : "";
    if (!isCompatible(fields)) return "incompatible";
    this.current.value = readConfig(result.value);
    return "ok";
  }

  clear(): void {
    this.current.value = null;
    this.serverVersion.value = "";
  }

  async patch(change: Partial<LiveConfig>): Promise<Failure | null> {
    const result = await this.#api.call("PATCH /api/config", {
      json: change,
    });
    if (!result.ok) return result.failure;
    this.current.value = readConfig(result.value);
    return null;
  }
}

export type SettingName = keyof LiveConfig;

/** Null when nothing is to be said. */
export type Saving =
  /** Shown as if it held already. */
  | { readonly step: "saving"; readonly value: unknown }
  | { readonly step: "failed"; readonly reason: string }
  | { readonly step: "lost" };

export class Settings {
  readonly #config: ConfigStore;
  readonly #savings = new Signals<Saving | null>(null);
  /** One change after another: each starts from what the one before has left. */
  #tail: Promise<unknown> = Promise.resolve();

  constructor(config: ConfigStore) {
    this.#config = config;
  }

  saving = (name: SettingName) => this.#savings.of(name);

  clear(): void {
    this.#savings.clear();
  }

  /** The value to show: what is being saved, else what the server says. */
  shown<Name extends SettingName>(name: Name): LiveConfig[Name] | null {
    const saving = this.saving(name).value;
    // What is saved under a name is of that name's type; the map cannot say so.
    if (saving?.step === "saving") return saving.value as LiveConfig[Name];
    return this.#config.current.value?.[name] ?? null;
  }

  /** Saves a value; null when the server has taken it, else why not. A refused value is taken back. */
  save(name: SettingName, value: unknown): Promise<Failure | null> {
    return this.#inTurn(name, async () => value);
  }

  /**
   * Saves what `change` makes of the value as the server has it once its turn has come: a star, or
   * another browser, may have changed the same list.
   */
  change<Name extends SettingName>(
    name: Name,
    change: (value: LiveConfig[Name]) => LiveConfig[Name],
  ): Promise<Failure | null> {
    return this.#inTurn(name, async (shown) => {
      this.saving(name).value = { step: "saving", value: change(shown[name]) };
      // Where it cannot be asked, the change itself says why.
      await this.#config.load();
      return change((this.#config.current.peek() ?? shown)[name]);
    });
  }

  #inTurn(
    name: SettingName,
    valueFrom: (shown: LiveConfig) => Promise<unknown>,
  ): Promise<Failure | null> {
    const saving = this.saving(name);
    const turn = this.#tail.then(async (): Promise<Failure | null> => {
      const shown = this.#config.current.peek();
      if (shown === null) return { kind: "lost" };
      const value = await valueFrom(shown);
      saving.value = { step: "saving", value };
      const failure = await this.#config.patch({ [name]: value });
      saving.value = outcomeOf(failure);
      return failure;
    });
    this.#tail = turn;
    return turn;
  }
}

function outcomeOf(failure: Failure | null): Saving | null {
  if (failure === null) return null;
  return failure.kind === "lost" ? { step: "lost" } : { step: "failed", reason: reasonOf(failure) };
}
