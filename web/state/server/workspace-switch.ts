import { computed, signal } from "@preact/signals";
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
    const said = this.#said.value;
    const isAgain = said.step === "starting" && this.current.value !== null;
    return (isAgain ? this.#on : null) ?? said;
  });
  readonly current = signal<Workspace | null>(null);
  /** Its code did not come. */
  readonly hasFailed = signal(false);
  readonly #config: Pick<ConfigStore, "current" | "load">;
  readonly #load: () => Promise<Workspace>;
  readonly #said = computed(() => workspaceOf(this.#config.current.value));
  /** As it was last. */
  #on: WorkspaceFacts | null = null;
  #opening: Promise<void> | null = null;
  #looks = 0;
  #again: ReturnType<typeof setTimeout> | undefined;

  /** `load` brings its code, once it is needed. */
  constructor(config: Pick<ConfigStore, "current" | "load">, load: () => Promise<Workspace>) {
    this.#config = config;
    this.#load = load;
  }

  /** Opens or closes it as the server says now. */
  follow(): void {
    const said = this.#said.value;
    this.#lookAgain(said.step === "starting");
    // What this page has of it stays: the socket comes back by itself.
    if (said.step === "starting" && this.current.peek() !== null) return;
    if (said.step !== "on") return void (this.current.value = null);
    this.#on = said;
    if (this.current.peek() === null) void this.retry();
  }

  /** Also for a person, after its code did not come. */
  retry(): Promise<void> {
    this.#opening ??= this.#open().finally(() => {
      this.#opening = null;
    });
    return this.#opening;
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

  async #open(): Promise<void> {
    try {
      const workspace = await this.#load();
      this.hasFailed.value = false;
      // Switched off while it was on its way.
      if (this.facts.peek().step !== "on" || this.current.peek() !== null) return;
      this.current.value = workspace;
    } catch {
      this.hasFailed.value = true;
    }
  }
}
