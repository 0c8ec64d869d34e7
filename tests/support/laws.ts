import fc from "fast-check";

type Values = [unknown, ...unknown[]];
type Of<Ts extends Values> = { [K in keyof Ts]: fc.Arbitrary<Ts[K]> };
type Check<Ts extends Values, R> = (...each: Ts) => R;
type Sync = boolean | void;

/** As many values as fast-check tries by itself. */
const RUNS = 100;

/** What holds for all of these values; else the smallest that is found against it is told. */
export function forAll<Ts extends Values>(values: Of<Ts>, holds: Check<Ts, Sync>): void;
export function forAll<Ts extends Values>(
  values: Of<Ts>,
  runs: number,
  holds: Check<Ts, Sync>,
): void;
export function forAll<Ts extends Values>(
  values: Of<Ts>,
  ...how: [Check<Ts, Sync>] | [number, Check<Ts, Sync>]
): void {
  const [numRuns, holds] = how.length === 1 ? [RUNS, how[0]] : how;
  fc.assert(fc.property<Ts>(...values, holds), { numRuns });
}

/** The same of what takes its time. */
export async function forAllInTime<Ts extends Values>(
  values: Of<Ts>,
  runs: number,
  holds: Check<Ts, Promise<Sync>>,
): Promise<void> {
  await fc.assert(fc.asyncProperty<Ts>(...values, holds), { numRuns: runs });
}
