import { signal } from "@preact/signals";
import { sinceOf, type Pane } from "../../model/pane.ts";
import { sameValue } from "../../model/reuse.ts";

/** Panes that were seen turning idle here, and when. */
export class Finished {
  #status: ReadonlyMap<string, string> = new Map();
  readonly #at = signal<Readonly<Record<string, number>>>({});

  learn(panes: readonly Pane[]): void {
    const at: Record<string, number> = {};
    for (const pane of panes) {
      if (pane.status !== "idle") continue;
      const known = this.#at.peek()[pane.id];
      if (this.#status.get(pane.id) === "working") at[pane.id] = sinceOf(pane);
      else if (known !== undefined) at[pane.id] = known;
    }
    this.#status = new Map(panes.map((pane) => [pane.id, pane.status]));
    if (!sameValue(at, this.#at.peek())) this.#at.value = at;
  }

  clear(): void {
    this.#status = new Map();
    this.#at.value = {};
  }

  /** Epoch seconds, or null when it was not seen. */
  at(pane: Pane): number | null {
    return this.#at.value[pane.id] ?? null;
  }
}
