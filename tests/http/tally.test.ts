import { expect, test } from "bun:test";
import fc from "fast-check";
import { MAX_LOGGED, NO_TALLY, tallied, TALLY_SECONDS } from "../../src/http/auth.ts";

/** What becomes of refusals at these moments: how many are logged, counted, and logged as a count. */
function replay(moments: readonly number[]) {
  let tally = NO_TALLY;
  const logged: number[] = [];
  let counted = 0;
  let loggedAsCount = 0;
  for (const now of moments) {
    const next = tallied(tally, now);
    tally = next.tally;
    loggedAsCount += next.unlogged;
    if (next.isLogged) logged.push(now);
    else counted += 1;
  }
  return { logged, counted, loggedAsCount };
}

test("the first of a minute are logged one by one, the others as a count with the next minute", () => {
  const flood = Array.from({ length: 500 }, (_, i) => 7 + i / 100);
  const { logged, counted, loggedAsCount } = replay([...flood, 7 + TALLY_SECONDS]);
  expect(logged).toEqual([...flood.slice(0, MAX_LOGGED), 7 + TALLY_SECONDS]);
  expect([counted, loggedAsCount]).toEqual([490, 490]);
});

test("what comes now and then is logged one by one for ever", () => {
  const moments = Array.from({ length: 100 }, (_, i) => i * (TALLY_SECONDS / 5));
  expect(replay(moments)).toEqual({ logged: moments, counted: 0, loggedAsCount: 0 });
});

test("no refusal vanishes, and no minute has more lines than it may", () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0, max: 30, noNaN: true })), (gaps) => {
      let now = 0;
      const moments = gaps.map((gap) => (now += gap));
      const { logged, counted, loggedAsCount } = replay([...moments, now + TALLY_SECONDS]);
      expect(loggedAsCount).toBe(counted);
      for (const from of logged) {
        const within = logged.filter((at) => at >= from && at < from + TALLY_SECONDS);
        // Two windows meet in a minute at most.
        expect(within.length).toBeLessThanOrEqual(2 * MAX_LOGGED);
      }
    }),
  );
});
