import { expect, test } from "bun:test";
import fc from "fast-check";
import { completeAt, isQuiet } from "../../../src/terminal/mux/quiet.ts";
import { forAll } from "../../support/laws.ts";

const facts = { mark: "m", completeAt: 90 };

test.each([
  ["nothing moved", facts, facts, 100, true],
  ["nothing moved, but more may have been printed in that second", facts, facts, 89.9, false],
  ["never listed", facts, undefined, 100, false],
  ["the mark moved", { ...facts, mark: "n" }, facts, 100, false],
  ["this server tells no activity", facts, { ...facts, completeAt: Infinity }, 100, false],
] as const)("whether a pane is quiet: %s", (_name, now, captured, capturedAt, expected) => {
  expect(isQuiet(now, captured, capturedAt)).toBe(expected);
});

test("output after a capture never counts as quiet, whatever second and clock its time is cut to", () => {
  const time = fc.double({ min: 1, max: 1e6, noNaN: true });
  const later = fc.double({ min: 0, max: 100, noNaN: true });
  const ahead = fc.double({ min: -600, max: 600, noNaN: true });
  forAll([time, later, later, ahead], (output, listing, capture, skew) => {
    const secondOf = (at: number) => Math.floor(at + skew);
    const seenAt = output + listing;
    // In the second of a capture more output may come: that capture may be incomplete.
    const isLast = seenAt + capture >= completeAt(seenAt);
    if (isLast) expect(secondOf(seenAt + capture)).toBeGreaterThan(secondOf(output));
  });
});
