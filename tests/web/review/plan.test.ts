import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { SeenDecision } from "../../../src/protocol/tolerant-agents.ts";
import {
  choose,
  emptyPlan,
  type Lost,
  nextToSend,
  type Outcome,
  parsePlan,
  type Plan,
  restore,
  skipped,
} from "../../../web/model/review/plan.ts";
import { decisionOf, uuid } from "../../review/works.ts";

const INSTANCE = "server-1";
const chosen = (...decisions: SeenDecision[]): Plan =>
  decisions.reduce((plan, decision) => choose(plan, decision, "1"), emptyPlan(INSTANCE));

describe("what is kept", () => {
  test("is ids, revisions and fingerprints, and nothing that an agent said", () => {
    const plan = chosen(decisionOf(1, 1));
    expect(plan).toEqual({
      instance: INSTANCE,
      choices: {
        [uuid(1001)]: {
          option_id: "1",
          revision: 1,
          binding_revision: 1,
          prompt_fingerprint: "sha256:1-1",
          options_fingerprint: "0".repeat(64),
        },
      },
    });
    expect(parsePlan(JSON.parse(JSON.stringify(plan)))).toEqual(plan);
  });

  test("leaving a decision open takes its choice back", () => {
    const decision = decisionOf(1, 1);
    expect(choose(chosen(decision), decision, null)).toEqual(emptyPlan(INSTANCE));
  });

  test("a decision whose prompt nobody has met cannot be planned", () => {
    expect(chosen(decisionOf(1, 1, { prompt_fingerprint: null }))).toEqual(emptyPlan(INSTANCE));
  });

  test("what is no plan is read as none", () => {
    const none = [null, [], 3, { instance: 1 }, { instance: "a" }, { instance: "a", choices: [] }];
    expect(none.map(parsePlan)).toEqual(none.map(() => null));
  });

  test("a choice that is none is left out", () => {
    const [choice] = Object.values(chosen(decisionOf(1, 1)).choices);
    const choices = { a: choice, b: { ...choice, revision: "1" }, c: null };
    expect(parsePlan({ instance: INSTANCE, choices })?.choices).toEqual(
      choice ? { a: choice } : {},
    );
  });
});

describe("after a reload", () => {
  const decision = decisionOf(1, 1);
  const plan = chosen(decision);

  test("what is as it was keeps its choice", () => {
    expect(restore(plan, INSTANCE, [decision])).toEqual({ plan, lost: {} });
  });

  test("another server keeps none, without a word on each", () => {
    expect(restore(plan, "server-2", [decision])).toEqual({
      plan: emptyPlan("server-2"),
      lost: {},
    });
  });

  const differences: readonly [Lost, Partial<SeenDecision>][] = [
    ["changed", { revision: 2 }],
    ["changed", { binding_revision: 2 }],
    ["changed", { prompt_fingerprint: "sha256:another" }],
    ["changed", { prompt_fingerprint: null }],
    ["changed", { options_fingerprint: "1".repeat(64) }],
    ["changed", { options: [] }],
    ["gone", { status: "resolved" }],
    ["gone", { status: "superseded" }],
    ["uncertain", { status: "unknown" }],
    ["uncertain", { status: "submitting" }],
  ];
  test.each(differences)("a choice is lost as %s by %j", (why, difference) => {
    expect(restore(plan, INSTANCE, [{ ...decision, ...difference }])).toEqual({
      plan: emptyPlan(INSTANCE),
      lost: { [decision.id]: why },
    });
  });

  test("one that is not there any more is gone", () => {
    expect(restore(plan, INSTANCE, []).lost).toEqual({ [decision.id]: "gone" });
  });
});

describe("sending", () => {
  const [a1, a2, b1] = [decisionOf(1, 1), decisionOf(1, 2), decisionOf(2, 1)];
  const order = [a1, b1, a2];

  test("goes in the order of rank, over those that have a choice", () => {
    const plan = chosen(a2, b1);
    expect(nextToSend(plan, order, new Map())?.id).toBe(b1.id);
    expect(nextToSend(plan, order, new Map([[b1.id, "sent"]]))?.id).toBe(a2.id);
  });

  test.each(["changed", "gone", "uncertain", "refused"] as const)(
    "one that is %s stops the later ones of its agent, and no other",
    (outcome) => {
      const plan = chosen(a1, a2, b1);
      const outcomes = new Map<string, Outcome>([[a1.id, outcome]]);
      expect(nextToSend(plan, order, outcomes)?.id).toBe(b1.id);
      outcomes.set(b1.id, "sent");
      expect(nextToSend(plan, order, outcomes)).toBeNull();
      expect(skipped(plan, order, outcomes).map(({ id }) => id)).toEqual([a2.id]);
    },
  );

  test("law: every planned answer is sent at most once, and the run ends", () => {
    const outcome = fc.constantFrom<Outcome>("sent", "changed", "gone", "uncertain", "refused");
    const decisions = Array.from({ length: 9 }, (_, n) => decisionOf((n % 3) + 1, n));
    const subset = fc.subarray(decisions);
    fc.assert(
      fc.property(subset, fc.array(outcome, { minLength: 9, maxLength: 9 }), (planned, ends) => {
        const plan = chosen(...planned);
        const outcomes = new Map<string, Outcome>();
        for (const end of ends) {
          const next = nextToSend(plan, decisions, outcomes);
          if (next === null) break;
          expect(outcomes.has(next.id)).toBe(false);
          outcomes.set(next.id, end);
        }
        expect(nextToSend(plan, decisions, outcomes)).toBeNull();
        const left = skipped(plan, decisions, outcomes).length;
        expect(outcomes.size + left).toBe(planned.length);
      }),
    );
  });
});
