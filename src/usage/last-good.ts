import type { Clock } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import { CollectorError } from "./command.ts";
import type { Part } from "./summary.ts";

export interface LastGoodDeps<T> {
  /** Its name in the log. */
  name: string;
  fetch: (signal: AbortSignal) => Promise<unknown>;
  parse: (output: unknown) => T | null;
  clock: Clock;
  log: Pick<Log, "info" | "warn">;
}

/** A value that is refreshed periodically; the last good one outlives failures. */
export class LastGood<T> {
  readonly #deps: LastGoodDeps<T>;
  #part: Part<T> = { value: null, fetchedAt: 0, failure: null };
  /** Monotonic seconds of the last good value. */
  #since = 0;

  constructor(deps: LastGoodDeps<T>) {
    this.#deps = deps;
  }

  get part(): Part<T> {
    return this.#part;
  }

  /** Seconds since the last good value; null when there is none. */
  get age(): number | null {
    return this.#part.fetchedAt === 0 ? null : this.#deps.clock.monotonic() - this.#since;
  }

  /** The result of an aborted refresh is dropped. */
  async refresh(signal: AbortSignal): Promise<void> {
    const { name, fetch, parse, clock, log } = this.#deps;
    try {
      const value = parse(await fetch(signal));
      if (value === null)
        throw new CollectorError("error", `The usage collector's ${name} has an unknown shape.`);
      if (signal.aborted) return;
      if (this.#part.failure) log.info(`usage ${name}: available again`);
      this.#part = { value, fetchedAt: clock.now(), failure: null };
      this.#since = clock.monotonic();
    } catch (error) {
      if (!(error instanceof CollectorError)) throw error;
      if (signal.aborted) return;
      const failure = { reason: error.reason, detail: error.message };
      if (this.#part.failure?.detail !== failure.detail)
        log.warn(`usage ${name}: ${error.message}`);
      this.#part = { ...this.#part, failure };
    }
  }

  forget(): void {
    this.#part = { value: null, fetchedAt: 0, failure: null };
  }
}
