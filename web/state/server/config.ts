import { computed, signal } from "@preact/signals";
import type { ConfigReply, LiveConfig } from "../../../src/protocol/config.ts";
import { isCompatible, readConfig, versionOf } from "../../model/config.ts";
import type { Api, Result } from "../../net/api.ts";

type Loaded = "ok" | "unauthorized" | "incompatible" | "lost";

export class ConfigStore {
  readonly current = signal<ConfigReply | null>(null);
  /** Known even where the server is incompatible. */
  readonly serverVersion = signal("");
  readonly labels = computed(() => this.current.value?._info.labels ?? {});
  readonly allowedKeys = computed(() => this.current.value?._info.allowed_keys ?? []);
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  /** In at least this version. */
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

  async patch(json: Partial<LiveConfig>): Promise<Result<unknown>> {
    const result = await this.#api.call("PATCH /api/config", { json });
    if (result.ok) this.current.value = readConfig(result.value);
    return result;
  }
}
