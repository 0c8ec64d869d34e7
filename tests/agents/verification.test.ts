import { expect, test } from "bun:test";
import { matchQuestion, verify } from "../../src/agents/acts/verifier.ts";
import type { AgentRequest, KnownDecision } from "../../src/agents/known.ts";
import type { DecisionItem } from "../../src/protocol/agents.ts";
import type { PaneState } from "../../src/protocol/pane.ts";
import { pane } from "../support/pane.ts";

const asked = {
  id: null,
  header: "Database",
  question: "Which database should\nthe service use?",
  options: [
    { label: "SQLite (Recommended)", description: "" },
    { label: "PostgreSQL", description: "" },
  ],
  multiSelect: false,
};
const option = (key: string, label: string, freeform = false) => ({ key, label, freeform });
const QUESTION = "Which database should the service use?";
const ALONE = { index: 0, count: 1 };
const OWN = [option("1", "SQLite (recommended)"), option("2", "PostgreSQL")];

test("the same words in the same order are the same question, whatever the program adds", () => {
  const live = [...OWN, option("3", "Type something.", true), option("4", "Chat about this")];
  expect(matchQuestion(asked, { question: QUESTION, menu: live }, ALONE)).toEqual(["1", "2"]);
});

test("one word more, less or elsewhere is another question", () => {
  const match = (question: string, menu = OWN) => matchQuestion(asked, { question, menu }, ALONE);
  expect(match("Which database should the service not use?")).toBe(null);
  expect(match("Which database should the service?")).toBe(null);
  expect(match(QUESTION, OWN.toReversed())).toBe(null);
  expect(match(QUESTION, OWN.slice(0, 1))).toBe(null);
  expect(match(QUESTION, [...OWN, option("3", "MySQL")])).toBe(null);
  expect(match(QUESTION, [option("1", "SQLite"), option("2", "PostgreSQL")])).toBe(null);
});

test("of several questions at once, the screen names the one that it shows", () => {
  const shown = (question: string, index: number, count: number) =>
    matchQuestion(asked, { question, menu: OWN }, { index, count }) !== null;
  expect(shown(`Question 2/3 ${QUESTION}`, 1, 3)).toBe(true);
  expect(shown(`Question 2/3 ${QUESTION}`, 0, 3)).toBe(false);
  expect(shown(`Question 2/3 ${QUESTION}`, 1, 2)).toBe(false);
});

const MENU: PaneState["menu"] = [
  { ...option("1", "Yes"), description: "Go on", selected: true, checked: null },
  { ...option("2", "Say what", true), description: "", selected: false, checked: null },
];
const showing = (members: Partial<PaneState> = {}) =>
  pane({
    ...{ status: "needs_input", question: "Ready to code?", reason: "agent_a.plan" },
    ...{
      menu: MENU,
      legacy_guard: { prompt_fingerprint: "p", options_fingerprint: "o", selected: null },
    },
    ...members,
  });
const asks = (asked: AgentRequest): KnownDecision => ({ decision: {} as DecisionItem, asked });

test("a plan is what its dialog shows, with the options that are no words of one's own", () => {
  const plan = asks({ kind: "plan_approval", plan: "All of it" });
  const options = [{ id: "1", label: "Yes", description: "Go on", recommended: false }];
  expect(verify(plan, showing())).toEqual({
    ...{ promptFingerprint: "p", options, reviewStatus: "actionable" },
  });
  const others: Partial<PaneState>[] = [
    { reason: "agent_a.permission" },
    { status: "working" },
    { stale: true },
    { question: null },
    { legacy_guard: null },
  ];
  for (const members of others) expect(verify(plan, showing(members))).toBeNull();
});

test("one question of one choice is answered here, any other one in the terminal", () => {
  const menu = OWN.map((each) => ({ ...each, description: "", selected: false, checked: null }));
  const status = (count: number, multiSelect: boolean) => {
    const question = { ...asked, multiSelect };
    const known = asks({ kind: "question", question, index: 0, count });
    return verify(known, showing({ question: QUESTION, menu }))?.reviewStatus ?? null;
  };
  expect(status(1, false)).toBe("actionable");
  expect([status(1, true), status(2, false)]).toEqual(["terminal_required", "terminal_required"]);
});
