import { expect, test } from "bun:test";
import fc from "fast-check";
import { mayHaveChanged, type LastCapture } from "../../src/terminal/capture-plan.ts";
import { FakeProvider } from "../support/fake-provider.ts";

const provider = new FakeProvider();
provider.open();
const { panes } = await provider.list(new AbortController().signal);
const pane = panes.map((listed) => ({ ...listed, mark: "m", activity: 90 }))[0];
if (!pane) throw new Error("the fake lists its pane");
const last: LastCapture = { at: 100, mark: "m", captureLines: 200, hasFailed: false };

test.each([
  ["nothing moved", pane, last, false],
  ["never captured", pane, undefined, true],
  ["the mark moved", { ...pane, mark: "n" }, last, true],
  ["the last capture failed", pane, { ...last, hasFailed: true }, true],
  ["other lines are wanted", pane, { ...last, captureLines: 40 }, true],
  ["this server tells no activity", { ...pane, activity: 0 }, last, true],
] as const)("%s", (_name, listed, before, expected) => {
  expect(mayHaveChanged(listed, before, 200)).toBe(expected);
});

test("output after a capture is never missed, though its time is cut to the second", () => {
  const time = fc.double({ min: 1, max: 1e6, noNaN: true });
  fc.assert(
    fc.property(time, fc.double({ min: 0, max: 100, noNaN: true }), (at, later) => {
      const listed = { ...pane, activity: Math.floor(at + later) };
      expect(mayHaveChanged(listed, { ...last, at }, 200)).toBe(true);
    }),
  );
});

test("a pane is quiet two seconds after its last output", () => {
  const time = fc.double({ min: 10, max: 1e6, noNaN: true });
  fc.assert(
    fc.property(time, fc.double({ min: 2, max: 100, noNaN: true }), (output, later) => {
      const listed = { ...pane, activity: Math.floor(output) };
      expect(mayHaveChanged(listed, { ...last, at: output + later }, 200)).toBe(false);
    }),
  );
});
