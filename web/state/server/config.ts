import { computed, signal } from "@preact/signals";
import type { ConfigReply, LiveConfig } from "../../../src/protocol/config.ts";
import {
  isCompatible,
  readConfig,
  versionOf,
  workspaceOf,
  type WorkspaceFacts,
} from "../../model/config.ts";
import type { Api, Result } from "../../net/api.ts";
import type { Workspace } from "./agents/workspace.ts";

type LoadResult = "ok" | "unauthorized" | "incompatible" | "lost";

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

  has(capability: keyof ConfigReply["_info"]["capabilities"]): boolean {
    return versionOf(this.current.value?._info.capabilities?.[capability]) > 0;
  }

  async load(): Promise<LoadResult> {
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

/** Doubles with every poll of a workspace that is starting. */
const FIRST_LOOK_MS = 500;
const MAX_LOOK_MS = 30_000;

/** The agent workspace, while the server has it switched on. */
export class WorkspaceSwitch {
  /** While a restarted server opens its store, the page goes on showing the workspace. */
  readonly facts = computed(() => {
    const said = this.#reported.value;
    const isAgain = said.step === "starting" && this.current !== null;
    return (isAgain ? this.#lastOn : null) ?? said;
  });
  /** Null until a view uses it. */
  current: Workspace | null = null;
  readonly #config: Pick<ConfigStore, "current" | "load">;
  readonly #reported = computed(() => workspaceOf(this.#config.current.value));
  /** The last facts while it was on. */
  #lastOn: WorkspaceFacts | null = null;
  #looks = 0;
  #again: ReturnType<typeof setTimeout> | undefined;

  constructor(config: Pick<ConfigStore, "current" | "load">) {
    this.#config = config;
  }

  /** Drops the workspace when it was switched off. */
  follow(): void {
    const said = this.#reported.value;
    this.#lookAgain(said.step === "starting");
    if (said.step === "on") this.#lastOn = said;
    // While it starts again its contents stay: the socket reconnects by itself.
    else if (said.step !== "starting") this.current = null;
  }

  /** `make` comes with the views; null while the workspace is off. */
  use(make: () => Workspace): Workspace | null {
    return this.facts.value.step === "on" ? (this.current ??= make()) : null;
  }

  // No event tells that it has started.
  #lookAgain(isStarting: boolean): void {
    clearTimeout(this.#again);
    if (!isStarting) {
      this.#looks = 0;
      return;
    }
    const waitMs = Math.min(MAX_LOOK_MS, FIRST_LOOK_MS * 2 ** this.#looks);
    this.#looks += 1;
    this.#again = setTimeout(() => void this.#config.load(), waitMs);
  }
}
