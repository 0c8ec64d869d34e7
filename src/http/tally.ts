/** Refusals that are logged one by one within `TALLY_SECONDS`; those beyond are only counted. */
export const MAX_LOGGED = 10;
export const TALLY_SECONDS = 60;

/** Refusals of one sort in the current window. */
export interface Tally {
  readonly endsAt: number;
  readonly seen: number;
}

export const NO_TALLY: Tally = { endsAt: -Infinity, seen: 0 };

export interface Tallied {
  readonly tally: Tally;
  readonly isLogged: boolean;
  /** How many of the window before were only counted; logged with the first of a new window. */
  readonly unlogged: number;
}

/** Counts one more refusal. `now`: monotonic seconds. */
export function tallied({ endsAt, seen }: Tally, now: number): Tallied {
  if (now < endsAt)
    return { tally: { endsAt, seen: seen + 1 }, isLogged: seen < MAX_LOGGED, unlogged: 0 };
  const unlogged = Math.max(0, seen - MAX_LOGGED);
  return { tally: { endsAt: now + TALLY_SECONDS, seen: 1 }, isLogged: true, unlogged };
}
