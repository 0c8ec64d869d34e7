import type { PaneState } from "../protocol/pane.ts";
import { type Attention, followWorks, NO_ATTENTION, unwatched, type Work } from "./finished.ts";
import type { Moment } from "./moment.ts";
import type { PaneSight } from "./transitions.ts";

interface Marked {
  /** Monotonic seconds. */
  finishedAt: number;
  base: PaneState;
  state: PaneState;
}

/** Keeps `finished_at` (`pane_done_v1`) of all panes, by identity, from pass to pass. */
export class DoneMarks {
  #works: ReadonlyMap<string, Work> = new Map();
  readonly #attention = new Map<string, Attention>();
  /** So that an unchanged pane stays the very same object. */
  #marked = new Map<string, Marked>();

  /** Somebody looks at this pane, or acts on it. */
  noticed(identity: string, attention: Partial<Attention>): void {
    this.#attention.set(identity, { ...this.#attentionTo(identity), ...attention });
  }

  #attentionTo(identity: string): Attention {
    return this.#attention.get(identity) ?? NO_ATTENTION;
  }

  /** What a good pass saw, with who is done marked. */
  mark({ at, monotonic }: Moment, panes: readonly PaneSight[]): readonly PaneSight[] {
    this.#works = followWorks(this.#works, panes, monotonic, (identity) =>
      this.#attentionTo(identity),
    );
    const marked = new Map<string, Marked>();
    const result = panes.map((pane) => {
      const finishedAt = this.#works.get(pane.identity)?.finishedAt ?? null;
      if (finishedAt === null) return pane;
      const before = this.#marked.get(pane.identity);
      const known = before?.finishedAt === finishedAt ? before : undefined;
      const finished_at = known?.state.finished_at ?? at - (monotonic - finishedAt);
      const one =
        known?.base === pane.state
          ? known
          : { finishedAt, base: pane.state, state: { ...pane.state, finished_at } };
      marked.set(pane.identity, one);
      return { ...pane, state: one.state };
    });
    this.#marked = marked;
    for (const identity of this.#attention.keys())
      if (!this.#works.has(identity)) this.#attention.delete(identity);
    return result;
  }

  /** A pass failed: what went on meanwhile was not watched. */
  failed(): void {
    const works = [...this.#works].map(([identity, work]) => [identity, unwatched(work)] as const);
    this.#works = new Map(works);
  }
}
