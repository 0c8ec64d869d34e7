import { expect, test } from "bun:test";
import { parseScreen } from "../../src/detect/ansi.ts";
import { detectComposer } from "../../src/detect/composer.ts";
import type { DetectInput } from "../../src/detect/finding.ts";
import { placeOf } from "../../src/detect/prepare.ts";
import { detectWith, detectInput } from "../support/detect-input.ts";
import { findIn, inputOf, readScreen, readScreens } from "../support/screens.ts";

const at = (row: number, column: number) => ({ row, column, visible: true });
const place = (lines: string[], members: object) =>
  placeOf(detectInput(lines, { width: 10, height: 4, ...members }));

test("lines above the visible screen are above its top", () => {
  const lines = ["old", "old", "a", "b", "c", "d"];
  expect(place(lines, { cursor: at(1, 1) })).toEqual({
    top: 2,
    cursor: { line: 3, column: 1, visible: true },
  });
});

test("blank rows below the text belong to the visible screen", () => {
  const cleared = detectInput(["old", "old", "now", "", "", ""].join("\n") + "\n", { height: 4 });
  expect(placeOf(cleared).top).toBe(2);
});

test("more blank rows than the pane has rows are not counted as its screen", () => {
  const text = ["old", "now", ...Array<string>(9).fill("")].join("\n") + "\n";
  expect(placeOf(detectInput(text, { height: 4 })).top).toBe(0);
});

test("a wrapped line takes as many rows as it needs, and its upper rows may be history", () => {
  const long = "x".repeat(25);
  expect(place([long, "b", "c"], { cursor: at(0, 3) })).toEqual({
    top: 0,
    cursor: { line: 0, column: 13, visible: true },
  });
  expect(place(["a", long], { cursor: at(3, 5) }).cursor).toMatchObject({ line: 1, column: 25 });
});

test("a cursor below the text has a line of its own", () => {
  expect(place(["a"], { cursor: at(2, 0) }).cursor).toMatchObject({ line: 2, column: 0 });
});

test("a question above the visible screen does not wait", () => {
  const screen = (below: string) => `idle\nOverwrite gone? (y/n)\n${below}`;
  const patterns = { prompt: ["\\(y/n\\)"] };
  const size = { height: 4, cursor: at(1, 0) };
  expect(detectWith(detectInput(screen("idle\n\n\n\n"), size), patterns).status).toBe("idle");
  expect(detectWith(detectInput(screen(""), size), patterns).status).toBe("needs_input");
});

const ROWS = 1000;
const PANEL = [
  "  3 tasks (1 done, 2 open)",
  "  ✔ Read greet.js",
  "  ◻ Add the flag",
  "  ◻ Run the tests",
];

/** The screen at the top of a pane that is a thousand rows high, a panel at its bottom. */
function atTopOfHighPane(capture: string): string {
  const top = capture.trimEnd().split("\n");
  const gap = ROWS - top.length - PANEL.length;
  return [...top, ...Array<string>(gap).fill(""), ...PANEL].join("\n");
}

const high = (o: DetectInput, text: string) => ({ ...o, screen: parseScreen(text), height: ROWS });

test("a dialog above hundreds of blank rows and a panel is read as without them", () => {
  const dialogs = readScreens().filter(
    ({ name, expected }) => name.startsWith("claude/permission-") && expected.menu.length > 0,
  );
  expect(dialogs.length).toBeGreaterThan(20);
  for (const recorded of dialogs) {
    // On the main screen the high pane would also show history.
    if (!recorded.pane.alternate_on) continue;
    const alone = inputOf(recorded);
    const found = findIn(high(alone, atTopOfHighPane(recorded.styled)));
    const { status, prompt } = findIn(alone);
    const { question, options, questionLine } = prompt ?? {};
    expect({ status: found.status, ...found.prompt }, recorded.name).toMatchObject({
      ...{ status, question, options, questionLine },
    });
  }
});

test("blank rows between an answer and the input line change only line numbers", () => {
  for (const agent of ["claude", "codex", "gemini"]) {
    const recorded = readScreen(agent, "idle-finished");
    const lines = recorded.styled.trimEnd().split("\n");
    const o = inputOf(recorded);
    const composer = detectComposer(o, findIn(o));
    const blank = lines.findLastIndex(
      (line, i) => Bun.stripANSI(line) === "" && i < (composer?.line ?? 0) - 2,
    );
    const spread = lines.toSpliced(blank, 0, ...Array<string>(900).fill(""));
    const wide = high(o, spread.join("\n"));
    const found = findIn(wide);
    expect(found).toMatchObject({ status: "idle", rule: findIn(o).rule });
    expect(detectComposer(wide, found)).toEqual(
      composer && { ...composer, line: composer.line + 900 },
    );
    expect(wide.screen.lines[found.line ?? -1]?.text).toBe(
      o.screen.lines[findIn(o).line ?? -1]?.text,
    );
  }
});

test("a person's pattern is found below blank rows, at its own line", () => {
  const lines = ["Starting", ...Array<string>(900).fill(""), "Deploy to production?"];
  const found = detectWith(detectInput(lines, { height: ROWS }), { prompt: ["^Deploy to"] });
  expect(found).toMatchObject({ status: "needs_input", line: 901 });
});
