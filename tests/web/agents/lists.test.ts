import { describe, expect, test } from "bun:test";
import {
  daysBetween,
  daysOf,
  linesOf,
  newestReviewed,
  stepsOf,
  timeOf,
  waitingEvents,
  type Line,
} from "../../../web/model/timeline.ts";
import type { SeenTimelineEvent } from "../../../src/protocol/tolerant-agents.ts";
import { reviewedAt, splitAt } from "../../../web/model/chat/reviewed.ts";
import { findAgents, groupOf, isWaiting, shapeOfAgent } from "../../../web/model/lifecycle.ts";
import { agentHash, paneHash, parseRoute } from "../../../web/state/browser/router.ts";
import { pane } from "../../support/pane.ts";
import { fixtureAgents, messageOf } from "../../support/fixture-work.ts";

const seconds = (...parts: [number, number, number, number, number]) =>
  new Date(...parts).getTime() / 1000;
const MORNING = seconds(2026, 2, 10, 9, 0);
const event = (id: string, at: number, type: "decision" | "completed" = "completed") => {
  const [first] = fixtureAgents()[0]?.events ?? [];
  if (first === undefined) throw new Error("an event");
  return { ...first, id, agent_id: "one", type, occurred_at: at, created_at: at, context: null };
};

const lineOf = (one: SeenTimelineEvent): Line => ({
  ...{ key: one.id, event: one, kind: "done", items: [], folded: 1 },
});

describe("the days of a timeline", () => {
  test("are the reader's own, in the order of the events", () => {
    const days = daysOf(
      [event("c", MORNING), event("b", MORNING - 8 * 3600), event("a", MORNING - 10 * 3600)].map(
        lineOf,
      ),
    );
    expect(days.map(({ lines }) => lines.map(({ key }) => key))).toEqual([["c", "b"], ["a"]]);
  });

  test("are counted by the calendar, not by hours", () => {
    expect(daysBetween(MORNING, MORNING)).toBe(0);
    expect(daysBetween(seconds(2026, 2, 9, 23, 59), MORNING)).toBe(1);
    expect(daysBetween(seconds(2026, 2, 8, 12, 0), MORNING)).toBe(2);
  });

  test("a record without a time of its own counts from when it was read", () => {
    expect(timeOf({ ...event("a", MORNING), occurred_at: 0 })).toBe(MORNING);
  });
});

describe("what still waits on a timeline", () => {
  const events = [event("new", 3, "decision"), event("done", 2), event("old", 1, "decision")];

  test("is as many of the newest questions as are open", () => {
    expect([...waitingEvents(events, () => 1)]).toEqual(["new"]);
    expect([...waitingEvents(events, () => 2)]).toEqual(["new", "old"]);
  });

  test("is nothing where nothing is open, or where that is not known", () => {
    expect(waitingEvents(events, () => 0).size).toBe(0);
    expect(waitingEvents(events, () => null).size).toBe(0);
  });
});

describe("what an event of a timeline says", () => {
  const item = (title: string) => ({ id: title, title, completed_at: 1, created_at: 1 });
  const blocker = (title: string) => ({ ...item(title), source: "runtime_plan" as const });
  const kindsOf = (delta: SeenTimelineEvent["delta"], isWaiting = false) =>
    stepsOf({ ...event("one", 1, "completed"), delta }, isWaiting).map(({ kind }) => kind);

  test("is all that it brought, questions first", () => {
    const delta = {
      completed: [item("tests")],
      new_blockers: [blocker("no key")],
      decisions_added: [item("Which port?")],
      lifecycle_changed: { from: "working", to: "completed" },
    };
    expect(kindsOf(delta)).toEqual(["asked", "done", "blocked", "finished"]);
    expect(kindsOf(delta, true)).toEqual(["waits", "done", "blocked", "finished"]);
  });

  test("names what it is about; a goal that went names nothing", () => {
    const named = stepsOf(
      { ...event("one", 1), delta: { completed: [item("tests"), item("docs")] } },
      false,
    );
    expect(named).toEqual([{ kind: "done", items: [item("tests"), item("docs")] }]);
    expect(kindsOf({ goal_changed: { from: "old", to: null } })).toEqual(["activity"]);
    expect(kindsOf({ goal_changed: { from: null, to: "new" } })).toEqual(["goal"]);
  });

  test("is a question by its type, and activity where nothing says more", () => {
    expect(
      stepsOf({ ...event("one", 1, "decision"), delta: {}, title: "Which port?" }, true),
    ).toEqual([{ kind: "waits", items: [{ id: "one", title: "Which port?" }] }]);
    expect(stepsOf({ ...event("one", 1), delta: {}, title: "" }, false)).toEqual([
      { kind: "activity", items: [] },
    ]);
  });

  test("was reviewed from where the sequence says; no line stands where nothing is newer", () => {
    const events = [3, 2, 1]
      .map((sequence) => ({ ...event(String(sequence), 1), sequence }))
      .map(lineOf);
    expect(newestReviewed(events, 2)?.key).toBe("2");
    expect(newestReviewed(events, 3)).toBeNull();
    expect(newestReviewed(events, 0)).toBeNull();
    expect(newestReviewed([], 5)).toBeNull();
  });
});

describe("the lines of a timeline", () => {
  const item = (title: string) => ({ id: title, title, completed_at: 1, created_at: 1 });
  const blocker = (title: string) => ({ ...item(title), source: "runtime_plan" as const });
  const saying = (id: string, at: number, delta: SeenTimelineEvent["delta"]) => ({
    ...event(id, at),
    delta,
    title: "working",
  });
  const read = (
    events: readonly SeenTimelineEvent[],
    filter: Parameters<typeof linesOf>[2] = null,
  ) =>
    linesOf(events, new Set(), filter).map(({ kind, items, folded }) =>
      [kind, ...items.map(({ title }) => title), ...(folded > 1 ? [folded] : [])].join(" "),
    );

  test("hold one line for each thing that happened, and none for what goes without saying", () => {
    const both = { completed: [item("tests")], new_blockers: [blocker("no key")] };
    const steps = {
      current_task_changed: { from: null, to: "Write docs" },
      next_action_changed: { from: null, to: "Review" },
    };
    expect(read([saying("a", 1, { ...both, ...steps })])).toEqual(["done tests", "blocked no key"]);
    expect(read([saying("a", 1, steps)])).toEqual(["task Write docs"]);
  });

  test("fold what has no word of its own into one line of each agent", () => {
    const small = (id: string, agent_id: string) => ({ ...saying(id, 1, {}), agent_id });
    const events = [small("a", "one"), small("b", "one"), small("c", "two"), small("d", "two")];
    expect(read(events)).toEqual(["activity 2", "activity 2"]);
    expect(read([small("a", "one"), saying("b", 1, { completed: [item("x")] })])).toEqual([
      "activity",
      "done x",
    ]);
  });

  test("say once what was said twice in the same minute", () => {
    const task = { current_task_changed: { from: null, to: "Write docs" } };
    expect(read([saying("b", 130, task), saying("a", 100, task)])).toEqual(["task Write docs"]);
    expect(read([saying("b", 330, task), saying("a", 100, task)])).toHaveLength(2);
  });

  test("are narrowed to what fits the filter, also of an event that brought more", () => {
    const both = { completed: [item("a")], new_blockers: [blocker("b")] };
    expect(read([saying("one", 1, both)], "done")).toEqual(["done a"]);
    expect(read([saying("one", 1, both)], "blockers")).toEqual(["blocked b"]);
    expect(read([saying("one", 1, both)], "decisions")).toEqual([]);
  });
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

  test("has those that wait apart, whoever says it, and those that have ended", () => {
    const [agent] = agents;
    if (agent === undefined) throw new Error("an agent");
    const idle = { ...agent, lifecycle: "idle" as const, pending_decisions_count: 0 };
    const asks = pane({ status: "needs_input" });
    expect(groupOf(idle, asks)).toBe("waiting");
    expect(groupOf(idle, null)).toBe("idle");
    expect(groupOf({ ...agent, lifecycle: "offline" }, asks)).toBe("over");
  });

  test("has those that a limit holds apart from those that have failed", () => {
    const [agent] = agents;
    if (agent === undefined) throw new Error("an agent");
    const parked = { reason: "5-hour limit", until: null, continues: false };
    const failed = { ...agent, lifecycle: "error" as const, pending_decisions_count: 0 };
    expect(groupOf(failed, null)).toBe("error");
    expect(groupOf({ ...failed, parked }, null)).toBe("parked");
    expect(groupOf(failed, pane({ status: "error", parked }))).toBe("parked");
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
