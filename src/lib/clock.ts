/** Time as a port, so that tests control it. */
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
