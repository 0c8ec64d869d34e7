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
