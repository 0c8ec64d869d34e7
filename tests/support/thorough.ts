import { test } from "bun:test";

/**
 * `npm run test:all` looks at every case; `npm test` takes a sample where a suite is exhaustive, so
 * that it can be run before every commit.
 */
export const IS_THOROUGH = process.env.PANEWATCH_THOROUGH === "1";

/**
 * A test that `npm run test:all` alone runs: another form of what a test beside it shows, or a part
 * of the page at which nothing can be sent wrongly. `npm test` counts it as left out. Where no `it`
 * is in its way a file calls it that.
 */
export const rare = test.skipIf(!IS_THOROUGH);

/**
 * All of the cases, or of a sample those whose turn it is: each in turn belongs to one of `parts`,
 * and `pick` says which part is taken. Neighbours fall into different parts.
 */
export function sampled<T>(cases: readonly T[], parts: number, pick = 0): readonly T[] {
  if (IS_THOROUGH) return cases;
  return cases.filter((_, index) => index % parts === pick % parts);
}

/** How often a law is tried: so many times, or of a sample a quarter of them. */
export function runs(many: number): number {
  return IS_THOROUGH ? many : Math.ceil(many / 4);
}
