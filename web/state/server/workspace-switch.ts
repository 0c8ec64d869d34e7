import { computed } from "@preact/signals";
import { workspaceOf, type WorkspaceFacts } from "../../model/config.ts";
import type { Workspace } from "./agents/workspace.ts";
import type { ConfigStore } from "./config.ts";

/** A workspace that is about to run is asked for again after this, then after twice as long. */
const FIRST_LOOK_MS = 500;
const MAX_LOOK_MS = 30_000;

/** The agent workspace while the server has it switched on; nothing of it is there before. */
export class WorkspaceSwitch {
  /** A server that has begun anew is about to run what this page shows all the while. */
  readonly facts = computed(() => {
    const said = this.#reported.value;
    const isAgain = said.step === "starting" && this.current !== null;
    return (isAgain ? this.#lastOn : null) ?? said;
  });
  /** What views have asked for since it is on. */
  current: Workspace | null = null;
  readonly #config: Pick<ConfigStore, "current" | "load">;
  readonly #reported = computed(() => workspaceOf(this.#config.current.value));
  /** As it was last. */
  #lastOn: WorkspaceFacts | null = null;
  #looks = 0;
  #again: ReturnType<typeof setTimeout> | undefined;

  constructor(config: Pick<ConfigStore, "current" | "load">) {
    this.#config = config;
  }

  /** Lets it go as the server says now. */
  follow(): void {
    const said = this.#reported.value;
    this.#lookAgain(said.step === "starting");
    if (said.step === "on") this.#lastOn = said;
    // What this page has of it stays while it starts again: the socket comes back by itself.
    else if (said.step !== "starting") this.current = null;
  }

  /** For a view, which brings along what makes it; null while it is not on. */
  use(make: () => Workspace): Workspace | null {
    return this.facts.value.step === "on" ? (this.current ??= make()) : null;
  }

  // No event tells that it runs: whoever connects before hears of it only when asking.
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
