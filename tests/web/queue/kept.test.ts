import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { SeenDecision } from "../../../src/protocol/tolerant-agents.ts";
import {
  choosables,
  countsOf,
  isStopped,
  nextToSend,
  questionOf,
  type Choices,
  type Lost,
  type Outcome,
  type Question,
  type Step,
} from "../../../web/model/queue/collect.ts";
import { emptyPlan, parsePlan, planOf, restore } from "../../../web/model/queue/kept.ts";
import type { Pane } from "../../../web/model/pane.ts";
import { agentOf, decisionOf, uuid } from "../../review/works.ts";
import { pane } from "../../support/pane.ts";

const INSTANCE = "server-1";

function questionOn(decision: SeenDecision, shown: Pane | null = null): Question {
  const entry = {
    key: `agent:${decision.agent_id}`,
    section: "waiting" as const,
    paneId: shown?.id ?? null,
    agentId: decision.agent_id,
    since: 0,
    isUrgent: false,
    rank: 1,
  };
  const question = questionOf(entry, shown, agentOf(1), [decision]);
  if (question === null) throw new Error("it asks nothing");
  return question;
}

function chosen(question: Question, at = 0, text: string | null = null): Choices {
  const option = choosables(question)[at];
  if (option === undefined) throw new Error("no such option");
  return { [question.id]: { seen: question, option, text } };
}

const decision = decisionOf(1, 1);
const kept = {
  option_id: "1",
  revision: 1,
  binding_revision: 1,
  prompt_fingerprint: "sha256:1-1",
  options_fingerprint: decision.options_fingerprint,
};
/** The prompt of the same decision on its screen, with one option more than its log knows. */
const prompt = pane({
  id: "%1",
  status: "needs_input",
  question: decision.title,
  prompt_since: 5,
  legacy_guard: { prompt_fingerprint: "sha256:1-1", options_fingerprint: "o", selected: null },
  menu: [...decision.options.map(({ label }) => label), "Type something"].map((label, index) => ({
    key: `${index + 1}`,
    label,
    description: "",
    freeform: label === "Type something",
    checked: null,
    selected: false,
  })),
});
const typed = prompt.menu.length - 1;

describe("what is kept", () => {
  test("is ids, revisions and fingerprints, and nothing that an agent said", () => {
    const plan = planOf(INSTANCE, chosen(questionOn(decision)));
    expect(plan).toEqual({ instance: INSTANCE, choices: { [uuid(1001)]: kept } });
    expect(parsePlan(JSON.parse(JSON.stringify(plan)))).toEqual(plan);
  });

  test("of a prompt on the screen is what its decision says of the same option", () => {
    const plan = planOf(INSTANCE, chosen(questionOn(decision, prompt)));
    expect(plan.choices).toEqual({ [decision.id]: kept });
  });

  test("are no own words, and nothing of a prompt that no decision stands for", () => {
    const own = chosen(questionOn(decision, prompt), typed, "because");
    const other = { ...decision, prompt_fingerprint: "sha256:another" };
    expect(planOf(INSTANCE, own).choices).toEqual({});
    expect(planOf(INSTANCE, chosen(questionOn(other, prompt))).choices).toEqual({});
  });

  test("of a decision whose prompt nobody has met is nothing", () => {
    const unmet = decisionOf(1, 1, { prompt_fingerprint: null });
    expect(planOf(INSTANCE, chosen(questionOn(unmet)))).toEqual(emptyPlan(INSTANCE));
  });

  test("what is no plan is read as none", () => {
    const none = [null, [], 3, { instance: 1 }, { instance: "a" }, { instance: "a", choices: [] }];
    expect(none.map(parsePlan)).toEqual(none.map(() => null));
  });

  test("a choice that is none is left out", () => {
    const choices = { a: kept, b: { ...kept, revision: "1" }, c: null };
    expect(parsePlan({ instance: INSTANCE, choices })?.choices).toEqual({ a: kept });
  });
});

describe("after a reload", () => {
  const plan = { instance: INSTANCE, choices: { [decision.id]: kept } };
  const restored = (now: SeenDecision, shown: Pane | null = null) =>
    restore(plan, INSTANCE, [questionOn(now, shown)], [now]);

  test("what is as it was keeps its choice, on the screen too", () => {
    const own = restored(decision);
    expect([own.lost, Object.values(own.choices).map(({ option }) => option.key)]).toEqual([
      {},
      ["1"],
    ]);
    const onScreen = restored(decision, prompt);
    expect(Object.keys(onScreen.choices)).toEqual(["%1"]);
    expect(onScreen.choices["%1"]?.option.label).toBe(decision.options[0]?.label ?? "");
  });

  test("another server keeps none, without a word on each", () => {
    const none = restore(plan, "server-2", [questionOn(decision)], [decision]);
    expect(none).toEqual({ choices: {}, lost: {} });
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
    expect(restored({ ...decision, ...difference })).toEqual({
      choices: {},
      lost: { [decision.id]: why },
    });
  });

  test("one that is not there any more is gone", () => {
    expect(restore(plan, INSTANCE, [], []).lost).toEqual({ [decision.id]: "gone" });
  });

  test("one that another prompt stands before is changed", () => {
    const other = { prompt_fingerprint: "sha256:other", options_fingerprint: "o", selected: null };
    const { lost } = restored(decision, { ...prompt, legacy_guard: other });
    expect(lost).toEqual({ [decision.id]: "changed" });
  });
});

describe("sending", () => {
  const stepOf = (n: number, m: number, outcome: Outcome | null = null): Step => {
    const seen = { ...questionOn(decisionOf(n, m)), id: `${n}-${m}`, group: `agent ${n}` };
    const [option] = choosables(seen);
    if (option === undefined) throw new Error("no option");
    return { seen, option, text: null, outcome, at: 0 };
  };

  test("goes in the order of the list", () => {
    expect(nextToSend([stepOf(1, 1, "sent"), stepOf(2, 1), stepOf(1, 2)])?.seen.id).toBe("2-1");
  });

  test.each(["changed", "gone", "uncertain", "refused"] as const)(
    "one that is %s stops the later ones of its agent, and no other",
    (outcome) => {
      const steps = [stepOf(1, 1, outcome), stepOf(1, 2), stepOf(2, 1)];
      expect(nextToSend(steps)?.seen.id).toBe("2-1");
      const ended = [stepOf(1, 1, outcome), stepOf(1, 2), stepOf(2, 1, "sent")];
      expect(nextToSend(ended)).toBeNull();
      expect(ended.filter((step) => step.outcome === null && isStopped(ended, step))).toHaveLength(
        1,
      );
    },
  );

  test("law: every chosen answer is sent at most once, and the run ends", () => {
    const outcome = fc.constantFrom<Outcome>("sent", "changed", "gone", "uncertain", "refused");
    const all = Array.from({ length: 9 }, (_, n) => stepOf((n % 3) + 1, n));
    fc.assert(
      fc.property(fc.subarray(all), fc.array(outcome, { minLength: 9 }), (chosenSteps, ends) => {
        let steps: readonly Step[] = chosenSteps;
        const sent: string[] = [];
        for (const end of ends) {
          const next = nextToSend(steps);
          if (next === null) break;
          sent.push(next.seen.id);
          steps = steps.map((step) => (step === next ? { ...step, outcome: end } : step));
        }
        expect(new Set(sent).size).toBe(sent.length);
        expect(nextToSend(steps)).toBeNull();
        const left = steps.filter((step) => step.outcome === null);
        expect(left.every((step) => isStopped(steps, step))).toBe(true);
      }),
    );
  });

  test("is counted in words: what nobody began is to go, and not sent once it is over", () => {
    const steps = [stepOf(1, 1, "sent"), stepOf(2, 1, "uncertain"), stepOf(3, 1)];
    expect(countsOf(steps, false)).toEqual({ sent: 1, unclear: 1, unsent: 0, left: 1 });
    expect(countsOf(steps, true)).toEqual({ sent: 1, unclear: 1, unsent: 1, left: 0 });
  });
});
