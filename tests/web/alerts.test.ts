import { expect, test } from "bun:test";
import { stepAlerts, withoutTwins } from "../../web/state/browser/alerts.ts";
import { pane } from "../support/pane.ts";

const waiting = (...ids: string[]) => ids.map((id) => pane({ id, status: "needs_input" }));
const ids = (panes: readonly { id: string }[]) => panes.map(({ id }) => id);

test("what waits at the start is no news; the transition to waiting is, once", () => {
  const first = stepAlerts(null, waiting("a"));
  expect(first.fresh).toEqual([]);
  const second = stepAlerts(first.alerted, waiting("a", "b"));
  expect(ids(second.fresh)).toEqual(["b"]);
  expect(stepAlerts(second.alerted, waiting("a", "b")).fresh).toEqual([]);
});

test("a pane that stops waiting is over, and news again when it waits anew", () => {
  const first = stepAlerts(null, waiting("a", "b"));
  const second = stepAlerts(first.alerted, waiting("b"));
  expect(second.over).toEqual(["a"]);
  expect(ids(stepAlerts(second.alerted, waiting("a", "b")).fresh)).toEqual(["a"]);
});

test("one that waited and has failed is news without being over, and so the other way round", () => {
  const failed = [pane({ id: "a", status: "error" })];
  const first = stepAlerts(stepAlerts(null, []).alerted, waiting("a"));
  const second = stepAlerts(first.alerted, failed);
  expect([ids(second.fresh), second.over]).toEqual([["a"], []]);
  expect(stepAlerts(second.alerted, failed).fresh).toEqual([]);
  expect(ids(stepAlerts(second.alerted, waiting("a")).fresh)).toEqual(["a"]);
});

test("agents that a limit holds are one alert", () => {
  const parked = { reason: "5-hour limit", until: 5000, continues: false };
  const [one, two, three] = ["%1", "%2", "%3"].map((id) => pane({ id, status: "error", parked }));
  if (!one || !two || !three) throw new Error("three panes");
  const broken = pane({ id: "%4", status: "error" });
  expect(withoutTwins([one, broken, two], [one, broken, two])).toEqual([one, broken]);
  expect(withoutTwins([three, broken], [one, two, three, broken])).toEqual([broken]);
});
