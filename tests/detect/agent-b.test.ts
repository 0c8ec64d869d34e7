import { describe, expect, test } from "bun:test";
import type { DetectInput } from "../../src/detect/finding.ts";
import { detectWith, detectInput } from "../support/detect-input.ts";
import { labelsOf, plansOf } from "../support/plans.ts";

const find = (lines: readonly string[], members: Partial<DetectInput> = {}) =>
  detectWith(detectInput(lines, { command: "codex", ...members }));

const CONFIRM = "  Press enter to confirm or esc to cancel";
const COMPOSER = [
  "› Ask Codex to do anything",
  "",
  "  GPT-6.1-Sol medium · /tmp/demo",
  "  ← for agents",
];
const approval = (options: readonly string[], evidence: readonly string[] = ["  $ npm test"]) => [
  "› Run the tests",
  "",
  "",
  "• Running npm test",
  "",
  "",
  "  Would you like to run the following command?",
  "",
  ...evidence,
  "",
  "",
  ...options,
  "",
  CONFIRM,
];
const YES_NO = ["› 1. Yes, proceed (y)", "  2. No, and tell Codex what to do differently (esc)"];

const LOW = { width: 30, height: 10 };

test("Codex asks its question, not its heading, where a low screen shows one option", () => {
  const found = find([
    ...["", "  Field 1/1", "  Allow the notes MCP server to run", '  tool "add_note"?', ""],
    ...["  body: one line of a long text th...", "  title: Release", ""],
    ...["  › 1. Allow               Run the", "                           tool and"],
    ...["                           continue", "  option 1/4 | enter to submit | esc t"],
  ]);
  expect(found).toMatchObject({ status: "needs_input", rule: "agent_b.dialog" });
  expect(found.prompt).toMatchObject({
    question: "Allow the notes MCP server to run",
    options: [],
  });
});

test("a question of Codex that wraps on a narrow screen is told whole", () => {
  const lines = [
    ...["  Question 1/2 (2 unanswered)", "  Which database should the service", "  use?", ""],
    ...["  › 1. SQLite              One file.", "  option 1/4 | tab to add notes"],
    ...["  enter to submit answer", "  ←/→ to navigate questions", "  esc to interrupt"],
  ];
  const found = find(lines, { title: "[ ! ] Action Required | demo", width: 40, height: 14 });
  expect(found.prompt?.question).toBe("Which database should the service use?");
});

test("Codex waits where a low screen shows only the beginning of its dialog", () => {
  const trust = [
    ...["  Folder access", "  Trust this folder? Codex", "  can read, edit, and run"],
    ...["  files here, subject to", "  your permission settings.", "  Folder settings can run"],
    ...["  code automatically, even", "  without a model request."],
    ...["  Continue only if you trust", "  these files. Your trust"],
  ];
  const found = find(trust, LOW);
  expect([found.status, found.prompt?.question, labelsOf(found)]).toEqual([
    ...["needs_input", "Folder access"],
    [],
  ]);
  const session = ["• Trust this folder?", ...trust.slice(1)];
  expect(find(session, LOW).status).toBe("idle");
});

test("Codex waits at a panel that takes the whole width", () => {
  const panel = [
    ...["› What does greet.js do?", "─ Presets ──────────────────", ""],
    ...["  No presets saved. Press…", "", "  n · new", "  s · from settings"],
    ...["  e · edit   d · delete", "  esc · close               l…", "  ← for agents"],
  ];
  const found = find(panel, LOW);
  expect([found.status, found.prompt?.question]).toEqual(["needs_input", "Presets"]);
});

test("Codex asks nothing in its list of tasks, also where its hints are cut off", () => {
  const overview = [
    ...["  Agent command center  Group: Projec…", "   All 1   Needs you 0   Working 0   ›"],
    ...["  ────────────────────────────────────", "      Tasks", "  /tmp/demo/  1"],
    ...["  › ○ Untitled task", "", "", "", "", "", "  ? help  esc back  ↑/↓ move  enter o…"],
  ];
  const { status, rule } = find(overview, { width: 40, height: 12 });
  expect([status, rule]).toEqual(["idle", "agent_b.overview"]);
});

describe("Codex's approval dialog", () => {
  test("has a command that looks like the dialog whole as evidence", () => {
    const fake = [
      "  $ cat <<EOF",
      "    Would you like to run the following command?",
      "",
      "",
      "    $ true",
      "    1. Yes, proceed (y)",
      "    2. No",
      "    Question 1/2 (2 unanswered)",
      "    EOF",
      "    rm -rf /",
    ];
    const found = find(approval(YES_NO, fake));
    expect(labelsOf(found)).toEqual([
      "Yes, proceed (y)",
      "No, and tell Codex what to do differently (esc)",
    ]);
    expect(found.prompt?.question).toBe("Would you like to run the following command?");
    const words = (lines: readonly string[] = []) =>
      lines.map((l) => l.trim()).filter((l) => l !== "");
    expect(words(found.prompt?.evidence)).toEqual(words(fake));
  });

  test("has its own question, not one that the reason asks", () => {
    const found = find(approval(YES_NO, ["  Reason: Do you want to run it?", "", "  $ npm test"]));
    expect(found.prompt?.question).toBe("Would you like to run the following command?");
    expect(found.prompt?.evidence[0]).toBe("  Reason: Do you want to run it?");
  });

  test("about edits has the diff above it as evidence, without the blinking mark", () => {
    const screen = (mark: string) => [
      `${mark} Edited 1 file (+1 -1)`,
      "  └ src/a.js (+1 -1)",
      "    1 -old",
      "    1 +new",
      "",
      "",
      "  Would you like to make the following edits?",
      "",
      "  Destination: /tmp/demo/src/a.js",
      "",
      "",
      ...YES_NO,
      "",
      CONFIRM,
    ];
    const prompt = find(screen("•")).prompt;
    expect(prompt?.evidence).toContain("    1 +new");
    expect(find(screen("◦")).prompt?.evidence).toEqual(prompt?.evidence ?? []);
  });

  test("at the first start leaves the moving drawing out of its evidence", () => {
    const screen = (drawing: string) => [
      drawing,
      "",
      "",
      "  Welcome",
      "",
      "  Sign in to use it as part of your paid plan",
      "",
      "> 1. Sign in",
      "  2. Provide your own API key",
      "",
      "  Press Enter to continue",
    ];
    const prompt = find(screen("   |~/_|")).prompt;
    expect(prompt?.evidence).toEqual(["  Welcome"]);
    expect(find(screen("   |=*.|")).prompt?.evidence).toEqual(prompt?.evidence ?? []);
  });

  test("with more than nine options is never answered with two digits", () => {
    const options = Array.from(
      { length: 11 },
      (_, i) => `${i === 0 ? "›" : " "} ${i + 1}. Choice ${i + 1}`,
    );
    const found = find(["  Pick one?", "", ...options, "", "  enter select · esc back"]);
    expect(plansOf(found)).toMatchObject({ "9": '"9"', "11": `${"Down ".repeat(10)}verify Enter` });
  });
});

describe("a Codex screen without a dialog", () => {
  test("is idle with a numbered draft in the input line", () => {
    const draft = ["› 1. fix the test", "  2. run it", "", "  GPT-6.1-Sol medium · /tmp/demo"];
    expect(find(draft)).toMatchObject({ status: "idle", rule: "agent_b.idle" });
  });

  test.each(["Use ↑/↓ to move and Enter to select.", "[y] Approve   [n] Deny", "< Yes >   < No >"])(
    "is idle with an answer above the input line that ends with %s",
    (hint) => {
      const answer = [
        "› Write a menu",
        "",
        "• The menu is there.",
        "",
        `  ${hint}`,
        "",
        ...COMPOSER,
      ];
      expect(find(answer)).toMatchObject({ status: "idle", rule: "agent_b.idle" });
    },
  );

  test.each([
    ["! ls src", ["", "  GPT-6.1-Sol medium · /tmp/demo", "      Shell mode"]],
    ["▌ Ask Codex to do anything", [" ⏎ send   Ctrl+J newline"]],
  ])("is idle with a quoted dialog above the input line %s", (line, hints) => {
    const quoted = approval(["  › 1. Yes, proceed (y)", "    2. No"]);
    expect(find([...quoted, "", line, ...hints])).toMatchObject({ status: "idle", prompt: null });
  });

  test("keeps the status from before under the transcript viewer", () => {
    const found = find([
      "/ T R A N S C R I P T / / / /",
      ...approval(YES_NO),
      "",
      " q to quit   esc to edit prev",
    ]);
    expect(found).toMatchObject({ keepsPrevious: true, rule: "agent_b.transcript", prompt: null });
  });
});

describe("the status of Codex", () => {
  test("is idle where an answer quotes an activity line, and working where that stands above the input line", () => {
    const lines = [
      "• Working (12s • esc to interrupt)",
      "",
      "• That is what it shows.",
      "",
      ...COMPOSER,
    ];
    expect(find(lines)).toMatchObject({ status: "idle" });
    expect(find([lines[0] ?? "", "", ...COMPOSER])).toMatchObject({ status: "working" });
  });

  test("is less certainly idle right behind a person's message, when a turn begins", () => {
    const sent = ["› Implement the plan.", "", "", ...COMPOSER];
    expect(find(sent)).toMatchObject({ status: "idle", idleIsCertain: false });
    const answered = ["› Implement the plan.", "", "• Done.", "", ...COMPOSER];
    expect(find(answered)).toMatchObject({ status: "idle", idleIsCertain: true });
  });

  test("is error until the next message, and not after an interruption", () => {
    const error = "■ exceeded retry limit, last status: 429 Too Many Requests";
    expect(find([error, "", ...COMPOSER])).toMatchObject({ status: "error", line: 0 });
    expect(find([error, "", "› again", "", "• Done.", "", ...COMPOSER])).toMatchObject({
      status: "idle",
    });
    expect(find(["■ Conversation interrupted - use /feedback", "", ...COMPOSER])).toMatchObject({
      status: "idle",
    });
  });

  test("is waiting by a title that asks for action, although no dialog can be read", () => {
    const found = find(["  Something new", "", "  [ Yes ]   [ No ]"], {
      title: "[ ! ] Action Required | demo",
    });
    expect(found).toMatchObject({ status: "needs_input", rule: "agent_b.waiting.title" });
    expect(found.prompt?.options).toEqual([]);
    expect(found.unsettled).toBe("drawing");
  });

  test("is unsettled where the title still asks for action above an input line", () => {
    const activity = ["• Working (0s • esc to interrupt)", "", ""];
    for (const above of [[], activity]) {
      const title = "[ . ] Action Required | demo";
      const found = find([...above, ...COMPOSER], { title });
      expect(found).toMatchObject({ status: "needs_input", unsettled: "title" });
    }
  });
});

const streaming = [
  "› Explain greet.js",
  "",
  "",
  "• The greeting module has two functions.",
  "",
  "",
  "› Run /review on my current changes",
  "",
  "  ? for shortcuts                                            100% context left",
];

test("Codex of older versions is less certainly idle, as nothing shows that text streams", () => {
  expect(find(streaming)).toMatchObject({ rule: "agent_b.idle", idleIsCertain: false });
  const now = [...streaming.slice(0, 6), ...COMPOSER];
  expect(find(now)).toMatchObject({ rule: "agent_b.idle", idleIsCertain: true });
});
