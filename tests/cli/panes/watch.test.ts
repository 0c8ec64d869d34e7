import { expect, test } from "bun:test";
import { deadlineOf } from "../../../src/cli/panes/watch.ts";
import { StartupError } from "../../../src/errors.ts";

test.each([
  ["0.2", 200],
  ["86400", 86_400_000],
])("a timeout of %s seconds ends in time", (typed, ms) => {
  expect(deadlineOf(typed)).toBe(ms);
});

test.each([[undefined], ["3000000"], ["1e99"], ["Infinity"]])(
  "a timeout of %s never ends the wait",
  (typed) => {
    expect(deadlineOf(typed)).toBe(null);
  },
);

test.each([["-1"], [""], ["soon"], ["NaN"]])("%p is no timeout", (typed) => {
  expect(() => deadlineOf(typed)).toThrow(StartupError);
});
