import { expect, test } from "bun:test";
import { parseScreen } from "../../src/detect/ansi.ts";
import { detectComposer } from "../../src/detect/composer.ts";
import type { DetectInput } from "../../src/detect/finding.ts";
import { detectWith, detectInput } from "../support/detect-input.ts";
import { findIn, inputOf, readScreens } from "../support/screens.ts";

const ROWS = 1000;
const PANEL = [
  "  3 tasks (1 done, 2 open)",
  "  ✔ Read greet.js",
  "  ◻ Add the flag",
  "  ◻ Run the tests",
];

/** The screen at the top of a pane that is a thousand rows high, a panel at its bottom. */
function atTopOfHighPane(capture: string): { text: string; lines: readonly string[] } {
  const top = capture.trimEnd().split("\n");
  const gap = ROWS - top.length - PANEL.length;
  return { text: [...top, ...Array<string>(gap).fill(""), ...PANEL].join("\n"), lines: top };
}

const high = (o: DetectInput, text: string) => ({ ...o, screen: parseScreen(text), height: ROWS });

test("a dialog above hundreds of blank rows and a panel is read as it is alone", () => {
  const dialogs = readScreens().filter(
    ({ name, expected }) => name.startsWith("claude/permission-") && expected.menu.length > 0,
  );
  expect(dialogs.length).toBeGreaterThan(20);
  for (const recorded of dialogs) {
    // Nothing may be above that only the height of the pane keeps away.
    if (!recorded.pane.alternate_on) continue;
    const alone = inputOf(recorded);
    const found = findIn(high(alone, atTopOfHighPane(recorded.styled).text));
    const { status, prompt } = findIn(alone);
    const { question, options, questionLine } = prompt ?? {};
    expect({ name: recorded.name, status: found.status, ...found.prompt }).toMatchObject({
      name: recorded.name,
      status,
      question,
      options,
      questionLine,
    });
  }
});

test("blank rows between an answer and the input line change nothing, and lines keep their places", () => {
  for (const agent of ["claude", "codex", "gemini"]) {
    const recorded = readScreens().find(({ name }) => name === `${agent}/idle-finished`);
    if (!recorded) throw new Error(`no screen of ${agent}`);
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

test("a pattern of one's own is found beyond blank rows, at its own line", () => {
  const lines = ["Starting", ...Array<string>(900).fill(""), "Deploy to production?"];
  const found = detectWith(detectInput(lines, { height: ROWS }), { prompt: ["^Deploy to"] });
  expect(found).toMatchObject({ status: "needs_input", line: 901 });
});
