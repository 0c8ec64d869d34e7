import { describe, expect, test } from "bun:test";
import type { DetectInput } from "../../src/detect/finding.ts";
import { detectWith, detectInput } from "../support/detect-input.ts";
import { plansOf } from "../support/plans.ts";

const WIDTH = 60;
const find = (lines: readonly string[], members: Partial<DetectInput> = {}) =>
  detectWith(detectInput(lines, { command: "gemini", width: WIDTH, ...members }));

const box = (lines: readonly string[]) => [
  `╭${"─".repeat(WIDTH - 2)}╮`,
  ...lines.map((line) => `│ ${line.padEnd(WIDTH - 4)} │`),
  `╰${"─".repeat(WIDTH - 2)}╯`,
];
const COMPOSER = [
  "─".repeat(WIDTH),
  " Shift+Tab to accept edits",
  " >   Type your message or @path/to/file",
  " workspace (/directory)     branch     sandbox",
  " /tmp/demo/gem              main       no sandbox",
];
const YES_NO = ["● 1. Allow once", "  2. No, suggest changes (esc)"];

describe("Gemini's approval dialog", () => {
  test("counts as being drawn where only the title asks for action", () => {
    const title = "✋  Action Required (demo)";
    const asked = box(["Answer Questions", "", "Which?", "", ...YES_NO]);
    expect(find(asked, { title })).toMatchObject({ status: "needs_input", unsettled: null });
    expect(find(asked.slice(0, -2), { title })).toMatchObject({
      status: "needs_input",
      unsettled: "drawing",
    });
    expect(find(COMPOSER, { title })).toMatchObject({ unsettled: "title" });
  });

  test("has a question whole that wraps without a blank line above it", () => {
    const asked = ['Allow execution of MCP tool "add_note_to_the_journal"', 'from server "notes"?'];
    const found = find(box(["MCP Server: notes", ...asked, "", ...YES_NO]));
    expect(found.prompt?.question).toBe(asked.join(" "));
    expect(found.prompt?.evidence).toEqual(["MCP Server: notes"]);
  });
});

test("Gemini's dialog whose top has left the screen is answered, with a mark for more evidence", () => {
  const found = find(
    box(["? Shell x", "line 1", "line 2", "Apply this change?", "", ...YES_NO]).slice(2),
  );
  expect(found.prompt?.evidence).toEqual(["…", "line 1", "line 2"]);
  expect(plansOf(found)).toEqual({ "1": '"1"', "2": '"2"' });
});

const ask = (rows: readonly string[], hint: string) =>
  find(box(["Answer Questions", "", "Which database?", "", "▲", ...rows, "▼", "", hint]));

test("Gemini's single option between scroll marks is neither offered nor part of the question", () => {
  const found = ask(["● 1. [ ] Logging"], "Enter to select · ↑/↓ to navigate");
  expect(found).toMatchObject({ rule: "gemini.text", prompt: { options: [] } });
  expect(found.prompt?.question).toBe("Which database?");
});

test("Gemini's box of a tool's output above the input line is no dialog", () => {
  const output = box(["✓ Shell cat", "Apply this change?", "", ...YES_NO]);
  expect(find([...output, "", ...COMPOSER])).toMatchObject({
    status: "idle",
    rule: "gemini.idle",
  });
});

test("Gemini's error ends with the next message or answer, not with a note", () => {
  const error = "✕ [API Error: quota exceeded]";
  const note = "ℹ This request failed. Press F12 for diagnostics";
  expect(find([error, "", note, "", ...COMPOSER])).toMatchObject({ status: "error", line: 0 });
  expect(find([error, "", " > again", "", ...COMPOSER])).toMatchObject({ status: "idle" });
  expect(find([error, "", "✦ Done.", "", ...COMPOSER])).toMatchObject({ status: "idle" });
});

test("a fork of Gemini with the same boxes is read by the same rules under its own name", () => {
  const lines = box(["Apply this change?", "", "› 1. Yes, allow once", "  2. No (esc)"]);
  expect(find(lines, { command: "qwen" })).toMatchObject({
    status: "needs_input",
    rule: "qwen.dialog",
    agent: { id: "qwen", label: "Qwen Code" },
  });
});
