import { expect, test } from "bun:test";
import { whyNotAnswered } from "../../src/agents/acts/acts.ts";
import { describe as described } from "../../src/agents/acts/requests.ts";
import type { ObservedPane } from "../../src/agents/binding/observed-panes.ts";
import type { AgentRequest, KnownDecision } from "../../src/agents/known.ts";
import { fingerprints } from "../../src/detect/prompt.ts";
import type { DecisionItem } from "../../src/protocol/agents.ts";
import type { FreshRead } from "../../src/terminal/reading.ts";
import { candidatePane } from "./support/candidates.ts";
import { DATABASE, Desk } from "./support/desk.ts";

/** A dialog, the decision that it shows, and the pane as it was seen. */
function shown(asked: AgentRequest = DATABASE): [FreshRead, KnownDecision, ObservedPane] {
  const desk = new Desk();
  desk.show("question-single");
  const reading = desk.reading();
  const { prompt_fingerprint = "" } = fingerprints(reading.prompt) ?? {};
  const decision = { ...described(asked), prompt_fingerprint } as DecisionItem;
  const { identity } = reading.pane;
  const place = { ...candidatePane("%1", [], { runtime: "agent_a" }), identity };
  return [reading, { decision, asked }, { ...place, home: null, state: reading.state }];
}

test("the dialog that was seen is answered, and no other", () => {
  const [reading, known, place] = shown();
  expect(whyNotAnswered(reading, known, place)).toBeNull();
  const { prompt } = reading;
  if (!prompt) throw new Error("the recorded screen asks");
  const why = (now: Partial<FreshRead>) => whyNotAnswered({ ...reading, ...now }, known, place);
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
  const fewer = shown({
    ...DATABASE,
    question: { ...question, options: question.options.slice(1) },
  });
  expect(whyNotAnswered(...fewer)).toBe("the prompt has other options now");
});

test("a question that is longer than a title is told whole below it, any other has its topic there", () => {
  const told = (length: number) => {
    const question = { ...DATABASE.question, question: "?".repeat(length) };
    const { title, description } = described({ ...DATABASE, question });
    return [title.length, description];
  };
  expect(told(160)).toEqual([160, DATABASE.question.header]);
  expect(told(161)).toEqual([160, "?".repeat(161)]);
});
