import { describe, expect, test } from "bun:test";
import type { DetectInput } from "../../src/detect/finding.ts";
import { detectWith, detectInput } from "../support/detect-input.ts";
import { labelsOf, plansOf, renderPlan, rowsOf } from "../support/plans.ts";

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

describe("approval", () => {
  test("a digit answers alone; words follow only when the box has gone", () => {
    const found = find(box(["? Shell npm test", "", "Allow execution of [Shell]?", "", ...YES_NO]));
    expect(found).toMatchObject({
      status: "needs_input",
      kind: "generic",
      agent: { id: "gemini" },
    });
    expect(plansOf(found)).toEqual({ "1": '"1"', "2": '"2"' });
    expect(renderPlan(found.prompt?.options[1]?.answerWithText ?? null)).toBe(
      '"2" closed text Enter',
    );
    expect(found.prompt?.evidence).toEqual(["? Shell npm test"]);
  });

  test("numbered lines and a question in the command are evidence", () => {
    const inner = ["╭──────────╮", "│ 1. rm -rf build │", "│ ● 2. Are you sure? │", "╰──────────╯"];
    const found = find(box(["? Shell x", ...inner, "Allow execution of [Shell]?", "", ...YES_NO]));
    expect(found.prompt?.question).toBe("Allow execution of [Shell]?");
    expect(labelsOf(found)).toEqual(["Allow once", "No, suggest changes (esc)"]);
    expect(found.prompt?.evidence.join("\n")).toContain("1. rm -rf build");
  });

  test("while the box around the command is empty, the dialog is not drawn yet", () => {
    const approval = (inner: readonly string[]) => {
      const side = (ends: string) => ends.padEnd(WIDTH - 5, "─");
      const lines = [`${side("╭")}╮`, ...inner, `${side("╰")}╯`];
      return find(box(["? Shell x", ...lines, "Allow execution of [Shell]?", "", ...YES_NO]));
    };
    expect(approval([])).toMatchObject({ status: "needs_input", unsettled: "drawing" });
    expect(approval([`│ ${"npm test".padEnd(WIDTH - 8)} │`]).unsettled).toBeNull();
  });

  test("a title without its dialog is a screen that is being drawn", () => {
    const title = "✋  Action Required (demo)";
    const asked = box(["Answer Questions", "", "Which?", "", ...YES_NO]);
    expect(find(asked, { title })).toMatchObject({ status: "needs_input", unsettled: null });
    expect(find(asked.slice(0, -2), { title })).toMatchObject({
      status: "needs_input",
      unsettled: "drawing",
    });
    expect(find(COMPOSER, { title })).toMatchObject({ unsettled: "title" });
  });

  test("a question that wraps without a blank line above it is read whole", () => {
    const asked = ['Allow execution of MCP tool "add_note_to_the_journal"', 'from server "notes"?'];
    const found = find(box(["MCP Server: notes", ...asked, "", ...YES_NO]));
    expect(found.prompt?.question).toBe(asked.join(" "));
    expect(found.prompt?.evidence).toEqual(["MCP Server: notes"]);
  });

  test("a hint in parentheses is no part of the question below it", () => {
    const hint = "(press Ctrl+O to expand the details of what this tool does)";
    const found = find(box([hint, "Allow execution of [the longest name]?", "", ...YES_NO]));
    expect(found.prompt?.question).toBe("Allow execution of [the longest name]?");
    expect(found.prompt?.evidence).toEqual([hint]);
  });
});

test("a box whose top has left the screen is answered, and says that there is more", () => {
  const found = find(
    box(["? Shell x", "line 1", "line 2", "Apply this change?", "", ...YES_NO]).slice(2),
  );
  expect(found.prompt?.evidence).toEqual(["…", "line 1", "line 2"]);
  expect(plansOf(found)).toEqual({ "1": '"1"', "2": '"2"' });
});

describe("questions", () => {
  const ask = (rows: readonly string[], hint: string) =>
    find(box(["Answer Questions", "", "Which database?", "", "▲", ...rows, "▼", "", hint]));

  test("the digit of the free text moves there, and is seen there before the words", () => {
    const rows = ["  2.  PostgreSQL", "● 3.  Plain files", "  4.  Enter a custom value"];
    const found = ask(rows, "Enter to select · ↑/↓ to navigate · Esc to cancel");
    expect(plansOf(found)).toEqual({ "2": '"2"', "3": '"3"', "4": '"4"' });
    expect(renderPlan(found.prompt?.options[2]?.answerWithText ?? null)).toBe(
      '"4" verify text Enter',
    );
  });

  test("a single option between scroll marks is not offered, and no part of the question", () => {
    const found = ask(["● 1. [ ] Logging"], "Enter to select · ↑/↓ to navigate");
    expect(found).toMatchObject({ rule: "gemini.text", prompt: { options: [] } });
    expect(found.prompt?.question).toBe("Which database?");
  });

  test("while the free text has the focus, digits are text", () => {
    const rows = ["  2.  PostgreSQL", "  3.  Plain files", "● 4.  use 2 of them"];
    const found = ask(rows, "Enter to submit · Esc to cancel");
    expect(rowsOf(found)).toEqual([
      "2 PostgreSQL = Up Up verify Enter",
      "3 Plain files = Up verify Enter",
      "4* use 2 of them… = Enter | text Enter",
    ]);
  });
});

describe("what is no dialog", () => {
  test("a tool's box above the input line, whatever it holds", () => {
    const output = box(["✓ Shell cat", "Apply this change?", "", ...YES_NO]);
    expect(find([...output, "", ...COMPOSER])).toMatchObject({
      status: "idle",
      rule: "gemini.idle",
    });
  });

  test("a completion list below the input line", () => {
    const [rule = "", mode = ""] = COMPOSER;
    const lines = [
      rule,
      mode,
      " > /",
      " clear      Clear the screen",
      " compress   Compress",
      " ▼",
      " (1/40)",
    ];
    expect(find([...lines, ...COMPOSER.slice(3)])).toMatchObject({ status: "idle" });
  });

  test("`esc to cancel` means work here", () => {
    const lines = [" ⠸ Thinking... (esc to cancel, 2s)", ...COMPOSER];
    expect(find(lines)).toMatchObject({ status: "working", rule: "gemini.working.activity" });
  });
});

test("an error ends with the next message, not with a note", () => {
  const error = "✕ [API Error: quota exceeded]";
  const note = "ℹ This request failed. Press F12 for diagnostics";
  expect(find([error, "", note, "", ...COMPOSER])).toMatchObject({ status: "error", line: 0 });
  expect(find([error, "", " > again", "", ...COMPOSER])).toMatchObject({ status: "idle" });
  expect(find([error, "", "✦ Done.", "", ...COMPOSER])).toMatchObject({ status: "idle" });
});

test("a fork with the same boxes has the same rules under its own name", () => {
  const lines = box(["Apply this change?", "", "› 1. Yes, allow once", "  2. No (esc)"]);
  expect(find(lines, { command: "qwen" })).toMatchObject({
    status: "needs_input",
    rule: "qwen.dialog",
    agent: { id: "qwen", label: "Qwen Code" },
  });
});
