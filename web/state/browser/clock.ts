import { signal } from "@preact/signals";

const TICK_MS = 1000;
/** The Date header has whole seconds and travels; a smaller difference says nothing. */
const TOLERANCE_MS = 2000;

/** One shared timer for every wait on the screen, in the server's time. */
export class Clock {
  /** Epoch seconds by the server's clock, once a second. */
  readonly now = signal(Date.now() / 1000);
  #offsetMs = 0;
  #timer: ReturnType<typeof setInterval> | undefined;

  start(): void {
    clearInterval(this.#timer);
    this.#tick();
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  learn(serverEpochMs: number): void {
    const offset = serverEpochMs - Date.now();
    this.#offsetMs = Math.abs(offset) > TOLERANCE_MS ? offset : 0;
  }

  /** Monotonic milliseconds. */
  monotonicMs(): number {
    return performance.now();
  }

  #tick(): void {
    this.now.value = (Date.now() + this.#offsetMs) / 1000;
  }
}
