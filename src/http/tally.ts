/** Refusals that the log tells one by one within `TALLY_SECONDS`; what is on top of them is counted. */
export const TOLD_ONE_BY_ONE = 10;
export const TALLY_SECONDS = 60;

/** Refusals of one sort since the first of them. */
export interface Tally {
  readonly endsAt: number;
  readonly seen: number;
}

export const NO_TALLY: Tally = { endsAt: -Infinity, seen: 0 };

export interface Tallied {
  readonly tally: Tally;
  readonly isTold: boolean;
  /** How many before this one were only counted; told with the first of a new time. */
  readonly untold: number;
}

/** One more refusal. `now`: monotonic seconds. */
export function tallied({ endsAt, seen }: Tally, now: number): Tallied {
  if (now < endsAt)
    return { tally: { endsAt, seen: seen + 1 }, isTold: seen < TOLD_ONE_BY_ONE, untold: 0 };
  const untold = Math.max(0, seen - TOLD_ONE_BY_ONE);
  return { tally: { endsAt: now + TALLY_SECONDS, seen: 1 }, isTold: true, untold };
}
