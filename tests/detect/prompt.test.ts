import { describe, expect, test } from "bun:test";
import { parseScreen } from "../../src/detect/ansi.ts";
import { contextTop } from "../../src/detect/generic-prompt.ts";
import type { MenuRow } from "../../src/detect/menu.ts";
import { moveTo } from "../../src/detect/answers.ts";
import { onPage, paragraphAbove, questionLines } from "../../src/detect/prompt.ts";
import type { View } from "../../src/detect/region.ts";

const view = (lines: readonly string[], width: number): View => {
  const end = lines.length;
  return { screen: parseScreen(lines.join("\n")), lines, start: 0, end, width, height: end };
};

const row = (key: string, line: number, selected = false): MenuRow => ({
  ...{ key, line, selected, label: key, description: "", checked: null },
});

test("a page is named by its place among all of them, the first one too", () => {
  const shown = (column: number) => onPage("Which?", [3, 9, 20], (at) => at === column);
  expect([3, 20].map(shown)).toEqual(["Question 1/3: Which?", "Question 3/3: Which?"]);
  expect(shown(4)).toBe("Which?");
  expect(onPage("Which?", [3], () => true)).toBe("Which?");
  expect(onPage("Which?", [3, 9], (at) => at === 9)).toBe("Question 2/2: Which?");
  expect(onPage("Which?", [3, 9])).toBe("Which?");
});

test("rows are counted by their numbers where all have one, and rows between that have none", () => {
  const keys = (rows: readonly MenuRow[], to: MenuRow, lines: readonly number[] = []) => {
    const extras = lines.map((line) => ({ label: "Submit", line, selected: false }));
    return moveTo({ rows, extras }, to)?.map((step) => (step.do === "key" ? step.key : step.do));
  };
  const [one, five, letter] = [row("1", 10, true), row("5", 14), row("a", 14)];
  expect(keys([one, five], five)).toEqual(["Down", "Down", "Down", "Down"]);
  expect(keys([one, letter], letter)).toEqual(["Down"]);
  expect(keys([one, letter], letter, [9, 10, 12, 14, 15])).toEqual(["Down", "Down"]);
  expect(keys([row("1", 10), row("2", 11, true)], row("1", 10))).toEqual(["Up"]);
  expect(keys([one], one)).toEqual([]);
  expect(keys([row("1", 10)], row("1", 10))).toBeUndefined();
});

test("a question is the lines that ran full above its mark, and the last lines without one", () => {
  const lines = ["Title", "May it go on", "here?", "Esc to cancel"];
  const found = (width: number) => questionLines(view(lines, width), { start: 0, end: 3 });
  // A blank is left before the frame: 12 cells, a blank and 5 more have no room in 18.
  expect(found(18)).toEqual({ start: 1, end: 3 });
  expect(found(19)).toEqual({ start: 2, end: 3 });
  const plain = questionLines(view(["Title", "Go on", "with it"], 40), { start: 0, end: 3 });
  expect(plain).toEqual({ start: 2, end: 3 });
  // The last mark counts, and the frame above is no line of it.
  const asked = [`╭${"─".repeat(38)}╮`, "Is it so?", "It is.", "Go on?"];
  expect(questionLines(view(asked, 40), { start: 1, end: 4 })).toEqual({ start: 3, end: 4 });
  expect(questionLines(view(asked, 40), { start: 1, end: 2 })).toEqual({ start: 1, end: 2 });
});

test("a paragraph ends at what is blank or marks more, and begins behind an edge or the top", () => {
  const lines = ["Title", "Really?", "", "  ↑  ", "1. Yes"];
  expect(paragraphAbove(view(lines, 40), 4, 0)).toEqual({ start: 0, end: 2 });
  expect(paragraphAbove(view(lines, 40), 4, 1)).toEqual({ start: 1, end: 2 });
  expect(paragraphAbove(view(lines, 40), 4, 2)).toBeNull();
  expect(paragraphAbove(view(["-----", ...lines], 40), 3, 0)).toEqual({ start: 1, end: 3 });
});

describe("the text above a question", () => {
  const top = (lines: readonly string[]) =>
    contextTop(view([...lines, "Which?"], 40), lines.length);
  const rule = "─".repeat(40);

  test("begins behind the last command", () => {
    expect(top(["before", "$ deploy", "text", "more"])).toBe(2);
    expect(top(["text", "more"])).toBe(0);
  });

  test("begins behind a rule that a text stands below, but holds a box and a rule right above", () => {
    expect(top(["before", rule, "text"])).toBe(2);
    expect(top(["before", rule, ""])).toBe(0);
    expect(top(["before", rule])).toBe(0);
    expect(top([`╭${rule.slice(2)}╮`, "│ file │", `╰${rule.slice(2)}╯`, "text"])).toBe(1);
  });
});
