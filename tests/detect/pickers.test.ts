import { expect, test } from "bun:test";
import { findIn, inputOf, readScreens } from "../support/screens.ts";

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

test("what a person has opened says so in its reason, what the program asks does not", () => {
  for (const recorded of readScreens()) {
    const { name, styled, expected } = recorded;
    if (expected.status !== "needs_input") continue;
    const isOpened = OPENED.includes(name);
    // An older folder trust cannot be told from a list that was opened.
    if (!isOpened && (!ASKED.test(name) || name === "claude/trust-v2.1.242")) continue;
    const { rule } = findIn(inputOf(recorded, styled));
    expect({ name, rule, isPicker: /\.picker\b/.test(rule) }).toEqual({
      name,
      rule,
      isPicker: isOpened,
    });
  }
});
