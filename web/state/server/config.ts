import { computed, signal } from "@preact/signals";
import type { ConfigReply, LiveConfig } from "../../../src/protocol/config.ts";
import {
  isCompatible,
  readConfig,
  versionOf,
  workspaceOf,
  type WorkspaceFacts,
} from "../../model/config.ts";
import type { Result } from "../../net/api.ts";
import type { Workspace } from "./agents/workspace.ts";
import { Part } from "./part.ts";

type LoadResult = "ok" | "unauthorized" | "incompatible" | "lost";

export class ConfigStore extends Part {
  readonly current = signal<ConfigReply | null>(null);
  /** Known even where the server is incompatible. */
  readonly serverVersion = signal("");
  readonly labels = computed(() => this.current.value?._info.labels ?? {});
  readonly allowedKeys = computed(() => this.current.value?._info.allowed_keys ?? []);
  /** Counts requests and changes, to recognise late replies. */
  #turn = 0;
  #takenTurn = 0;

  has(capability: keyof ConfigReply["_info"]["capabilities"]): boolean {
    return versionOf(this.current.value?._info.capabilities?.[capability]) > 0;
  }

  /** A reply that a later one has overtaken is dropped. */
  async load(): Promise<LoadResult> {
    const turn = ++this.#turn;
    const result = await this.server.api.call("GET /api/config");
    if (!result.ok) return result.failure.kind === "unauthorized" ? "unauthorized" : "lost";
    if (turn < this.#takenTurn) return "ok";
    const info: unknown = result.value?._info;
    if (typeof info !== "object" || info === null) return "incompatible";
    const fields = { ...info } as Record<string, unknown>;
    this.serverVersion.value = typeof fields.version === "string" ? fields.version : "";
    if (!isCompatible(fields)) return "incompatible";
    this.#take(turn, result.value);
    return "ok";
  }

  async patch(json: Partial<LiveConfig>): Promise<Result<unknown>> {
    const turn = ++this.#turn;
    const result = await this.server.api.call("PATCH /api/config", { json });
    if (!result.ok) return result;
    const isAlone = turn === this.#turn;
    this.#take(++this.#turn, result.value);
    // What was asked meanwhile may be older or newer than this reply.
    if (!isAlone) void this.load();
    return result;
  }

  #take(turn: number, reply: ConfigReply): void {
    this.#takenTurn = turn;
    this.current.value = readConfig(reply);
  }
}

/** The agent workspace, while the server has it switched on. */
export class WorkspaceSwitch extends Part {
  /** While a restarted server opens its store, the page goes on showing the workspace. */
  readonly facts = computed(() => {
    const said = this.#reported.value;
    return (this.isStarting.value && this.current !== null ? this.#lastOn : null) ?? said;
  });
  readonly isStarting = computed(() => this.#reported.value.step === "starting");
  /** Null until a view uses it. */
  current: Workspace | null = null;
  readonly #reported = computed(() => workspaceOf(this.server.config.current.value));
  /** The last facts while it was on. */
  #lastOn: WorkspaceFacts | null = null;

  /** Drops the workspace when it was switched off. */
  follow(): void {
    const said = this.#reported.value;
    if (said.step === "on") this.#lastOn = said;
    // While it starts again its contents stay: the socket reconnects by itself.
    else if (said.step !== "starting") this.current = null;
  }

  /** `make` comes with the views; null while the workspace is off. */
  use(make: () => Workspace): Workspace | null {
    return this.facts.value.step === "on" ? (this.current ??= make()) : null;
  }
}
