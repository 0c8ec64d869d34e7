import { expect, test } from "bun:test";
import { matchQuestion } from "../../src/agents/acts/verification.ts";

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
const OWN = [option("1", "SQLite (recommended)"), option("2", "PostgreSQL")];

test("the same words in the same order are the same question, whatever the program adds", () => {
  const live = [...OWN, option("3", "Type something.", true), option("4", "Chat about this")];
  expect(matchQuestion(asked, { question: QUESTION, menu: live })).toEqual(["1", "2"]);
});

test("one word more, less or elsewhere is another question", () => {
  const match = (question: string, menu = OWN) => matchQuestion(asked, { question, menu });
  expect(match("Which database should the service not use?")).toBe(null);
  expect(match("Which database should the service?")).toBe(null);
  expect(match(QUESTION, OWN.toReversed())).toBe(null);
  expect(match(QUESTION, OWN.slice(0, 1))).toBe(null);
  expect(match(QUESTION, [...OWN, option("3", "MySQL")])).toBe(null);
  expect(match(QUESTION, [option("1", "SQLite"), option("2", "PostgreSQL")])).toBe(null);
});
