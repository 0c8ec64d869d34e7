import { sinceOf, type Pane } from "../model/pane.ts";

/** Panes that were seen turning idle here, and when. */
export class Finished {
  readonly #status = new Map<string, string>();
  readonly #at = new Map<string, number>();

  learn(panes: readonly Pane[]): void {
    const present = new Set(panes.map((pane) => pane.id));
    for (const id of this.#status.keys())
      if (!present.has(id)) {
        this.#status.delete(id);
        this.#at.delete(id);
      }
    for (const pane of panes) {
      const before = this.#status.get(pane.id);
      this.#status.set(pane.id, pane.status);
      if (pane.status !== "idle") this.#at.delete(pane.id);
      else if (before === "working") this.#at.set(pane.id, sinceOf(pane));
    }
  }

  /** Epoch seconds, or null when it was not seen. */
  at(pane: Pane): number | null {
    return this.#at.get(pane.id) ?? null;
  }
}
