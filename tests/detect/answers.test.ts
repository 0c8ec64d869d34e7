import { expect, test } from "bun:test";
import { answered, type DialogKeys, WORDS, wordsAfter } from "../../src/detect/answers.ts";
import { type MenuRow, plainRow } from "../../src/detect/menu.ts";

const KEYS = ["takes", "moves", "typed", "nothing"] as const;
const rows: MenuRow[] = [
  plainRow("1", "Yes", 3, true),
  plainRow("2", "No, and do it differently", 4),
  plainRow("10", "Never", 5),
];

const steps = (how: DialogKeys, menu = rows) =>
  answered({ rows: menu }, how).map(({ answer }) =>
    answer.map((step) => (step.do === "key" ? step.key : step.do === "type" ? step.text : step.do)),
  );

test("a key is followed by what its program needs, and by nothing more", () => {
  expect(KEYS.map((key) => steps({ key })[1])).toEqual([
    ["2"],
    ["2", "verify", "Enter"],
    ["2", "Enter"],
    ["Down", "verify", "Enter"],
  ]);
});

test("a key of two figures is typed only where a line is read", () => {
  for (const key of ["takes", "moves", "nothing"] as const) {
    expect(steps({ key })[2]).toEqual([...Array<string>(9).fill("Down"), "verify", "Enter"]);
    const unseen = rows.map((row) => ({ ...row, selected: false }));
    expect(steps({ key }, unseen)[2]).toEqual([]);
  }
  expect(steps({ key: "typed" })[2]).toEqual(["10", "Enter"]);
});

test("while a field is open no key is typed, and none sent that it would hold", () => {
  for (const key of KEYS)
    for (const isLeft of [true, false]) {
      const open = { row: rows[0], answer: [], words: WORDS, isLeft };
      const found = answered({ rows }, { key, words: wordsAfter, open });
      const typed = found.flatMap(({ answer }) => answer).filter((step) => step.do === "type");
      expect(typed).toEqual([]);
      expect(found.map(({ answerWithText }) => answerWithText)).toEqual([WORDS, null, null]);
      expect(found.slice(1).every(({ answer }) => answer.length > 0)).toBe(isLeft);
    }
});

test("words follow an option that takes them where its key leads there, and no other", () => {
  const words = (key: (typeof KEYS)[number]) =>
    answered({ rows }, { key, words: wordsAfter }).map(({ answerWithText }) => answerWithText);
  expect(words("takes")).toEqual([
    null,
    [{ do: "type", text: "2" }, { do: "closed" }, ...WORDS],
    null,
  ]);
  expect(KEYS.slice(1).flatMap(words)).toEqual(Array(9).fill(null));
});
