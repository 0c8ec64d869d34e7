import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { lastMessageLine } from "../../src/detect/about.ts";
import { readScreens } from "../support/screens.ts";
import { forAll } from "../support/laws.ts";

const WHOLE =
  "greet.js exports two functions, greet and bye. Both build a short string from a name.";

/** What a person reads as the last line above the input line of each recorded screen. */
const SAID: Readonly<Record<string, string | null>> = {
  "claude/idle-finished": WHOLE,
  "claude/idle-manual": null,
  "claude/idle-question-text": "Which one do you prefer?",
  "claude/idle-question-text-v1.0.86-80x24": "Which one do you prefer?",
  "claude/idle-scrolled-80x24": "Line 50 of a long answer.",
  "claude/idle-typed": null,
  "claude/limit-near-v2.1.330-60x20": "Hello there.",
  "codex/idle-background-terminal": "The check goes on in the background.",
  "codex/idle-finished": WHOLE,
  "codex/idle-finished-50x30": "Both build a short string from a name.",
  "codex/idle-finished-v0.100.0-80x24": "a name.",
  "codex/idle-question-text": "Which one do you prefer?",
  "codex/idle-scrolled-80x24": "Line 44 of a long answer.",
  "codex/idle-typed": null,
  "copilot/idle-finished": "greet.js exports two functions, greet and bye.",
  "gemini/idle-finished": WHOLE,
  "gemini/idle-finished-v0.1.15-80x24": "from a name.",
  "grok/idle-100x30": null,
  "grok/idle-finished-100x30": "greet.js exports two functions, greet and bye.",
  "opencode/idle": null,
  "opencode/idle-finished": WHOLE,
  "opencode/idle-finished-50x30": "bye. Both build a short string from a name.",
  "opencode/idle-finished-80x24": "from a name.",
  "qwen/idle-finished": "greet.js exports two functions, greet and bye.",
};

const fold = (text: string | null) => text?.replace(/\s+/g, " ") ?? null;

describe("the last line that an idle agent said", () => {
  for (const { name, joined } of readScreens()) {
    const said = SAID[name];
    if (said === undefined) continue;
    test(`of ${name}`, () => expect(fold(lastMessageLine(joined.split("\n")))).toBe(said));
  }

  test("is looked for on every screen that is named", () => {
    const names = new Set(readScreens().map(({ name }) => name));
    expect(Object.keys(SAID).filter((name) => !names.has(name))).toEqual([]);
  });

  test("is none before its first words, and none below its input line", () => {
    expect(lastMessageLine(["$ claude"])).toBeNull();
    expect(lastMessageLine(["❯ What is it?", "", "❯ ", "  ? for shortcuts"])).toBeNull();
  });

  test("stands above the input line, whatever stands below it", () => {
    const below = fc.array(fc.string().filter((line) => !/[›❯>┃╹]/u.test(line)));
    forAll([below], (rows) => {
      expect(lastMessageLine(["● Done.", "─────", "❯ draft", ...rows])).toBe("Done.");
    });
  });
});
