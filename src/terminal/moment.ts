import type { Clock } from "../lib/clock.ts";

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
