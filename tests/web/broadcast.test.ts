import { expect, test } from "bun:test";
import type { Pane } from "../../web/model/pane.ts";
import { leftOutReason, readFailures, recipientsOf } from "../../web/model/broadcast.ts";
import { pane } from "../support/pane.ts";

const working = (members: Partial<Pane> = {}): Pane => ({
  ...pane({ status: "working" }),
  ...members,
});

test("who cannot get a broadcast is left out, each for its reason", () => {
  expect(leftOutReason(working())).toBeNull();
  expect(leftOutReason(working({ status: "error" }))).toBeNull();
  expect(leftOutReason(working({ status: "needs_input" }))).toBe("waiting");
  expect(leftOutReason(working({ status: "offline" }))).toBe("offline");
  expect(leftOutReason(working({ stale: true }))).toBe("stale");
  expect(leftOutReason(working({ actionable: false }))).toBe("read_only");
  const { capabilities } = working();
  expect(leftOutReason(working({ capabilities: { ...capabilities, input: "guarded_v1" } }))).toBe(
    "guarded",
  );
  expect(leftOutReason(working({ capabilities: { ...capabilities, broadcast: false } }))).toBe(
    "read_only",
  );
});

test("a chosen pane that has begun to wait is no recipient any more", () => {
  const panes = [working({ id: "%1" }), working({ id: "%2", status: "needs_input" })];
  const ids = recipientsOf(panes, new Set(["%1", "%2", "%3"])).map(({ id }) => id);
  expect(ids).toEqual(["%1"]);
});

test("failures are read by the ids that were sent, colons in them or not", () => {
  const recipients = [working({ id: "a:b", name: "first" }), working({ id: "%2", name: "second" })];
  expect(readFailures(["a:b: gone", "%2: cannot: really", "whole"], recipients)).toEqual([
    { id: "a:b", name: "first", reason: "gone" },
    { id: "%2", name: "second", reason: "cannot: really" },
    { id: "", name: "", reason: "whole" },
  ]);
});
