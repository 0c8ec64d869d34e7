import type { Clock } from "../../lib/clock.ts";
import type { AgentStore } from "../store/store.ts";

const DAY_SECONDS = 24 * 60 * 60;

/** Epoch seconds before which nothing is kept, and nothing imported. */
export function retainedFrom(now: number, days: number): number {
  return now - days * DAY_SECONDS;
}

/** Deletes what is older than it may be: at the start, then once a day. */
export class Retention {
  readonly #store: AgentStore;
  readonly #days: number;
  readonly #clock: Pick<Clock, "monotonic">;
  #dueAt = Number.NEGATIVE_INFINITY;

  constructor(store: AgentStore, days: number, clock: Pick<Clock, "monotonic">) {
    this.#store = store;
    this.#days = days;
    this.#clock = clock;
  }

  get from(): number {
    return retainedFrom(this.#store.now, this.#days);
  }

  /** One that is aborted goes on next time. */
  async keep(signal: AbortSignal): Promise<void> {
    const now = this.#clock.monotonic();
    if (now < this.#dueAt || signal.aborted) return;
    const store = this.#store;
    const isDone = await store.inBatches(() => store.expiry.expire(this.from), signal);
    if (isDone) this.#dueAt = now + DAY_SECONDS;
  }
}
