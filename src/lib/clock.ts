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

/** One moment on both clocks. */
export interface Moment {
  /** Epoch seconds: what people are shown. A clock that is set moves it. */
  at: number;
  /** Monotonic seconds: what durations are measured in. */
  monotonic: number;
}

export function momentOf(clock: Clock): Moment {
  return { at: clock.now(), monotonic: clock.monotonic() };
}

/** So long a wall clock must have told a time that it has jumped to; seconds. */
const PROVEN_SECONDS = 2 * 3600;

/**
 * The time by which things are deleted for their age. A wall clock that is set wrong, by a person or
 * where a machine resumes, would delete what nothing brings back, and is set right again soon: a jump
 * ahead counts from the second look on. What is told at the start is believed.
 */
export class AgeClock {
  readonly #clock: Clock;
  #look: Moment;
  #hasLooked = false;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#look = momentOf(clock);
  }

  /** Epoch seconds: no later than the time at the last look and what has passed since. */
  now(): number {
    const { at, monotonic } = momentOf(this.#clock);
    return Math.min(at, this.#look.at + monotonic - this.#look.monotonic);
  }

  /** Whether it is time to delete, and then to look again: at the start, and every two hours. */
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
