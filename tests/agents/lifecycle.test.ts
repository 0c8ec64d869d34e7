import { expect, test } from "bun:test";
import { lifecycleIn, lifecycleWithout } from "../../src/agents/binding/binding.ts";
import type { AgentLifecycle, Association } from "../../src/protocol/agents.ts";
import type { PaneStatus } from "../../src/protocol/pane.ts";
import { NO_CLAIMS } from "./support/candidates.ts";

const live = (status: PaneStatus, log: AgentLifecycle, claims = NO_CLAIMS) =>
  lifecycleIn({ state: { status }, claims }, log);
const left = { association: "unavailable", isLogNewer: false, hasMovedOn: false, isOver: true };
const gone = (log: AgentLifecycle, signs: Partial<typeof left> = {}) => {
  const { association, ...rest } = { ...left, ...signs };
  return lifecycleWithout({ ...rest, association: association as Association }, log);
};

test("the live pane of a confirmed session decides", () => {
  expect(live("needs_input", "working")).toBe("waiting");
  expect(live("working", "idle")).toBe("working");
  expect(live("error", "idle")).toBe("error");
  expect(live("idle", "working")).toBe("idle");
  expect(live("idle", "error")).toBe("error");
});

test("a sub-agent works while pane and log look idle", () => {
  const status = { pid: 1, sessionId: "a", procStart: null, startedAt: null, status: "busy" };
  const claims = { ...NO_CLAIMS, status } as unknown as typeof NO_CLAIMS;
  expect(live("idle", "idle", claims)).toBe("working");
});

test("without a live pane the log decides", () => {
  expect(gone("working", { association: "probable" })).toBe("working");
  expect(gone("waiting", { association: "ambiguous" })).toBe("waiting");
});

test("a session that was left is offline, one that a daemon goes on with is not", () => {
  expect(gone("idle")).toBe("offline");
  expect(gone("completed")).toBe("completed");
  // Leaving one session for another ends it in order, in the words of its log.
  expect(gone("completed", { hasMovedOn: true })).toBe("offline");
  expect(gone("working", { isLogNewer: true })).toBe("working");
  expect(gone("working", { isOver: false })).toBe("working");
});
