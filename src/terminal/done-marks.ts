import type { PaneState } from "../protocol/pane.ts";
import { followWorks, type Work } from "./finished.ts";
import type { PaneSight } from "./transitions.ts";

interface Marked {
  base: PaneState;
  state: PaneState;
}

/** Keeps `finished_at` (`pane_done_v1`) of all panes, by identity, from pass to pass. */
export class DoneMarks {
  #works: ReadonlyMap<string, Work> = new Map();
  #seenAt = new Map<string, number>();
  /** So that an unchanged pane stays the very same object. */
  #marked = new Map<string, Marked>();

  /** Somebody looks at this pane. */
  seen(identity: string, at: number): void {
    this.#seenAt.set(identity, at);
  }

  /** What a good pass saw, with who is done marked. */
  mark(at: number, panes: readonly PaneSight[]): readonly PaneSight[] {
    const sighted = { at, panes, hasFailed: false };
    this.#works = followWorks(this.#works, sighted, (identity) => this.#seenAt.get(identity) ?? 0);
    const marked = new Map<string, Marked>();
    const result = panes.map((pane) => {
      const finishedAt = this.#works.get(pane.identity)?.finishedAt ?? null;
      if (finishedAt === null) return pane;
      const before = this.#marked.get(pane.identity);
      const isSame = before?.base === pane.state && before.state.finished_at === finishedAt;
      const one = isSame
        ? before
        : { base: pane.state, state: { ...pane.state, finished_at: finishedAt } };
      marked.set(pane.identity, one);
      return { ...pane, state: one.state };
    });
    this.#marked = marked;
    for (const identity of this.#seenAt.keys())
      if (!this.#works.has(identity)) this.#seenAt.delete(identity);
    return result;
  }

  /** A pass failed: what went on meanwhile was not watched. */
  failed(at: number): void {
    this.#works = followWorks(this.#works, { at, panes: [], hasFailed: true }, () => 0);
  }
}
