import { expect, test } from "bun:test";
import { changeLines } from "../../../src/protocol/change-lines.ts";
import { rank, type ReviewWork } from "../../../src/review/rank.ts";
import { isMarkable } from "../../../web/model/queue/order.ts";
import { agentOf, decisionOf, NOW, uuid, workOf } from "../../review/works.ts";

const done = (...titles: string[]) => ({
  completed: titles.map((title) => ({ id: title, title, completed_at: NOW })),
});
const goal = { goal_changed: { from: null, to: "ship it" } };
const at = (sequence: number) => ({ id: uuid(900 + sequence), sequence, at: NOW });

test("changes are told in the order in which they need a person", () => {
  const lines = changeLines({
    ...done("first", "second"),
    ...goal,
    new_blockers: [{ id: "b", title: "stuck", created_at: 1, source: "runtime_plan" }],
    resolved_blockers: [{ id: "c", title: "free", created_at: 1, source: "runtime_plan" }],
    decisions_resolved: [{ id: "d", title: "this way", created_at: 1 }],
    current_task_changed: { from: "x", to: "the third" },
    next_action_changed: { from: "x", to: null },
    lifecycle_changed: { from: "working", to: "completed" },
  });
  expect(lines.map(({ kind, text }) => `${kind} ${text}`)).toEqual([
    "blocked stuck",
    "goal ship it",
    "decided this way",
    "unblocked free",
    "finished ",
    "done second",
    "done first",
    "now the third",
  ]);
});

test("a mark is there for changes, an error or a log read in parts, not yet reviewed, and for nothing else", () => {
  const markable = (work: ReviewWork) => rank([work]).map(isMarkable);
  expect(markable(workOf(1, { changes: goal }))).toEqual([true]);
  expect(markable(workOf(1, { agent: agentOf(1, { lifecycle: "error" }) }))).toEqual([true]);
  const health = { extraction_health: "degraded:unknown_records" };
  expect(markable(workOf(1, { agent: agentOf(1, health) }))).toEqual([true]);
  expect(markable(workOf(1, { decisions: [decisionOf(1, 1)] }))).toEqual([false]);
  const baseline = { ...at(4), markedAt: NOW };
  const decisions = [decisionOf(1, 1)];
  const reviewed = workOf(1, { current: at(4), baseline, changes: done("b"), decisions });
  expect(markable(reviewed)).toEqual([false]);
});
