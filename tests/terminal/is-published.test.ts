import { expect, test } from "bun:test";
import { isPublished } from "../../src/terminal/is-published.ts";
import { pane as paneState } from "../support/pane.ts";

test.each([
  ["any pane that was discovered", { kind: "generic" }, {}, {}, true],
  ["no shell", { kind: "shell" }, {}, {}, false],
  ["a shell when shells are wanted", { kind: "shell" }, { include_shells: true }, {}, true],
  ["a shell that waits", { kind: "shell", status: "needs_input" }, {}, {}, true],
  ["a shell made here", { kind: "shell" }, {}, { isCreatedHere: true }, true],
  ["a shell with an override", { kind: "shell" }, {}, { hasOverride: true }, true],
  ["nothing without discovery", { kind: "generic" }, { auto_discover: false }, {}, false],
  ["but overrides", { kind: "shell" }, { auto_discover: false }, { hasOverride: true }, true],
] as const)("shown: %s", (_name, state, rules, facts, expected) => {
  const isIt = isPublished(
    paneState(state),
    { auto_discover: true, include_shells: false, ...rules },
    { hasOverride: false, isCreatedHere: false, ...facts },
  );
  expect(isIt).toBe(expected);
});
