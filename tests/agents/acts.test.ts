import { expect, test } from "bun:test";
import { whyNotAnswered, whyNotTyped } from "../../src/agents/acts/acts.ts";
import { describe as decisionTexts } from "../../src/agents/acts/requests.ts";
import { matchQuestion, verify } from "../../src/agents/acts/verifier.ts";
import type { ObservedPane } from "../../src/agents/binding/observed-panes.ts";
import { parseConversation } from "../../src/agents/binding/conversation.ts";
import type { AgentRequest, KnownDecision } from "../../src/agents/session.ts";
import { fingerprints } from "../../src/detect/prompt.ts";
import type { DecisionItem } from "../../src/protocol/agents.ts";
import type { PaneState } from "../../src/protocol/pane.ts";
import type { PaneReading } from "../../src/terminal/reading.ts";
import { decisionOf } from "../review/works.ts";
import { pane } from "../support/pane.ts";
import { candidatePane } from "./support/candidates.ts";
import { DATABASE, AgentStage } from "./support/agent-stage.ts";

/** A dialog on a screen, its decision, and the pane that was observed. */
function dialogOn(request: AgentRequest = DATABASE): [PaneReading, KnownDecision, ObservedPane] {
  const stage = new AgentStage();
  stage.show("question-single");
  const reading = stage.reading();
  const { prompt_fingerprint = "" } = fingerprints(reading.prompt) ?? {};
  const decision = { ...decisionTexts(request), prompt_fingerprint } as DecisionItem;
  const { identity } = reading.pane;
  const place = { ...candidatePane("%1", [], { runtime: "agent_a" }), identity };
  return [reading, { decision, request }, { ...place, home: null, state: reading.state }];
}

test("an answer is refused when the program, the prompt, its question or its options are not as observed", () => {
  const [reading, known, place] = dialogOn();
  expect(whyNotAnswered(reading, known, place)).toBeNull();
  const { prompt } = reading;
  if (!prompt) throw new Error("the recorded screen asks");
  const why = (now: Partial<PaneReading>) => whyNotAnswered({ ...reading, ...now }, known, place);
  const program = "another program runs in the pane";
  expect(why({ pane: { ...reading.pane, identity: "%1 200" } })).toBe(program);
  expect(why({ state: { ...reading.state, kind: "agent_b" } })).toBe(program);
  const gone = "the prompt is not there";
  expect(why({ prompt: null })).toBe(gone);
  expect(why({ finding: { ...reading.finding, keepsPrevious: true } })).toBe(gone);
  expect(why({ prompt: { ...prompt, recognised: false } })).toBe(
    "the prompt is not one that is known by its shape",
  );
  expect(why({ prompt: { ...prompt, question: "Which one?" } })).toBe("the prompt has changed");
  const { question } = DATABASE;
  const fewer = dialogOn({
    ...DATABASE,
    question: { ...question, options: question.options.slice(1) },
  });
  expect(whyNotAnswered(...fewer)).toBe("the prompt has other options now");
});

test("a question of over 160 characters stands whole in the description, a shorter one has its topic there", () => {
  const textsOf = (length: number) => {
    const question = { ...DATABASE.question, question: "?".repeat(length) };
    const { title, description } = decisionTexts({ ...DATABASE, question });
    return [title.length, description];
  };
  expect(textsOf(160)).toEqual([160, DATABASE.question.header]);
  expect(textsOf(161)).toEqual([160, "?".repeat(161)]);
});

test("the fingerprint of options is the SHA-256 of their JSON with sorted keys and no blanks", () => {
  const json =
    '[{"description":"One file, nothing to install.","id":"1","label":"SQLite","recommended":false},' +
    '{"description":"A server process.","id":"2","label":"PostgreSQL","recommended":false},' +
    '{"description":"JSON files on disk, no queries.","id":"3","label":"Plain files","recommended":false}]';
  const digest = new Bun.CryptoHasher("sha256").update(json).digest("hex");
  expect(decisionTexts(DATABASE).options_fingerprint).toBe(digest);
});

/** A screen without a recognised input line, and the pane that was observed. */
function bareScreen(now: readonly string[], seen: readonly string[]): [PaneReading, ObservedPane] {
  const stage = new AgentStage();
  const reading = stage.reading();
  const state = { ...reading.state, lines: [...now] };
  const place: ObservedPane = {
    ...candidatePane("%1", [], { runtime: "agent_a" }),
    home: null,
    identity: reading.pane.identity,
    state: { ...reading.state, lines: [...seen] },
  };
  return [{ ...reading, state, composer: null }, place];
}

const whyOn = (now: readonly string[], seen = now) => whyNotTyped(...bareScreen(now, seen), false);

test("without a recognised input line, a text is typed on the observed screen if it ends with a bare prompt", () => {
  expect(whyOn(["● Done.", "", ">"])).toBe(null);
  expect(whyOn(["● Done.", "", "❯ "])).toBe(null);
  expect(whyOn(["● Done.", "› "], ["● Done.", "", "› "])).toBe(null);
});

test("without a recognised input line, no text is typed on another screen than observed or on a draft", () => {
  const reason = "no input line is recognised";
  expect(whyOn(["● Done.", "> draft"])).toBe(reason);
  expect(whyOn(["● Done.", "shop$"])).toBe(reason);
  expect(whyOn(["● Done.", ">"], ["● Something else.", ">"])).toBe(reason);
  expect(whyOn([])).toBe(reason);
});

test("without a recognised input line, a row far above the prompt may have changed, a row next to it may not", () => {
  const rows = Array.from({ length: 20 }, (_, index) => `row ${index}`);
  expect(whyOn([...rows, ">"], ["scrolled away", ...rows.slice(1), ">"])).toBe(null);
  expect(whyOn([...rows, ">"], [...rows.slice(0, 19), "another", ">"])).not.toBe(null);
});

test("no text is typed when the program names another folder than when its session was bound", () => {
  const lines = (folder: string) => ["• Done.", "", "› Ask", `  medium · ${folder}`];
  const typed = (now: string, seen: string) => {
    const [reading, place] = bareScreen(lines(now), lines(seen));
    const state = { ...reading.state, kind: "agent_b" as const };
    const conversation = parseConversation(lines(seen), "agent_b", true);
    const bound: ObservedPane = { ...place, runtime: "agent_b", conversation };
    return whyNotTyped({ ...reading, state }, bound, true);
  };
  expect(typed("~/.codex/worktrees/4f/shop", "~/code/shop")).toBe(
    "the program works in another folder",
  );
  expect(typed("~/code/shop", "~/code/shop")).toBe("no input line is recognised");
});

test("no text is typed where a prompt or the status says that the agent asks, or the last finding is kept", () => {
  const [reading, place] = bareScreen(["● Done.", "", ">"], ["● Done.", "", ">"]);
  const why = (now: Partial<PaneReading>) => whyNotTyped({ ...reading, ...now }, place, false);
  const stage = new AgentStage();
  stage.show("question-single");
  const { prompt } = stage.reading();
  const reason = "the agent waits for an answer";
  expect(why({ prompt })).toBe(reason);
  expect(why({ state: { ...reading.state, status: "needs_input" } })).toBe(reason);
  const kept = { ...reading.finding, keepsPrevious: true };
  expect(why({ finding: kept })).toBe("the agent is not idle");
  expect(why({})).toBeNull();
});

const ASKED = {
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

test("a question of the log matches the screen by its words and options, whatever entries the program adds", () => {
  const live = [...OWN, option("3", "Type something.", true), option("4", "Chat about this")];
  expect(matchQuestion(ASKED, { question: QUESTION, menu: live }, ALONE)).toEqual(["1", "2"]);
});

test("a question does not match a screen with a word or an option more, less or elsewhere", () => {
  const match = (question: string, menu = OWN) => matchQuestion(ASKED, { question, menu }, ALONE);
  expect(match("Which database should the service not use?")).toBe(null);
  expect(match("Which database should the service?")).toBe(null);
  expect(match(QUESTION, OWN.toReversed())).toBe(null);
  expect(match(QUESTION, OWN.slice(0, 1))).toBe(null);
  expect(match(QUESTION, [...OWN, option("3", "MySQL")])).toBe(null);
  expect(match(QUESTION, [option("1", "SQLite"), option("2", "PostgreSQL")])).toBe(null);
});

test("of several questions asked at once, only the one with the number on the screen matches", () => {
  const isShown = (question: string, index: number, count: number) =>
    matchQuestion(ASKED, { question, menu: OWN }, { index, count }) !== null;
  expect(isShown(`Question 2/3 ${QUESTION}`, 1, 3)).toBe(true);
  expect(isShown(`Question 2/3 ${QUESTION}`, 0, 3)).toBe(false);
  expect(isShown(`Question 2/3 ${QUESTION}`, 1, 2)).toBe(false);
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
const knownOf = (request: AgentRequest): KnownDecision => ({ decision: decisionOf(1, 1), request });

test("a plan approval is verified by its live dialog, with the options that take no text", () => {
  const plan = knownOf({ kind: "plan_approval", plan: "All of it" });
  const options = [{ id: "1", label: "Yes", description: "Go on", recommended: false }];
  expect(verify(plan, showing())).toMatchObject({
    ...{ prompt_fingerprint: "p", options, review_status: "actionable" },
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

test("a single question with a single choice is actionable, several questions or choices require the terminal", () => {
  const menu = OWN.map((each) => ({ ...each, description: "", selected: false, checked: null }));
  const status = (count: number, multiSelect: boolean) => {
    const question = { ...ASKED, multiSelect };
    const known = knownOf({ kind: "question", question, index: 0, count });
    return verify(known, showing({ question: QUESTION, menu }))?.review_status ?? null;
  };
  expect(status(1, false)).toBe("actionable");
  expect([status(1, true), status(2, false)]).toEqual(["terminal_required", "terminal_required"]);
});
