import { describe, expect, test } from "bun:test";
import type { DetectInput } from "../../src/detect/finding.ts";
import { fingerprints } from "../../src/detect/prompt.ts";
import { commandRisk } from "../../src/detect/risk.ts";
import { detectWith, detectInput } from "../support/detect-input.ts";
import { labelsOf, plansOf } from "../support/plans.ts";

const find = (command: string, lines: readonly string[], members: Partial<DetectInput> = {}) =>
  detectWith(detectInput(lines, { command, ...members }));

describe("a dialog that was not recorded", () => {
  test("of Grok is answered by moving and a look before Enter", () => {
    const lines = [
      "  ◆ Run npm test",
      "",
      "┃  Run this command?",
      "┃  1 (●) Yes, proceed",
      "┃  2 (○) Yes, and do not ask again for",
      "┃        npm commands",
      "┃  3 (○) No, reject",
      "  1/3:select │ Ctrl+o:yolo │ Ctrl+c:cancel",
    ];
    const found = find("grok", lines);
    expect(found).toMatchObject({ status: "needs_input", kind: "agent_c", rule: "agent_c.dialog" });
    expect(labelsOf(found)).toEqual([
      "Yes, proceed",
      "Yes, and do not ask again for npm commands",
      "No, reject",
    ]);
    expect(plansOf(found)["3"]).toBe("Down Down verify Enter");
  });

  test("of Grok whose dot shows an earlier choice, not the focus, is not answered", () => {
    const found = find("grok", [
      "  ┃  Which database should the service use?",
      "  ┃",
      "  ┃  1 (○) SQLite",
      "  ┃  2 (●) PostgreSQL",
      "  ┃  z (○) Type your answer here",
      "  ┃",
      "  ┃  [1/2] ↑/↓ navigate · ←/→ question · y copy    Enter:select",
      "  Tab:next answer  │  Esc:scrollback  │  Shift+x:dismiss",
    ]);
    expect(labelsOf(found)).toEqual(["SQLite", "PostgreSQL"]);
    expect(plansOf(found)).toEqual({ "1": "", "2": "" });
  });

  test("of Copilot with a field asks what stands above the field", () => {
    const rule = "─".repeat(60);
    const found = find("copilot", [
      ...["  ○ Asking user Waiting for response", "", rule, " Copilot needs information.", ""],
      ...[" What is the service called?", "", "  Database  [Name]", "", " Name"],
      ...[` ${rule.slice(2)}`, " ❯", ` ${rule.slice(2)}`, ""],
      ...[" enter accept · shift+tab prev · ctrl+d decline · esc cancel", "", rule],
    ]);
    expect(found).toMatchObject({ status: "needs_input", agent: { id: "copilot" } });
    expect(found.prompt).toMatchObject({ question: "What is the service called?", options: [] });
  });

  test("of Copilot waits where an answer of one's own is typed below its hints", () => {
    const rule = "─".repeat(60);
    const found = find("copilot", [
      ...["  ○ Asking user Waiting for response", "", rule, " Copilot needs information.", ""],
      ...[" Which database?", "", " Database:", "", " Pick one", "", "   SQLite", "   PostgreSQL"],
      ...[" ❯ Other (type your answer below)", ""],
      ...[" ↑/↓ select · enter accept · ctrl+d decline · esc cancel", rule, rule],
      ...["❯ Type your answer...", rule],
    ]);
    expect(found).toMatchObject({ status: "needs_input", rule: "copilot.dialog" });
    expect(found.prompt).toMatchObject({ question: "Which database?", options: [] });
  });

  test("of Cursor is answered by moving and a look before Enter", () => {
    const lines = [
      "  $ npm test",
      "",
      "  Run this command?",
      "  Not in allowlist: npm",
      "   → Run (once) (y) (enter)",
      "     Add Shell(npm) to allowlist? (tab)",
      "     Skip (esc or n)",
    ];
    const found = find("cursor-agent", lines);
    expect(found).toMatchObject({ status: "needs_input", agent: { id: "cursor" } });
    expect(labelsOf(found)).toEqual([
      "Run (once) (y) (enter)",
      "Add Shell(npm) to allowlist? (tab)",
      "Skip (esc or n)",
    ]);
    expect(plansOf(found)["3"]).toBe("Down Down verify Enter");
  });

  test("of Amp offers no options, of Antigravity is answered by moving and a look before Enter", () => {
    expect(
      find("amp", ["  Waiting for approval...", "  Approve   Deny with feedback"]),
    ).toMatchObject({
      status: "needs_input",
      rule: "amp.dialog",
      prompt: { options: [] },
    });
    const asked = [
      "Requesting permission for: npm test",
      "",
      "Do you want to proceed?",
      "> 1. Yes",
      "  2. No",
      "esc to cancel",
    ];
    expect(plansOf(find("agy", asked))).toEqual({ "1": "verify Enter", "2": "Down verify Enter" });
  });
});

describe("what stands above a list that was not recorded", () => {
  const asked = (...above: string[]) => [
    ...above,
    "Do you want to proceed?",
    "> 1. Yes",
    "  2. No",
    "esc to cancel",
  ];

  test.each([
    ["right above it", ["$ rm -rf build"]],
    ["in a paragraph of its own", ["$ rm -rf build", "", "It is not allowed yet.", ""]],
    ["further in", ["  $ rm -rf build", "", "  It is not allowed yet.", ""]],
  ])("is searched for danger: a command %s", (_, above) => {
    const { prompt } = find("agy", asked(...above));
    expect(prompt?.question).toBe("Do you want to proceed?");
    expect(commandRisk(prompt?.evidence ?? [])?.text).toBe("rm -rf");
  });

  test.each([
    ["agy", [""]],
    ["agy", []],
    ["node", [""]],
    ["node", []],
  ])("makes no other prompt when it moves, in %s above %j", (command, gap) => {
    const guardOf = (row: string) => fingerprints(find(command, asked(row, ...gap)).prompt);
    const guard = guardOf("  ⠧ Removing the build… 2.8s");
    expect(guard.prompt_fingerprint).not.toBeNull();
    expect(guardOf("  ⠇ Removing the build… 3s")).toEqual(guard);
    expect(guardOf("  ⠇ Removing the tests… 3s")).not.toEqual(guard);
  });
});

describe("a screen of an agent that was not recorded", () => {
  test.each([
    ["grok", "⠧ Waiting on subagent… 2.8s   13s ⇣29.7k [stop]", "working"],
    ["copilot", "● Thinking (Esc to cancel · 1.2 KiB)", "working"],
    ["copilot", " ◉ Working esc esc edit prompt                  gpt-5.4", "working"],
    ["cursor-agent", " ⬡ Reading", "working"],
    ["amp", " ╰ ⣾ Running tools", "working"],
    ["agy", "⣾ Thinking", "working"],
    ["grok", "  Shift+Tab:mode │ Ctrl+x:shortcuts", "idle"],
    ["cursor-agent", "  → Plan, search, build anything", "idle"],
    ["amp", "╰──────────────────── ~/demo ─╯", "idle"],
  ])("of %s with the line %s is %s", (command, line, status) => {
    expect(find(command, ["An answer.", "", line]).status).toBe(status as "working" | "idle");
  });

  test("with a numbered list in an answer does not wait", () => {
    for (const command of ["grok", "copilot", "cursor-agent", "amp", "agy"]) {
      const lines = [
        "I see two ways:",
        "",
        "1. Rename it",
        "2. Keep it",
        "",
        "Which one do you prefer?",
      ];
      expect(find(command, lines).status).toBe("idle");
    }
  });
});
