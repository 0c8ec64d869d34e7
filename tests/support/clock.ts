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

/** Time that passes by itself; a wall time that is not null stands in for the real one. */
export class RunningClock extends FakeClock {
  readonly #wall: () => number | null;

  constructor(wall: () => number | null) {
    super();
    this.#wall = wall;
  }

  override now(): number {
    return this.#wall() ?? Date.now() / 1000;
  }

  override monotonic(): number {
    return super.monotonic() + performance.now() / 1000;
  }
}
