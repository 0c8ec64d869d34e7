import { describe, expect, test } from "bun:test";
import { expectMeaning, findOn, readScreen, readScreens } from "../support/screens.ts";

const SCREENS = readScreens();

describe("a recorded screen", () => {
  test.each(SCREENS.map((recorded) => [recorded.name, recorded] as const))(
    "has its recorded meaning: %s",
    (_, recorded) => {
      expectMeaning(findOn(recorded), recorded.expected);
    },
  );
});

/**
 * Drawn over a session: only the inverse row tells it from a text that quotes a dialog. Or a label
 * that ends, a row that has the focus, or a placeholder by its colour alone.
 */
const PROVEN_BY_STYLE = [
  "claude/error-scrolled-80x24",
  "claude/permission-bash-wide-v2.1.332-40x20",
  "codex/feedback-logs",
  "codex/full-access",
  "codex/full-access-60x20",
  "codex/full-access-busy",
  "codex/full-access-busy-40x24",
  "codex/full-access-busy-80x24",
  "codex/full-access-inline-80x24",
  "codex/memories-80x24",
  "codex/permission-bash-v0.20.0-80x24",
  "codex/permission-edit-v0.20.0-80x24",
  "opencode/permission-covered-80x24",
  "opencode/question-long-40x20",
  "opencode/question-multi-long",
];

describe("a recorded screen without attributes and with wrapped lines joined", () => {
  const plain = SCREENS.filter(({ name }) => !PROVEN_BY_STYLE.includes(name));
  test.each(plain.map((recorded) => [recorded.name, recorded] as const))(
    "has its recorded meaning: %s",
    (_, recorded) => {
      // These programs mark the focus by colour alone.
      const ignoresFocus = ["opencode", "grok"].includes(recorded.agent);
      expectMeaning(findOn(recorded, recorded.joined), recorded.expected, { ignoresFocus });
    },
  );
});

test("a recorded screen is unsettled exactly where a dialog is being drawn", () => {
  for (const recorded of SCREENS) {
    const { unsettled } = findOn(recorded);
    const isDrawing = recorded.name.includes("-drawing");
    expect(unsettled, recorded.name).toBe(isDrawing ? "drawing" : null);
  }
});

test("an option of a recorded dialog has a plan, except beside an open text field", () => {
  for (const recorded of SCREENS) {
    const options = findOn(recorded).prompt?.options ?? [];
    // While a field is open every key goes into it, so only the focused option can be answered.
    if (options.some((o) => o.selected && o.answerWithText?.[0]?.do === "text")) continue;
    const open = options.filter((o) => o.answer.length === 0 && !o.answerWithText);
    expect(open, recorded.name).toEqual([]);
  }
});

test("evidence with a part out of sight says how many lines are missing", () => {
  const recorded = readScreen("claude", "permission-bash-huge-80x24");
  const { prompt } = findOn(recorded);
  expect(prompt?.evidence.slice(0, 2)).toEqual([
    "↑ 52 more lines",
    " │ npm run step-47 -- --of=deployment",
  ]);
});

/** Lists and panels that a person has opened, as read from the screens. */
const OPENED = [
  "claude/model-menu",
  "claude/model-menu-v1.0.86-80x24",
  "claude/resume-list-80x24",
  "claude/resume-list-v1.0.86-80x24",
  "claude/settings-60x20",
  "claude/tasks-80x24",
  "claude/theme-60x20",
  "codex/model-menu",
  "codex/permissions-menu",
  "codex/permissions-menu-80x12",
  "codex/plugins-80x24",
  "codex/resume-list-80x24",
  "gemini/editor",
  "gemini/editor-scope",
  "gemini/model-menu",
  "gemini/resume-list",
  "gemini/rewind-80x24",
  "gemini/settings-80x24",
];

/** What the program itself asks. */
const ASKED = /^\w+\/(?:(?:classic-)?permission|question|plan|trust|api-key|full-access)/;

test("the reason names a picker exactly where a person has opened the list", () => {
  for (const recorded of SCREENS) {
    const { name, expected } = recorded;
    if (expected.status !== "needs_input") continue;
    const isOpened = OPENED.includes(name);
    // An older folder trust cannot be told from a list that was opened.
    if (!isOpened && (!ASKED.test(name) || name === "claude/trust-v2.1.242")) continue;
    const { rule } = findOn(recorded);
    expect(/\.picker\b/.test(rule), `${name}: ${rule}`).toBe(isOpened);
  }
});
