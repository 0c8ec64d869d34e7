import { computed } from "@preact/signals";
import { workspaceOf, type WorkspaceFacts } from "../../model/config.ts";
import type { Workspace } from "./agents/workspace.ts";
import type { ConfigStore } from "./config.ts";

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
