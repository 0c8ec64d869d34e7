import { expect, test } from "bun:test";
import { findPane } from "../../../src/cli/panes/service-panes.ts";
import { StartupError } from "../../../src/errors.ts";
import { pane } from "../../support/pane.ts";

const PANES = [
  pane({ id: "%1", target: "sh:0.0", name: "api" }),
  pane({ id: "%2", target: "sh:1.0", name: "api" }),
  pane({ id: "%3", target: "sh:2.0", name: "docs" }),
];

test("a pane is named by its target or its id", () => {
  expect(findPane(PANES, "sh:1.0").id).toBe("%2");
  expect(findPane(PANES, "%3").id).toBe("%3");
});

test.each([
  ["api", "no pane api: say which one: sh:0.0, sh:1.0"],
  ["docs", "no pane docs: say which one: sh:2.0"],
  ["nowhere", "no pane nowhere: panewatch ls shows them"],
])("%s is refused: a name is no address", (typed, message) => {
  expect(() => findPane(PANES, typed)).toThrow(new StartupError(message));
});
