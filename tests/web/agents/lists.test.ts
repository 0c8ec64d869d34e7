import { daysBetween } from "../../../web/words/times.ts";
import { describe, expect, test } from "bun:test";
import { reviewedAt, splitAt } from "../../../web/model/chat/reviewed.ts";
import { findAgents, isWaiting, shapeOfAgent } from "../../../web/model/lifecycle.ts";
import { agentHash, paneHash, parseRoute } from "../../../web/state/browser/router.ts";
import { pane } from "../../support/pane.ts";
import { fixtureAgents, messageOf } from "../../support/fixture-work.ts";

const seconds = (...parts: [number, number, number, number, number]) =>
  new Date(...parts).getTime() / 1000;
const MORNING = seconds(2026, 2, 10, 9, 0);
test("days are counted by the calendar, not by hours", () => {
  expect(daysBetween(MORNING, MORNING)).toBe(0);
  expect(daysBetween(seconds(2026, 2, 9, 23, 59), MORNING)).toBe(1);
  expect(daysBetween(seconds(2026, 2, 8, 12, 0), MORNING)).toBe(2);
});

describe("the list of sessions", () => {
  const agents = fixtureAgents().map(({ work }) => work.agent);
  const titleOf = ({ title }: { readonly title: string }) => title;

  test("is found by every word, whatever its case", () => {
    const found = findAgents(agents, "EXPORT invoice", titleOf);
    expect(found.map(titleOf)).toEqual(["invoice-export"]);
  });

  test("knows who waits from the screen and from the log, but not from what has ended", () => {
    const [agent] = agents;
    if (agent === undefined) throw new Error("an agent");
    const idle = { ...agent, lifecycle: "idle" as const, pending_decisions_count: 0 };
    expect(isWaiting(idle, null)).toBe(false);
    expect(isWaiting(idle, pane({ status: "needs_input" }))).toBe(true);
    expect(isWaiting({ ...idle, pending_decisions_count: 1 }, null)).toBe(true);
    expect(isWaiting({ ...idle, lifecycle: "waiting" }, null)).toBe(true);
    const over = { ...idle, lifecycle: "offline" as const, pending_decisions_count: 1 };
    expect(isWaiting(over, null)).toBe(false);
  });

  test("has those that a limit holds apart from those that have failed", () => {
    const [agent] = agents;
    if (agent === undefined) throw new Error("an agent");
    const parked = { reason: "5-hour limit", until: null, continues: false };
    const failed = { ...agent, lifecycle: "error" as const, pending_decisions_count: 0 };
    expect(shapeOfAgent(failed, null)).toBe("error");
    expect(shapeOfAgent({ ...failed, parked }, null)).toBe("parked");
    expect(shapeOfAgent(failed, pane({ status: "error", parked }))).toBe("parked");
  });
});

describe("an address", () => {
  const page = { screen: "pane", id: "h:%7", tab: "screen", at: null } as const;

  test("names a pane, its tab, and what of it is looked at", () => {
    expect(parseRoute("#/pane/h%3A%257")).toEqual(page);
    expect(parseRoute("#/pane/h%3A%257/chat")).toEqual({ ...page, tab: "chat" });
    expect(parseRoute(paneHash("h:%7", "chat", "m/1"))).toEqual({
      ...page,
      tab: "chat",
      at: "m/1",
    });
    expect(parseRoute(paneHash("h:%7", "changes", "a/b.ts"))).toEqual({
      ...page,
      tab: "changes",
      at: "a/b.ts",
    });
  });

  test("names a session by itself, and one of its messages", () => {
    const session = { screen: "agent", id: "a/b", at: null, isDecisions: false } as const;
    expect(parseRoute("#/agent/a%2Fb")).toEqual(session);
    expect(parseRoute(agentHash("a/b", "m/1"))).toEqual({ ...session, at: "m/1" });
  });

  test("of before leads on", () => {
    expect(parseRoute("#/pane/h%3A%257/context")).toEqual({ ...page, tab: "chat" });
    expect(parseRoute("#/changes/h%3A%257/a%2Fb")).toEqual({ ...page, tab: "changes", at: "a/b" });
    expect(parseRoute("#/agent/x/now")).toMatchObject({ screen: "agent", id: "x", at: null });
    expect(parseRoute("#/agent/x/timeline")).toMatchObject({ screen: "agent", at: null });
    expect(parseRoute("#/agent/x/chat/m1")).toMatchObject({ screen: "agent", at: "m1" });
    expect(parseRoute("#/agent/x/decisions")).toMatchObject({ isDecisions: true });
    expect(parseRoute("#/agents")).toEqual({ screen: "tab", tab: "all" });
    expect(parseRoute("#/timeline")).toEqual({ screen: "tab", tab: "all" });
  });

  test("without a session, or with a broken one, is none", () => {
    expect(parseRoute("#/agent")).toBeNull();
    expect(parseRoute("#/agent/%E0%A4%A")).toBeNull();
  });
});

describe("a conversation", () => {
  const messages = [1, 2, 3].map((at) => messageOf("one", "user", String(at), at));
  const at = (time: number | null) => {
    const { before, after } = splitAt(messages, time);
    return [before.length, after.length];
  };

  test("is parted where it was reviewed; what was said at that moment was reviewed", () => {
    expect(at(2)).toEqual([2, 1]);
    expect(at(0)).toEqual([0, 3]);
    expect(at(9)).toEqual([3, 0]);
    expect(at(null)).toEqual([0, 3]);
  });

  test("was reviewed up to the snapshot, else to the moment of the mark", () => {
    expect(reviewedAt({ reviewed_snapshot_at: 5, reviewed_at: 7 })).toBe(5);
    expect(reviewedAt({ reviewed_snapshot_at: null, reviewed_at: 7 })).toBe(7);
    expect(reviewedAt(null)).toBeNull();
  });
});
