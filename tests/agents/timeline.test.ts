import { expect, test } from "bun:test";
import fc from "fast-check";
import { deltaOf, isVisibleChange, timelineRow } from "../../src/agents/store/timeline.ts";
import { AgentContext, ContextDelta } from "../../src/protocol/agents.ts";
import { fixture } from "../support/fixture.ts";
import { forAll } from "../support/laws.ts";

const text = fc.option(fc.constantFrom("a", "b", "c"));
const ids = fc.uniqueArray(fc.constantFrom("1", "2", "3", "4", "5"));
const items = ids.map((list) => list.map((id) => ({ id, title: `item ${id}`, created_at: 1 })));

const plan = { source: "runtime_plan" as const };
const BASE = fixture(AgentContext, {
  ...{ session_id: "s", runtime: "agent_a", lifecycle: "working", extraction_health: "ok" },
  ...{ goal: "g", current_task: "t", progress_summary: "said", revision: 1, last_updated: 1 },
});

const context: fc.Arbitrary<AgentContext> = fc
  .record({
    ...{ goal: text, current_task: text, progress_summary: text, next_action: text },
    completed_items: ids.map((list) =>
      list.map((id) => ({ id, title: `item ${id}`, completed_at: 1 })),
    ),
    decisions: items,
    blockers: items.map((list) => list.map((each) => ({ ...each, ...plan }))),
    progress: fc.option(
      fc
        .integer({ min: 0, max: 4 })
        .map((completed) => ({ ...{ completed, total: 4, percent: completed * 25 }, ...plan })),
    ),
    lifecycle: fc.constantFrom("working" as const, "idle" as const),
    ...{ revision: fc.nat(), last_updated: fc.nat(), message_history_truncated: fc.boolean() },
    extraction_health: fc.constantFrom("ok", "degraded:oversized_line_discarded"),
  })
  .map((members) => ({ ...BASE, ...members }));

/** Applies a delta, as a client that knows `before` does. */
function apply(before: AgentContext, delta: ContextDelta) {
  const without = <T extends { id: string }>(list: readonly T[], gone: readonly T[] = []) =>
    list.filter(({ id }) => !gone.some((each) => each.id === id));
  return {
    completed: [...before.completed_items, ...(delta.completed ?? [])].map(({ id }) => id),
    blockers: [
      ...without(before.blockers, delta.resolved_blockers),
      ...(delta.new_blockers ?? []),
    ].map(({ id }) => id),
    decisions: [
      ...without(before.decisions, delta.decisions_resolved),
      ...(delta.decisions_added ?? []),
    ].map(({ id }) => id),
    goal: delta.goal_changed ? delta.goal_changed.to : before.goal,
    task: delta.current_task_changed ? delta.current_task_changed.to : before.current_task,
    next: delta.next_action_changed ? delta.next_action_changed.to : before.next_action,
    lifecycle: delta.lifecycle_changed ? delta.lifecycle_changed.to : before.lifecycle,
  };
}

test("a delta turns the context before into the context after, and names nothing that is unchanged", () => {
  forAll([context, context], (before, after) => {
    const delta = ContextDelta.parse(deltaOf(before, after));
    const result = apply(before, delta);
    expect(result.blockers.sort()).toEqual(after.blockers.map(({ id }) => id).sort());
    expect(result.decisions.sort()).toEqual(after.decisions.map(({ id }) => id).sort());
    for (const { id } of after.completed_items) expect(result.completed).toContain(id);
    expect(result).toMatchObject({
      goal: after.goal,
      task: after.current_task,
      next: after.next_action,
      lifecycle: after.lifecycle,
    });
    for (const value of Object.values(delta).filter((each) => each !== undefined)) {
      if (Array.isArray(value)) expect(value.length).toBeGreaterThan(0);
      else expect(value.from).not.toBe(value.to);
    }
    expect(deltaOf(before, before)).toEqual({});
    expect(isVisibleChange(before, { ...before, revision: -1, last_updated: -1 })).toBe(false);
  });
});

test("a timeline event has the type and the title of its most important change", () => {
  const item = { id: "1", title: "the item", completed_at: 1 };
  const decision = { id: "2", title: "which one?", created_at: 1 };
  const progress = { completed: 1, total: 2, percent: 50, source: "runtime_plan" as const };
  const cases: [Partial<AgentContext>, string, string][] = [
    [{ decisions: [decision], completed_items: [item] }, "decision", "which one?"],
    [{ completed_items: [item], progress }, "completed", "the item"],
    [{ progress, current_task: "next" }, "progress", "1 of 2 done"],
    [{ current_task: "next" }, "context", "next"],
    [{ lifecycle: "idle" }, "activity", "said"],
  ];
  for (const [change, type, title] of cases) {
    const after = { ...BASE, ...change };
    const delta = deltaOf(BASE, after);
    expect<object>(timelineRow(delta, BASE, after)).toEqual({ type, title });
  }
});
