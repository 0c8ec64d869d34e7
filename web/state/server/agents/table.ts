import { batch, signal, type ReadonlySignal, type Signal } from "@preact/signals";
import { sameValue } from "../../../model/reuse.ts";

interface Row {
  readonly id: string;
  readonly revision: number;
}

/**
 * One row for each thing of a kind, whichever reply it came with. The newest revision wins, and a row
 * that says nothing new stays the very object that it was.
 */
export class Table<T extends Row> {
  readonly #rows = new Map<string, Signal<T | null>>();
  /** Rows that any other may replace: revisions may have begun anew. */
  #expired = new Set<string>();

  /** What reads it follows the row; null while nothing is known of it. */
  get(id: string): ReadonlySignal<T | null> {
    return this.#row(id);
  }

  upsert(rows: readonly T[]): T[] {
    return batch(() => rows.map((row) => this.#take(row)));
  }

  drop(isGone: (row: T) => boolean): void {
    batch(() => {
      for (const row of this.#rows.values())
        if (row.value !== null && isGone(row.value)) row.value = null;
    });
  }

  /** Another run of the server counts revisions: what is read next is newer, whatever it says. */
  expire(): void {
    this.#expired = new Set(this.#rows.keys());
  }

  clear(): void {
    this.drop(() => true);
    this.#rows.clear();
  }

  #take(row: T): T {
    const known = this.#row(row.id);
    const before = known.peek();
    const isOlder = before !== null && row.revision < before.revision && !this.#expired.has(row.id);
    if (before !== null && (isOlder || sameValue(before, row))) return before;
    this.#expired.delete(row.id);
    known.value = row;
    return row;
  }

  #row(id: string): Signal<T | null> {
    const known = this.#rows.get(id);
    if (known !== undefined) return known;
    const row = signal<T | null>(null);
    this.#rows.set(id, row);
    return row;
  }
}
