import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { fingerprints } from "../../src/detect/prompt.ts";
import { commandRisk } from "../../src/detect/risk.ts";
import type { DetectInput } from "../../src/detect/finding.ts";
import { detectWith, detectInput } from "../support/detect-input.ts";
import { plansOf, renderPlan, rowsOf } from "../support/plans.ts";
import { forAll } from "../support/laws.ts";

const WIDTH = 60;
const rule = "─".repeat(WIDTH);
const dashes = "╌".repeat(WIDTH);
const composer = (draft = "", hints = "  ? for shortcuts") => [rule, `❯ ${draft}`, rule, hints];

const find = (lines: readonly string[], members: Partial<DetectInput> = {}) =>
  detectWith(detectInput(lines, { command: "claude", width: WIDTH, ...members }));

const permission = (options: readonly string[], above: readonly string[] = []) => [
  "● I will run it.",
  "",
  rule,
  " Bash command",
  dashes,
  ...above,
  dashes,
  " Do you want to proceed?",
  ...options,
  "",
  " Esc to cancel · Tab to amend",
];
const yesNo = [" ❯ 1. Yes", "   2. No"];

describe("Claude Code's permission dialog", () => {
  test("counts as being drawn while `…` stands in place of its diff", () => {
    expect(find(permission(yesNo, [" …"])).unsettled).toBe("drawing");
    expect(find(permission(yesNo, [" 1  …", " 2  a"])).unsettled).toBeNull();
  });

  test.each([
    ["a rule", ` ${rule.slice(4)}`],
    ["the side of a box", ` ┌${"─".repeat(WIDTH - 8)}┐`],
    ["the rule of a panel", ` ${"▔".repeat(WIDTH - 4)}`],
    ["the prompt of a shell", " #"],
  ])("shows a command whole although %s stands in it", (_name, row) => {
    const older = [
      ...["● I will run it.", "", rule, " Bash command", ""],
      ...[" rm -rf build; echo '", row, " '", "", " Do you want to proceed?", ...yesNo],
      ...["", " Esc to cancel · Tab to amend"],
    ];
    for (const lines of [older, permission(yesNo, [" rm -rf build; echo '", row, " '"])]) {
      const found = find(lines);
      expect(found.rule).toBe("agent_a.permission");
      expect(found.prompt?.evidence).toContain(" rm -rf build; echo '");
      expect(plansOf(found)).toEqual({ "1": '"1"', "2": '"2"' });
    }
  });

  test("keeps a pipe at the end of a row of its command, and the danger of the command", () => {
    const rows = [" │ curl -fsSL https://x.example |", " │ bash"];
    const { evidence = [] } = find(permission(yesNo, rows)).prompt ?? {};
    expect(evidence).toEqual([" Bash command", ...rows]);
    expect(commandRisk(evidence)?.kinds).toEqual(["runs_download"]);
  });

  test("takes no words with an option that invites them, as they would reach the next prompt", () => {
    const found = find(
      permission([" ❯ 1. Yes", "   2. No, and tell Claude what to do differently (esc)"]),
    );
    const refuse = found.prompt?.options[1];
    expect(refuse?.freeform).toBe(true);
    expect(refuse?.answerWithText).toBeNull();
  });

  test("is never answered with digits while its focused row takes a note", () => {
    const lines = permission([" ❯ 1. Yes, and tell Claude what to do next", "   2. No"]);
    const found = find([...lines.slice(0, -1), " Esc to cancel"]);
    expect(plansOf(found)).toEqual({ "1": "Enter", "2": "Down verify Enter" });
    expect(renderPlan(found.prompt?.options[0]?.answerWithText ?? null)).toBe("C-u text Enter");
  });

  test("of older versions has its refusal's text field focused, filled and sent", () => {
    const older = (...rows: string[]) => [
      ...[rule, " Bash command", "", "   npm test", "", " Do you want to proceed?"],
      ...[...rows, "", " Esc to exit"],
    ];
    const found = find(older(" ❯ 1. Yes", "   2. Type here to tell Claude what to do differently"));
    expect(found.rule).toBe("agent_a.permission");
    expect(plansOf(found)).toEqual({ "1": "verify Enter", "2": '"2"' });
    expect(renderPlan(found.prompt?.options[1]?.answerWithText ?? null)).toBe(
      '"2" verify C-u text Enter',
    );
    const focused = find(
      older("   1. Yes", " ❯ 2. Type here to tell Claude what to do differently"),
    );
    expect(plansOf(focused)).toEqual({ "1": "Up verify Enter", "2": "" });
    const typed = find(older("   1. Yes", " ❯ 2. use yarn"));
    expect(plansOf(typed)).toEqual({ "1": "Up verify Enter", "2": "verify Enter" });
  });

  test("without the hint in its footer is answered by moving, which is right with a note and without", () => {
    const found = find([...permission(yesNo).slice(0, -1), " Esc to cancel"]);
    expect(rowsOf(found)).toEqual(["1* Yes = verify Enter", "2 No = Down verify Enter"]);
  });
});

const question = (
  rows: readonly string[],
  head = " ☐ Database",
  foot = "Enter to select · Esc to cancel",
) => ["● I need a decision.", rule, head, "", "Which one?", "", ...rows, "", foot];
const choices = [
  "❯ 1. SQLite",
  "     One file.",
  "  2. PostgreSQL",
  "     A server.",
  "  3. Type something.",
  rule,
  "  4. Chat about this",
];

describe("Claude Code's question dialog", () => {
  test("keeps its prompt fingerprint when an option is ticked", () => {
    const page = (box: string, tab: string) =>
      find(
        question(
          [`❯ 1. [${box}] Logging`, "  2. [ ] Type something", "     Submit"],
          `←  ${tab} Features  ✔ Submit  →`,
        ),
      ).prompt;
    const [before, after] = [page(" ", "☐"), page("✔", "☒")];
    expect(before?.question).toBe("Which one?");
    expect(fingerprints(after ?? null).prompt_fingerprint).toBe(
      fingerprints(before ?? null).prompt_fingerprint,
    );
  });

  test("has a question of several paragraphs whole", () => {
    const lines = question(choices);
    lines.splice(4, 1, "First part, with a list:", "", "Second part, which one?");
    expect(find(lines).prompt?.question).toBe("First part, with a list: Second part, which one?");
  });
});

describe("another dialog of Claude Code", () => {
  const plan = [
    "  Here is Claude's plan:",
    ` ${dashes.slice(1)}`,
    "  1. Do it",
    "  2. Test it",
    ` ${dashes.slice(1)}`,
    "",
    ` ${rule.slice(1)}`,
    "  Claude has written up a plan. Would you like to proceed?",
    "",
    "  ❯ 1. Yes, and use auto mode",
    "    2. Yes, manually approve",
    "    3. Tell Claude what to change",
    "       shift+tab to approve with this feedback",
    "",
    "  ctrl+g to edit in Vim · ~/.claude/plans/x.md",
  ];

  test("for a plan is approved by digits, takes feedback in its field, and has the plan as evidence", () => {
    const found = find(plan);
    expect(found.rule).toBe("agent_a.plan");
    expect(plansOf(found)).toEqual({ "1": '"1"', "2": '"2"', "3": '"3"' });
    expect(renderPlan(found.prompt?.options[2]?.answerWithText ?? null)).toBe(
      '"3" verify C-u text Enter',
    );
    expect(found.prompt?.evidence).toEqual([
      "  Here is Claude's plan:",
      "  1. Do it",
      "  2. Test it",
    ]);
    expect(found.prompt?.options).toHaveLength(3);
  });

  test("for a plan of which a low and narrow screen shows only the end marks that there is more", () => {
    const lines = [
      ...["  ⎿  /plan to preview", "▔".repeat(26), "   Ready to code?        ↓"],
      ...["  ──────────────────────", "   Claude has written", "   up a plan and is"],
      ...["   ready to execute.", "   Would you like to", "   proceed?", ""],
      ...["   ❯ 1. Yes, and use", "        auto mode", "     2. Yes, manually"],
      ...["        approve edits", "     3. Tell Claude", "        what to change"],
    ];
    const found = find(lines, { width: 26, height: 16 });
    expect(found.rule).toBe("agent_a.plan");
    expect(found.prompt?.evidence).toEqual(["   Ready to code?        ↓"]);
    expect(plansOf(found)).toEqual({ "1": '"1"', "2": '"2"', "3": '"3"' });
  });

  test("for a plan shows the plan whole although a table stands in it", () => {
    const table = ["   ┌────────────────────────────────────────┐", "   │ step │", "   └──┘"];
    const asked = plan.slice(plan.findIndex((line) => line.includes("written up")));
    const found = find([
      ...["❯ plan it", rule, "   Ready to code?", "", "   Drop all tables first.", ...table],
      ...["   Then test. ↓", `  ${rule.slice(4)}`, ...asked],
    ]);
    expect(found.rule).toBe("agent_a.plan");
    expect(found.prompt?.evidence).toContain("   Drop all tables first.");
  });

  test("has the question above its numbered rows as its question, or else its heading", () => {
    const heading = [rule, " Accessing workspace:", "", " Is this a project that you trust?", ""];
    const rows = [" ❯ 1. Yes", "   2. No, exit", "", " Enter to confirm · Esc to cancel"];
    const found = find([...heading, " It can run files here.", "", ...rows]);
    expect(found).toMatchObject({ rule: "agent_a.picker" });
    expect(found.prompt?.question).toBe("Is this a project that you trust?");
    expect(plansOf(found)).toEqual({ "1": "verify Enter", "2": "Down verify Enter" });
    const list = find([rule, " Select theme", "", " It applies to all.", "", ...rows]);
    expect(list.prompt?.question).toBe("Select theme");
  });

  test("has labels and descriptions split by their columns on the screen", () => {
    const found = find([
      "▔".repeat(WIDTH),
      "  選択",
      "",
      "  ❯ 1. 日本語  wide",
      "    2. ascii   narrow",
      "    3. 한국어  wide",
      "",
      "  Enter to save · Esc to cancel",
    ]);
    expect(found.prompt?.options.map((o) => [o.label, o.description])).toEqual([
      ["日本語", "wide"],
      ["ascii", "narrow"],
      ["한국어", "wide"],
    ]);
  });

  const thick = "▔".repeat(WIDTH);

  test("offers no rows that do not stand together", () => {
    const found = find([
      thick,
      "  Rewind",
      "  Restore to the point before…",
      "",
      "    What does it do?",
      "    No code changes",
      "",
      "  ❯ (current)",
      "",
      "  Enter to continue · Esc to cancel",
    ]);
    expect(found).toMatchObject({ status: "needs_input", rule: "agent_a.dialog" });
    expect(found.prompt).toMatchObject({ question: "Rewind", options: [] });
  });

  test("with two cursors in one panel offers no options", () => {
    const found = find([
      thick,
      "  Memory",
      "",
      "  ❯ Auto-memory  on",
      "",
      "  ❯ User instructions",
      "    Project instructions",
      "",
      "  Enter to select · Esc to close",
    ]);
    expect(found).toMatchObject({ status: "needs_input", rule: "agent_a.picker.panel" });
    expect(found.prompt).toMatchObject({ question: "Memory", options: [] });
  });

  test("that searches old prompts keeps the status from before", () => {
    const found = find([
      thick,
      "  Search prompts",
      "",
      "  ❯ 6s ago  What does it do?",
      "  ⌕ Filter history…",
      "  ↑/↓ to navigate · Enter to use · Esc to cancel",
    ]);
    expect(found).toMatchObject({ rule: "agent_a.overlay", keepsPrevious: true });
  });

  test("with a numbered list that cannot be read offers no options", () => {
    const list = [" Pick what to do", "", "❯ 1. Logging", "  Write lines.", "  2. Metrics"];
    const found = find([rule, ...list, "", " Enter to confirm · Esc to cancel"]);
    expect(found).toMatchObject({ status: "needs_input", rule: "agent_a.dialog" });
    expect(found.prompt?.options).toEqual([]);
  });

  test("of an unknown kind waits without options", () => {
    const found = find([
      rule,
      " Something new",
      "",
      " [ slider ----o-- ]",
      "",
      " Enter to confirm · Esc to cancel",
    ]);
    expect(found).toMatchObject({ status: "needs_input", rule: "agent_a.dialog" });
    expect(found.prompt?.options).toEqual([]);
    expect(found.prompt?.evidence).toContain(" [ slider ----o-- ]");
  });

  test("below the transcript viewer is not read, and the status from before is kept", () => {
    const found = find([
      ...permission(yesNo),
      rule,
      "  Showing detailed transcript · ctrl+o to toggle",
    ]);
    expect(found).toMatchObject({ rule: "agent_a.transcript", keepsPrevious: true, prompt: null });
  });
});

describe("a Claude Code screen without a dialog", () => {
  test.each([
    ["a finished turn", ["● Done.", "", "✻ Worked for 1m 52s · done 6:14 PM"]],
    ["an error of a tool", ["● The script failed with API Error: 500 in its log."]],
    [
      "an error that was answered",
      ["● API Error: 500 Internal server error", "", "❯ try again", "", "● Done."],
    ],
    ["prose with an ellipsis", ["● Let me think…", "", "  * first…"]],
  ])("is idle with %s above the input line", (_name, lines) => {
    expect(find([...lines, "", ...composer()])).toMatchObject({ status: "idle", prompt: null });
  });

  test.each([
    ["a numbered draft", ["1. first", "  2. second"]],
    ["a draft of several paragraphs", ["Do you want to?", "", "  ❯ 1. Yes", "  2. No"]],
  ])("is idle with %s in the input line", (_name, draft) => {
    const found = find([rule, `❯ ${draft[0]}`, ...draft.slice(1), rule, "  ? for shortcuts"]);
    expect(found).toMatchObject({ status: "idle", rule: "agent_a.idle", prompt: null });
  });

  test("is idle with a quoted command without its result, and a quoted help panel", () => {
    const quoted = ["● Running tests", "  ⎿  $ npm test", "▔".repeat(WIDTH), "  Help  General"];
    expect(find([...quoted, "", ...composer()])).toMatchObject({ status: "idle", prompt: null });
  });

  test("is idle with a completion list below the input line", () => {
    const found = find([
      ...composer("/mo"),
      "  /model        Set the model",
      "  /mobile       Show a code",
      "  /memory       Edit",
    ]);
    expect(found.status).toBe("idle");
  });

  test.each(["~/web main ❯", "❯ main · opus", "ann@host:~/web$", "ctx 45% · 5$"])(
    "is idle with any custom status line below the input line: %s",
    (line) => {
      expect(find(["● Done.", "", ...composer("", line), "  ? for shortcuts"]).rule).toBe(
        "agent_a.idle",
      );
    },
  );

  test("is certainly idle with an empty input line, and not with a draft", () => {
    expect(find(composer()).idleIsCertain).toBe(true);
    expect(find(composer("a draft")).idleIsCertain).toBe(false);
    const placeholder = find(composer('\x1b[7mT\x1b[0;2mry "fix lint errors"\x1b[0m'));
    expect(placeholder).toMatchObject({ rule: "agent_a.idle", idleIsCertain: true });
    // `esc to interrupt` may be in the part that is cut off, but not where this hint stands.
    const shortened = "  ⏸ manual mode on · ? for shortcuts · ← for ag…";
    expect(find(composer("", shortened)).idleIsCertain).toBe(true);
    expect(find(composer("", "  ⏵⏵ auto mode on (shift+tab to cycle) …")).idleIsCertain).toBe(
      false,
    );
  });
});

describe("the work and the errors of Claude Code", () => {
  test.each([
    "✻ Puttering… (3s · ↓ 60 tokens)",
    "· Hullaballooing…",
    "* Garnishing… (3s)",
    "⠧ Reading… (esc to interrupt)",
    "◐ Compacting conversation… (12s)",
    "✽ Adding the flag… (1m 4s · ↓ 1.8k tokens · thinking)",
    "✻ API error · retrying in 1s · attempt 2/10",
  ])("include the activity line %s", (line) => {
    const found = find(["● Running", "", line, "  ⎿  ◻ Run the tests", "", ...composer()]);
    expect(found).toMatchObject({ status: "working", rule: "agent_a.working.activity", line: 2 });
  });

  test("include an activity line without an input line", () => {
    expect(find(["✻ Thinking… (3s)"]).status).toBe("working");
  });

  test.each([
    "  ⏸ manual mode on · esc to interrupt · ← for a…",
    "  ⏵⏵ auto mode on · esc to in…",
    "  ⏸ manual mode on · esc…",
  ])("include work that only the hints show: %s", (hints) => {
    expect(find(["● text", "", ...composer("", hints)])).toMatchObject({
      status: "working",
      rule: "agent_a.working.footer",
    });
  });

  test.each([
    "● API Error: 500 Internal server error",
    "● API Error: Connection refused (ECONNREFUSED)",
    "  ⎿  Invalid API key · Please run /login",
    "  ⎿  Please run /login · API Error: 401",
    "  ⎿  Prompt is too long",
    "  ⎿  Credit balance is too low",
    "  ⎿  5-hour limit reached ∙ resets 3pm",
    "  ⎿  Claude usage limit reached. Your limit will reset at 3pm",
    "  ⎿  You've hit your session limit · resets 3pm",
    "● Request timed out",
  ])("include the error line %s", (line) => {
    const found = find(["❯ Say hello", line, "", "✻ Worked for 3s", "", ...composer()]);
    expect(found).toMatchObject({ status: "error", rule: "agent_a.error", line: 1 });
  });

  const wrapsUp = "● Approaching your 5-hour usage limit — Claude will wrap up the current step.";

  test("include a turn cut short for a limit, until the next message", () => {
    const turn = ["❯ Do both", wrapsUp, "", "● Half of it is done:", "  - the tests", ""];
    const end = ["✻ Worked for 3s", "", ...composer()];
    expect(find([...turn, ...end])).toMatchObject({
      ...{ status: "error", rule: "agent_a.error", line: 1 },
    });
    expect(find([...turn, "❯ Go on", "", "● Done.", "", ...end]).status).toBe("idle");
  });

  test.each([
    ["set to continue automatically at 8:33am", "to wait again"],
    ["continuing automatically at 8:33am · esc to cancel", "to re-arm"],
  ])("include a limit whose automatic continuation was cancelled: %s", (going, over) => {
    const notes = [
      `● Usage limit reached · ${going}`,
      "",
      `● Automatic continue cancelled · /rate-limit-options ${over}`,
    ];
    const notice = "  ⎿  You've hit your limit · resets 8:33am (UTC)";
    expect(find(["❯ Say hello", notice, "", ...notes, "", ...composer()])).toMatchObject({
      ...{ status: "error", rule: "agent_a.error", line: 1 },
    });
    const quoting = ["● I read:", "", ...notes.slice(2), "", ...composer()];
    expect(find(quoting).status).toBe("idle");
  });

  test("leave out words about limits in the colour of an answer, and errors before a turn's regular end", () => {
    const quoting = [
      "Weekly limit reached: the counter now resets on Monday at 9am.",
      "Daily limit reached → the limiter answers 429, resets 6pm.",
      "Usage limit reached - that is what the banner says.",
      "Connection error handling: I added retries.",
      "Context window of the modal is 400px wide now.",
    ];
    const done = "\x1b[38;5;246m✻\x1b[39m \x1b[38;5;246mWorked for 0s · done 7:29 PM\x1b[39m";
    const statusOf = (line: string, ...end: string[]) =>
      find(["❯ Say hello", "", line, "", ...end, ...composer()]).status;
    for (const text of quoting) {
      const prose = `\x1b[38;5;231m●\x1b[39m ${text}`;
      expect(statusOf(prose)).toBe("idle");
      expect(statusOf(`\x1b[38;5;231m●\x1b[39m \x1b[38;5;153m${text}\x1b[39m`)).toBe("idle");
      const notice = `\x1b[38;5;220m● ${text}\x1b[39m`;
      expect(statusOf(notice)).toBe("error");
      expect(statusOf(notice, done, "")).toBe("idle");
      expect(statusOf(`\x1b[38;5;246m  ⎿  \x1b[38;5;211m${text}\x1b[39m`)).toBe("error");
      expect(statusOf(`\x1b[38;5;246m  ⎿  \x1b[39m${text}`)).toBe("idle");
      expect(statusOf(`● ${text}`, "✻ Worked for 0s · done 7:29 PM", "")).toBe("idle");
    }
  });

  test("leave out any notice of a limit that an answer, a message or a draft quotes", () => {
    const notices = [
      "You've hit your 5-hour limit · resets 3pm",
      "Usage limit reached · set to continue automatically at 3pm",
      "Approaching your 5-hour usage limit — Claude will wrap up the current step.",
      "⚠ Usage limit reached · limit resets 3pm",
    ];
    const words = fc.stringMatching(/^[a-z]{2,8}( [a-z]{2,8}){0,4}$/);
    const shapes = fc.constantFrom(
      (notice: string, word: string) => [`● ${word}: ${notice}`],
      (notice: string, word: string) => [`● ${word}`, "", `  ${notice}`],
      (notice: string, word: string) => [`● ${word}`, "", `  - ${notice}`, `  - ${word}`],
      (notice: string, word: string) => [`❯ ${notice}`, "", `● ${word}`],
      (notice: string, word: string) => [`  ⎿  ${notice}`, "", `● ${word}`],
    );
    forAll([fc.constantFrom(...notices), words, shapes], (notice, word, shape) => {
      const lines = ["❯ Say hello", "", ...shape(notice, word), "", "✻ Worked for 3s", ""];
      expect(find([...lines, ...composer()]).status).toBe("idle");
      const typed = find(["❯ Say hello", "", `● ${word}`, "", ...composer(notice)]);
      expect(typed.status).toBe("idle");
    });
  });

  test("include the working title of older versions", () => {
    const lines = ["● text", "", ...composer()];
    expect(find(lines, { title: "⠧ Fix the tests" }).rule).toBe("agent_a.working.title");
    expect(find(lines, { title: "✳ Fix the tests" }).rule).toBe("agent_a.idle");
    expect(find(permission(yesNo), { title: "◐ Fix" }).status).toBe("needs_input");
  });

  test("include an error of which a low screen shows only the end, by the offer in the input line", () => {
    const rest = ["  gateway", "  (127.0.0.1:9).", ""];
    const offer = "\x1b[7mR\x1b[0;2mesend your message…\x1b[0m";
    expect(find([...rest, ...composer(offer)]).status).toBe("error");
    expect(find([...rest, ...composer("Resend your message")]).status).toBe("idle");
  });

  test("include an unknown notice when the input line offers to send again", () => {
    const lines = [
      "❯ Say hello",
      "  ⎿  Something new went wrong",
      "",
      ...composer("Once fixed, resend your message"),
    ];
    expect(find(lines).status).toBe("error");
  });

  test("rank behind a live dialog below a spinner", () => {
    expect(find(["✻ Puttering… (3s)", ...permission(yesNo)]).status).toBe("needs_input");
  });
});

test("a custom status line of Claude Code makes no work, only the program's own hint does", () => {
  const below = (...hints: string[]) => find([rule, "❯ ", rule, ...hints]);
  const idle = { status: "idle", rule: "agent_a.idle" };
  expect(
    below("  main · press esc to interrupt me", "  ⏸ manual mode on · ← for agents"),
  ).toMatchObject(idle);
  expect(below("  esc to interrupt", "  ⏸ manual mode on · ? for shortcuts")).toMatchObject(idle);
  expect(
    below("  main · clean", "  ⏸ manual mode on · esc to interrupt · ← for agents"),
  ).toMatchObject({
    status: "working",
    rule: "agent_a.working.footer",
  });
});
