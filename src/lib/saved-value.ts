interface Pending<T> {
  change: (value: T) => T;
  done: PromiseWithResolvers<void>;
}

/**
 * A value that is in force once it is written: what could not be saved has not happened. Changes
 * that come while it is being written share the next write.
 */
export class SavedValue<T> {
  readonly #write: (value: T) => Promise<void>;
  #current: T;
  #pending: Pending<T>[] = [];
  #isStale = false;
  #writing: Promise<void> | null = null;
  readonly #againAfterMs: number;
  #again: Timer | null = null;
  #isClosed = false;

  constructor(saved: T, write: (value: T) => Promise<void>, againAfterMs = 30_000) {
    this.#current = saved;
    this.#write = write;
    this.#againAfterMs = againAfterMs;
  }

  get current(): T {
    return this.#current;
  }

  /**
   * `change` is given the value that the changes before it left, and gives a new one. Rejects with
   * what it throws, or with why the value could not be written; then nothing of it holds. Once closed
   * it always rejects.
   */
  change(change: (value: T) => T): Promise<void> {
    if (this.#isClosed)
      return Promise.reject(new Error("cannot save a change: the value is closed"));
    const done = Promise.withResolvers<void>();
    this.#pending.push({ change, done });
    this.#writing ??= this.#writeAll();
    return done.promise;
  }

  /** Writes the value again, soon, until it is written: what is written beside it has changed. */
  touch(): void {
    if (this.#isClosed) return;
    this.#isStale = true;
    this.#writing ??= this.#writeAll();
  }

  /** Resolves when nothing is left to write. */
  async saved(): Promise<void> {
    await this.#writing;
  }

  /** Resolves when nothing is left to write. Nothing is written afterwards: the file may be another's. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#again !== null) clearTimeout(this.#again);
    await this.#writing;
  }

  async #writeAll(): Promise<void> {
    while (this.#pending.length > 0 || this.#isStale)
      await this.#writeNext(this.#pending.splice(0));
    // In the same turn as the last look at what is pending: no change falls between.
    this.#writing = null;
  }

  async #writeNext(batch: readonly Pending<T>[]): Promise<void> {
    let value = this.#current;
    const taken: PromiseWithResolvers<void>[] = [];
    for (const { change, done } of batch) {
      try {
        value = change(value);
        taken.push(done);
      } catch (refusal) {
        done.reject(refusal);
      }
    }
    const wasStale = this.#isStale;
    try {
      const isWritten = value === this.#current && !wasStale;
      this.#isStale = false;
      if (!isWritten) await this.#write(value);
      this.#current = value;
      for (const { resolve } of taken) resolve();
    } catch (error) {
      for (const { reject } of taken) reject(error);
      if (wasStale) this.#writeLater();
    }
  }

  #writeLater(): void {
    if (this.#isClosed || this.#again !== null) return;
    const again = () => {
      this.#again = null;
      this.touch();
    };
    this.#again = setTimeout(again, this.#againAfterMs).unref();
  }
}
