import fc from "fast-check";
import { runs } from "./thorough.ts";

type Values = [unknown, ...unknown[]];
type Of<Ts extends Values> = { [K in keyof Ts]: fc.Arbitrary<Ts[K]> };
type Check<Ts extends Values, R> = (...each: Ts) => R;
type Sync = boolean | void;

const MANY = 200;

/**
 * Fails with the smallest counterexample where this does not hold for all values. It is tried `many`
 * times by `npm run test:all`, and a quarter as often by `npm test`.
 */
export function forAll<Ts extends Values>(values: Of<Ts>, holds: Check<Ts, Sync>): void;
export function forAll<Ts extends Values>(
  values: Of<Ts>,
  many: number,
  holds: Check<Ts, Sync>,
): void;
export function forAll<Ts extends Values>(
  values: Of<Ts>,
  ...how: [Check<Ts, Sync>] | [number, Check<Ts, Sync>]
): void {
  const [many, holds] = how.length === 1 ? [MANY, how[0]] : how;
  fc.assert(fc.property<Ts>(...values, holds), { numRuns: runs(many) });
}

/** The same for a check that is awaited. */
export async function forAllInTime<Ts extends Values>(
  values: Of<Ts>,
  many: number,
  holds: Check<Ts, Promise<Sync>>,
): Promise<void> {
  await fc.assert(fc.asyncProperty<Ts>(...values, holds), { numRuns: runs(many) });
}
