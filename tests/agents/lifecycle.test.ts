import { expect, test } from "bun:test";
import { lifecycleOf, type LifecycleSigns } from "../../src/agents/binding/binding.ts";

const live: LifecycleSigns = {
  association: "confirmed",
  pane: "idle",
  process: null,
  log: "idle",
  isLogNewer: false,
  hasMovedOn: false,
  isOver: false,
};
const gone: LifecycleSigns = { ...live, association: "unavailable", pane: null, isOver: true };

test("the live pane of a confirmed session decides", () => {
  expect(lifecycleOf({ ...live, pane: "needs_input", log: "working" })).toBe("waiting");
  expect(lifecycleOf({ ...live, pane: "working" })).toBe("working");
  expect(lifecycleOf({ ...live, pane: "error" })).toBe("error");
  expect(lifecycleOf({ ...live, log: "working" })).toBe("idle");
  expect(lifecycleOf({ ...live, log: "error" })).toBe("error");
});

test("a sub-agent works while pane and log look idle", () => {
  expect(lifecycleOf({ ...live, process: "busy" })).toBe("working");
});

test("without a live pane the log decides", () => {
  expect(lifecycleOf({ ...live, pane: null, log: "working" })).toBe("working");
  expect(lifecycleOf({ ...live, association: "probable", pane: null, log: "working" })).toBe(
    "working",
  );
  expect(lifecycleOf({ ...live, association: "ambiguous", pane: null, log: "waiting" })).toBe(
    "waiting",
  );
});

test("a session that was left is offline, one that a daemon goes on with is not", () => {
  expect(lifecycleOf(gone)).toBe("offline");
  expect(lifecycleOf({ ...gone, log: "completed" })).toBe("completed");
  // Leaving one session for another ends it in order, in the words of its log.
  expect(lifecycleOf({ ...gone, log: "completed", hasMovedOn: true })).toBe("offline");
  expect(lifecycleOf({ ...gone, log: "working", isLogNewer: true })).toBe("working");
  expect(lifecycleOf({ ...gone, log: "working", isOver: false })).toBe("working");
});
