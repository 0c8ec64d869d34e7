import { describe, expect, test } from "bun:test";
import type { AgentSession } from "../../../src/protocol/agents.ts";
import { rank, type Work } from "../../../src/review/rank.ts";
import { briefOf, shapeOf } from "../../../web/model/queue/brief.ts";
import { drawCards, keepCards } from "../../../web/model/queue/cards.ts";
import { agentOf, decisionOf, NOW, workOf } from "../../review/works.ts";

const cardOf = (members: Partial<Work>) => {
  const [card] = drawCards({ groups: rank([workOf(1, members)]) });
  if (card === undefined) throw new Error("a card");
  return card;
};
const is = (lifecycle: AgentSession["lifecycle"]) => agentOf(1, { lifecycle });
const item = (id: string) => ({ id, title: id, created_at: NOW });
const changes = {
  completed: [{ id: "a", title: "a", completed_at: NOW }],
  new_blockers: [{ ...item("b"), source: "runtime_plan" as const }],
  goal_changed: { from: null, to: "another" },
};

describe("a row says what needs a person first", () => {
  test("the question, before a failure and before what changed", () => {
    const decisions = [decisionOf(1, 1, { title: "This way?" })];
    const card = cardOf({ agent: is("error"), decisions, changes });
    expect(briefOf(card)).toEqual({ kind: "asks", question: "This way?" });
    expect(shapeOf(card)).toBe("needs_input");
  });

  test("an answer that may not have arrived, before another question", () => {
    const decisions = [decisionOf(1, 1), decisionOf(1, 2, { status: "unknown" })];
    const card = cardOf({ decisions });
    expect(briefOf(card)).toEqual({ kind: "uncertain" });
    expect(shapeOf(card)).toBe("stale");
  });

  test("a failure, before what changed", () => {
    const card = cardOf({ agent: is("error"), changes });
    expect(briefOf(card)).toEqual({ kind: "failed" });
    expect(shapeOf(card)).toBe("error");
  });

  test("what changed, in counts", () => {
    const card = cardOf({ agent: is("working"), changes });
    expect(briefOf(card)).toEqual({
      kind: "changed",
      hasNewGoal: true,
      blocked: 1,
      unblocked: 0,
      decided: 0,
      done: 1,
    });
    expect(shapeOf(card)).toBe("working");
  });

  test("that it has finished, where nothing else is to be said", () => {
    const lifecycle_changed = { from: "working", to: "completed" };
    expect(briefOf(cardOf({ changes: { lifecycle_changed } })).kind).toBe("finished");
    const more = { ...changes, lifecycle_changed };
    expect(briefOf(cardOf({ changes: more })).kind).toBe("changed");
  });

  test("that nothing is left of it", () => {
    const [card] = keepCards([cardOf({ changes })], { groups: [] }, () => true);
    expect(card && briefOf(card)).toEqual({ kind: "over" });
  });
});
