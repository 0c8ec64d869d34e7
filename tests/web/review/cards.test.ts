import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { rank, type ReviewWork } from "../../../src/review/rank.ts";
import { changeLines } from "../../../src/protocol/change-lines.ts";
import {
  drawCards,
  isMarkable,
  keepCards,
  newer,
  newerCount,
  redraw,
} from "../../../web/model/queue/cards.ts";
import { reuse } from "../../../web/model/reuse.ts";
import type { SeenGroup } from "../../../src/protocol/tolerant-agents.ts";
import { agentOf, decisionOf, NOW, uuid, workOf } from "../../review/works.ts";

const review = (...works: ReviewWork[]) => ({ groups: rank(works) });
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

test("newer changes are those that no drawn line tells, and at least one", () => {
  expect(newerCount(done("a"), done("a", "b", "c"))).toBe(2);
  expect(newerCount(done("a"), done("a"))).toBe(1);
});

describe("the list", () => {
  test("is made of the very objects that it was where a reply says nothing new", () => {
    const reply = (second: string) =>
      review(workOf(1, { changes: done("a") }), workOf(2, { changes: done(second) }));
    const first = reply("b");
    const cards = drawCards(first);
    const idOf = ({ agent_id }: SeenGroup) => agent_id;
    const later = { groups: [...reuse(first.groups, reply("c").groups, idOf)] };
    const [one, two] = keepCards(cards, later, () => false);
    expect(one === cards[0]).toBe(true);
    expect(two === cards[1]).toBe(false);
    expect(two?.latest?.changes).toEqual(done("c"));
    const [again, anew] = drawCards(later, cards);
    expect(again === cards[0]).toBe(true);
    expect(anew?.drawn.changes).toEqual(done("c"));
  });

  test("keeps every card where it is and as it was drawn; arrivals are appended", () => {
    const first = drawCards(review(workOf(1, { changes: done("a"), current: at(1) })));
    const later = review(
      workOf(2, { decisions: [decisionOf(2, 1, { priority: "critical" })] }),
      workOf(1, { changes: done("a", "b"), current: at(2), decisions: [decisionOf(1, 1)] }),
    );
    const [one, two] = keepCards(first, later, () => false);
    expect([one?.agentId, two?.agentId]).toEqual([uuid(1), uuid(2)]);
    expect(one?.drawn).toBe(first[0]?.drawn as never);
    expect(one?.latest?.decisions).toHaveLength(1);
    expect(one && newer(one)).toBe(1);
    const [shown] = redraw(one ? [one] : [], uuid(1));
    expect(shown?.drawn.as_of_snapshot_sequence).toBe(2);
    expect(shown && newer(shown)).toBe(0);
  });

  test("lets go of a card that is over only when the screen does", () => {
    const first = drawCards(review(workOf(1, { changes: goal })));
    expect(keepCards(first, review(), () => true)).toMatchObject([{ latest: null }]);
    expect(keepCards(first, review(), () => false)).toEqual([]);
  });

  test("law: no event moves a card that stays", () => {
    const worksOf = (ids: readonly number[]) => ids.map((n) => workOf(n, { changes: goal }));
    const ids = fc.uniqueArray(fc.integer({ min: 1, max: 8 }));
    fc.assert(
      fc.property(ids, ids, (before, after) => {
        const cards = drawCards(review(...worksOf(before)));
        const kept = keepCards(cards, review(...worksOf(after)), () => false);
        const staying = new Set(after.map(uuid));
        const old = cards.map(({ agentId }) => agentId).filter((id) => staying.has(id));
        expect(kept.map(({ agentId }) => agentId).slice(0, old.length)).toEqual(old);
        expect(kept.length).toBe(after.length);
      }),
    );
  });
});

describe("a mark", () => {
  test("is there for changes, an error or a log read in parts, and for nothing else", () => {
    const markable = (work: ReviewWork) => drawCards(review(work)).map(isMarkable);
    expect(markable(workOf(1, { changes: goal }))).toEqual([true]);
    expect(markable(workOf(1, { agent: agentOf(1, { lifecycle: "error" }) }))).toEqual([true]);
    const health = { extraction_health: "degraded:unknown_records" };
    expect(markable(workOf(1, { agent: agentOf(1, health) }))).toEqual([true]);
    expect(markable(workOf(1, { decisions: [decisionOf(1, 1)] }))).toEqual([false]);
  });

  test("is spent once the drawn snapshot was reviewed, here or elsewhere", () => {
    const cards = drawCards(review(workOf(1, { changes: goal, current: at(3) })));
    const baseline = { ...at(3), markedAt: NOW };
    const asking = workOf(1, { current: at(4), baseline, changes: done("b") });
    const [card] = keepCards(cards, review(asking), () => false);
    expect(card && isMarkable(card)).toBe(false);
    expect(card && newer(card)).toBe(1);
  });
});
