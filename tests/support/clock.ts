import type { Clock } from "../../src/lib/clock.ts";

/** Time that passes when the test says so. */
export class FakeClock implements Clock {
  #seconds = 0;

  now(): number {
    return 1_800_000_000 + this.#seconds;
  }

  monotonic(): number {
    return this.#seconds;
  }

  advance(seconds: number): void {
    this.#seconds += seconds;
  }
}
