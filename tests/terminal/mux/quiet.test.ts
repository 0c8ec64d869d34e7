import { expect, test } from "bun:test";
import fc from "fast-check";
import { isQuiet } from "../../../src/terminal/mux/quiet.ts";

const facts = { mark: "m", activity: 90 };

test.each([
  ["nothing moved", facts, facts, true],
  ["never listed", facts, undefined, false],
  ["the mark moved", { ...facts, mark: "n" }, facts, false],
  ["this server tells no activity", { ...facts, activity: 0 }, facts, false],
] as const)("%s", (_name, now, captured, expected) => {
  expect(isQuiet(now, captured, 100)).toBe(expected);
});

test("output after a capture is never missed, though its time is cut to the second", () => {
  const time = fc.double({ min: 1, max: 1e6, noNaN: true });
  fc.assert(
    fc.property(time, fc.double({ min: 0, max: 100, noNaN: true }), (at, later) => {
      expect(isQuiet({ ...facts, activity: Math.floor(at + later) }, facts, at)).toBe(false);
    }),
  );
});

test("a pane is quiet two seconds after its last output", () => {
  const time = fc.double({ min: 10, max: 1e6, noNaN: true });
  fc.assert(
    fc.property(time, fc.double({ min: 2, max: 100, noNaN: true }), (output, later) => {
      expect(isQuiet({ ...facts, activity: Math.floor(output) }, facts, output + later)).toBe(true);
    }),
  );
});
