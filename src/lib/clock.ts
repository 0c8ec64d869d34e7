export interface Clock {
  /** Wall clock, epoch seconds with a fraction. */
  now(): number;
  /** Monotonic seconds with a fraction; only differences mean something. */
  monotonic(): number;
}

export const systemClock: Clock = {
  now: () => Date.now() / 1000,
  monotonic: () => performance.now() / 1000,
};

export interface Moment {
  /** Epoch seconds, for people: it jumps when the clock is set. */
  at: number;
  /** Monotonic seconds, for durations. */
  monotonic: number;
}

export function momentOf(clock: Clock): Moment {
  return { at: clock.now(), monotonic: clock.monotonic() };
}

/** How long a wall clock must run on after a jump before the jump is believed. */
const PROVEN_SECONDS = 2 * 3600;

/**
 * The time by which things are deleted for their age. A clock that is set wrong for a while, by a
 * person or as a machine resumes, would delete what nothing brings back: a jump ahead counts from the
 * second look on. The time at the start is believed.
 */
export class AgeClock {
  readonly #clock: Clock;
  #look: Moment;
  #hasLooked = false;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#look = momentOf(clock);
  }

  /** Epoch seconds: at most the time of the last look plus what has passed since. */
  now(): number {
    const { at, monotonic } = momentOf(this.#clock);
    return Math.min(at, this.#look.at + monotonic - this.#look.monotonic);
  }

  /** Whether to delete now and then call `look`: at the start, and every two hours. */
  get isDue(): boolean {
    return !this.#hasLooked || this.isProven;
  }

  look(): void {
    this.#hasLooked = true;
    if (this.isProven) this.#look = momentOf(this.#clock);
  }

  get isProven(): boolean {
    return this.#clock.monotonic() - this.#look.monotonic >= PROVEN_SECONDS;
  }
}
