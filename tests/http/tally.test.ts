import { expect, test } from "bun:test";
import fc from "fast-check";
import { NO_TALLY, tallied, TALLY_SECONDS, TOLD_ONE_BY_ONE } from "../../src/http/tally.ts";

/** What becomes of refusals at these moments: how many are told, counted, and told as a count. */
function replay(moments: readonly number[]) {
  let tally = NO_TALLY;
  const told: number[] = [];
  let counted = 0;
  let toldAsCount = 0;
  for (const now of moments) {
    const next = tallied(tally, now);
    tally = next.tally;
    toldAsCount += next.untold;
    if (next.isTold) told.push(now);
    else counted += 1;
  }
  return { told, counted, toldAsCount };
}

test("the first of a minute are told one by one, the others as a count with the next minute", () => {
  const flood = Array.from({ length: 500 }, (_, i) => 7 + i / 100);
  const { told, counted, toldAsCount } = replay([...flood, 7 + TALLY_SECONDS]);
  expect(told).toEqual([...flood.slice(0, TOLD_ONE_BY_ONE), 7 + TALLY_SECONDS]);
  expect([counted, toldAsCount]).toEqual([490, 490]);
});

test("what comes now and then is told one by one for ever", () => {
  const moments = Array.from({ length: 100 }, (_, i) => i * (TALLY_SECONDS / 5));
  expect(replay(moments)).toEqual({ told: moments, counted: 0, toldAsCount: 0 });
});

test("no refusal vanishes, and no minute has more lines than it may", () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0, max: 30, noNaN: true })), (gaps) => {
      let now = 0;
      const moments = gaps.map((gap) => (now += gap));
      const { told, counted, toldAsCount } = replay([...moments, now + TALLY_SECONDS]);
      expect(toldAsCount).toBe(counted);
      for (const from of told) {
        const within = told.filter((at) => at >= from && at < from + TALLY_SECONDS);
        // Two times meet in a minute at most.
        expect(within.length).toBeLessThanOrEqual(2 * TOLD_ONE_BY_ONE);
      }
    }),
  );
});
