import { describe, expect, test } from "bun:test";
import { parseScreen } from "../../src/detect/ansi.ts";
import {
  type DialogKeys,
  moveTo,
  promptOptions,
  TEXT_ENTER,
  textAsMessage,
} from "../../src/detect/answers.ts";
import type { Prompt, PromptOption } from "../../src/detect/finding.ts";
import { contextTop } from "../../src/detect/generic-prompt.ts";
import { type MenuRow, plainRow } from "../../src/detect/menu.ts";
import { fingerprints, onPage, paragraphAbove, questionLines } from "../../src/detect/prompt.ts";
import type { View } from "../../src/detect/region.ts";
import { option, prompt } from "../support/detect-input.ts";

const view = (lines: readonly string[], width: number): View => {
  const end = lines.length;
  return { screen: parseScreen(lines.join("\n")), lines, start: 0, end, width, height: end };
};

const row = (key: string, line: number, selected = false) => plainRow(key, key, line, selected);

test("a question on a page is named with the number of its page and of all pages", () => {
  const shown = (column: number) => onPage("Which?", [3, 9, 20], (at) => at === column);
  expect([3, 20].map(shown)).toEqual(["Question 1/3: Which?", "Question 3/3: Which?"]);
  expect(shown(4)).toBe("Which?");
  expect(onPage("Which?", [3], () => true)).toBe("Which?");
  expect(onPage("Which?", [3, 9], (at) => at === 9)).toBe("Question 2/2: Which?");
  expect(onPage("Which?", [3, 9])).toBe("Which?");
});

test("moves are counted by the numbers of the rows, or else by rows and what stands between them", () => {
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

test("a question has the wrapped lines above its question mark, or the first lines without a mark", () => {
  const lines = ["Title", "May it go on", "here?", "Esc to cancel"];
  const found = (width: number) => questionLines(view(lines, width), { start: 0, end: 3 });
  // A blank is left before the frame: 12 cells, a blank and 5 more have no room in 18.
  expect(found(18)).toEqual({ start: 1, end: 3 });
  expect(found(19)).toEqual({ start: 2, end: 3 });
  // A notice asks nothing: hints stand right below it.
  const notice = ["All of it is used", "up", "/model to switch"];
  const plain = (width: number) => questionLines(view(notice, width), { start: 0, end: 3 });
  expect(plain(20)).toEqual({ start: 0, end: 2 });
  expect(plain(40)).toEqual({ start: 0, end: 1 });
  // The last mark counts, and the frame above is no line of it.
  const asked = [`╭${"─".repeat(38)}╮`, "Is it so?", "It is.", "Go on?"];
  expect(questionLines(view(asked, 40), { start: 1, end: 4 })).toEqual({ start: 3, end: 4 });
  expect(questionLines(view(asked, 40), { start: 1, end: 2 })).toEqual({ start: 1, end: 2 });
});

test("a paragraph ends at a blank line or a scroll mark, and begins below an edge or the top", () => {
  const lines = ["Title", "Really?", "", "  ↑  ", "1. Yes"];
  expect(paragraphAbove(view(lines, 40), 4, 0)).toEqual({ start: 0, end: 2 });
  expect(paragraphAbove(view(lines, 40), 4, 1)).toEqual({ start: 1, end: 2 });
  expect(paragraphAbove(view(lines, 40), 4, 2)).toBeNull();
  expect(paragraphAbove(view(["-----", ...lines], 40), 3, 0)).toEqual({ start: 1, end: 3 });
});

describe("the context above a question", () => {
  const top = (lines: readonly string[]) =>
    contextTop(view([...lines, "Which?"], 40), lines.length);
  const rule = "─".repeat(40);

  test("begins below the last command", () => {
    expect(top(["before", "$ deploy", "text", "more"])).toBe(2);
    expect(top(["text", "more"])).toBe(0);
  });

  test("begins below a rule with text under it, and includes a box or a rule right above the question", () => {
    expect(top(["before", rule, "text"])).toBe(2);
    expect(top(["before", rule, ""])).toBe(0);
    expect(top(["before", rule])).toBe(0);
    expect(top([`╭${rule.slice(2)}╮`, "│ file │", `╰${rule.slice(2)}╯`, "text"])).toBe(1);
  });
});

const KEYS = ["takes", "moves", "typed", "nothing"] as const;
const rows: MenuRow[] = [
  plainRow("1", "Yes", 3, true),
  plainRow("2", "No, and do it differently", 4),
  plainRow("10", "Never", 5),
];

const steps = (keys: DialogKeys, menu = rows) =>
  promptOptions({ rows: menu }, keys).map(({ answer }) =>
    answer.map((step) => (step.do === "key" ? step.key : step.do === "type" ? step.text : step.do)),
  );

test("a typed key is followed by what its program needs, and by nothing more", () => {
  expect(KEYS.map((key) => steps({ key })[1])).toEqual([
    ["2"],
    ["2", "verify", "Enter"],
    ["2", "Enter"],
    ["Down", "verify", "Enter"],
  ]);
});

test("a key of two digits is typed only where the program reads a line", () => {
  for (const key of ["takes", "moves", "nothing"] as const) {
    expect(steps({ key })[2]).toEqual([...Array<string>(9).fill("Down"), "verify", "Enter"]);
    const unseen = rows.map((row) => ({ ...row, selected: false }));
    expect(steps({ key }, unseen)[2]).toEqual([]);
  }
  expect(steps({ key: "typed" })[2]).toEqual(["10", "Enter"]);
});

test("an open text field gets no option's key, and is left by moves only where it can be left", () => {
  for (const key of KEYS)
    for (const canBeLeft of [true, false]) {
      const open = { row: rows[0], answer: [], answerWithText: TEXT_ENTER, canBeLeft };
      const found = promptOptions({ rows }, { key, answerWithText: textAsMessage, open });
      const typed = found.flatMap(({ answer }) => answer).filter((step) => step.do === "type");
      expect(typed).toEqual([]);
      expect(found.map(({ answerWithText }) => answerWithText)).toEqual([TEXT_ENTER, null, null]);
      expect(found.slice(1).every(({ answer }) => answer.length > 0)).toBe(canBeLeft);
    }
});

test("words follow the key of an option that takes words, where the key alone chooses the option", () => {
  const words = (key: (typeof KEYS)[number]) =>
    promptOptions({ rows }, { key, answerWithText: textAsMessage }).map(
      ({ answerWithText }) => answerWithText,
    );
  expect(words("takes")).toEqual([
    null,
    [{ do: "type", text: "2" }, { do: "closed" }, ...TEXT_ENTER],
    null,
  ]);
  expect(KEYS.slice(1).flatMap(words)).toEqual(Array(9).fill(null));
});

const yes = option("1", "Yes", { selected: true });
const asked = prompt("Proceed?", {
  evidence: ["rm -rf build"],
  options: [yes, option("2", "No")],
});

test("no prompt has no fingerprints", () => {
  expect(fingerprints(null)).toEqual({
    prompt_fingerprint: null,
    options_fingerprint: null,
    selected: null,
  });
});

test("the prompt fingerprint covers question and evidence, and nothing else", () => {
  const base = fingerprints(asked);
  expect(base.prompt_fingerprint).toMatch(/^sha256:[0-9a-f]{64}$/);
  const moved = fingerprints({ ...asked, questionLine: 9, options: [] });
  expect(moved.prompt_fingerprint).toBe(base.prompt_fingerprint);
  for (const other of [{ question: "Proceed!" }, { evidence: ["rm -rf /"] }, { evidence: [] }])
    expect(fingerprints({ ...asked, ...other }).prompt_fingerprint).not.toBe(
      base.prompt_fingerprint,
    );
});

test("the options fingerprint covers every part of an option but the focus, which stands beside it", () => {
  const base = fingerprints(asked);
  const change = (change: Partial<PromptOption>) =>
    ({ ...asked, options: [{ ...yes, ...change }, ...asked.options.slice(1)] }) satisfies Prompt;
  for (const other of [
    { key: "y" },
    { label: "Yes!" },
    { description: "d" },
    { freeform: true },
    { checked: true },
  ])
    expect(fingerprints(change(other)).options_fingerprint).not.toBe(base.options_fingerprint);
  expect(base.selected).toBe("1");
  expect(fingerprints(change({ selected: false }))).toEqual({ ...base, selected: null });
});
