import type { Clock } from "../../src/lib/clock.ts";

const STARTED_AT = 1_800_000_000;

/** Time that passes when the test says so. */
export class FakeClock implements Clock {
  #seconds = 0;
  #wallOffset = STARTED_AT;

  now(): number {
    return this.#wallOffset + this.#seconds;
  }

  monotonic(): number {
    return this.#seconds;
  }

  advance(seconds: number): void {
    this.#seconds += seconds;
  }

  /** Moves the wall clock alone, as a person or a time server does; a negative number sets it back. */
  adjustWall(seconds: number): void {
    this.#wallOffset += seconds;
  }
}
