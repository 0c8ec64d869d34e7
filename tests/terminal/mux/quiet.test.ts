import { expect, test } from "bun:test";
import fc from "fast-check";
import { completeAt, isQuiet } from "../../../src/terminal/mux/quiet.ts";

const facts = { mark: "m", completeAt: 90 };

test.each([
  ["nothing moved", facts, facts, 100, true],
  ["nothing moved, but more may have been printed in that second", facts, facts, 89.9, false],
  ["never listed", facts, undefined, 100, false],
  ["the mark moved", { ...facts, mark: "n" }, facts, 100, false],
  ["this server tells no activity", facts, { ...facts, completeAt: Infinity }, 100, false],
] as const)("%s", (_name, now, captured, capturedAt, expected) => {
  expect(isQuiet(now, captured, capturedAt)).toBe(expected);
});

const CLOCK_MOVES = fc.integer({ min: -600, max: 600 }).filter((seconds) => seconds !== 0);

test("output after a capture is never missed, though its time is cut to the second", () => {
  const time = fc.double({ min: 1, max: 1e6, noNaN: true });
  const later = fc.double({ min: 0, max: 100, noNaN: true });
  fc.assert(
    fc.property(time, later, later, (output, listing, capture) => {
      const activity = Math.floor(output);
      const at = output + listing;
      const complete = completeAt(activity, { at, monotonic: at });
      // A capture in the same second that output may still come in is not the last word.
      if (Math.floor(at + capture) === activity) expect(at + capture).toBeLessThan(complete);
    }),
  );
});

test("a pane is quiet two seconds after its last output, wherever the clock was set to", () => {
  const time = fc.double({ min: 1000, max: 1e6, noNaN: true });
  fc.assert(
    fc.property(time, CLOCK_MOVES, (output, moved) => {
      const now = { at: output + moved, monotonic: output };
      expect(completeAt(Math.floor(output), now)).toBeLessThanOrEqual(output + 2);
    }),
  );
});
