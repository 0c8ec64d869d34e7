import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { aboutOf, lastMessageLine } from "../../src/detect/about.ts";
import type { About } from "../../src/protocol/act.ts";
import { forAll } from "../support/laws.ts";
import { findOn, readScreen, readScreens, type RecordedScreen } from "../support/screens.ts";

/** The subject of a recorded prompt; undefined without a prompt. */
function aboutOn(screen: RecordedScreen): About | null | undefined {
  const { prompt } = findOn(screen);
  return prompt ? asks(prompt.question, prompt.evidence) : undefined;
}

function recorded(name: string): About | null | undefined {
  const [agent = "", screen = ""] = name.split("/");
  return aboutOn(readScreen(agent, screen));
}

const asks = (question: string, evidence: readonly string[]) =>
  aboutOf({ status: "needs_input", question, evidence: [...evidence], agent: null });

// Read from the screens by a person.
test.each([
  ["claude/classic-permission-bash", "npm test -- --reporter=dot && rm -rf build/tmp"],
  ["claude/permission-bash-60x20", "npm test -- --reporter=dot && rm -rf build/tmp"],
  ["claude/permission-bash-v2.1.242", "npm test -- --reporter=dot && rm -rf build/tmp"],
  ["claude/permission-bash-auto-80x24", "npm test && rm -rf build/tmp"],
  ["claude/permission-bash-long-50x30", "for f in src/*.js; do"],
  ["codex/permission-bash-40x30", "npm test && rm -rf build/tmp"],
  ["codex/permission-bash-quoted-80x24", "cat <<'EOF'"],
  ["copilot/permission-bash", "npm test && rm -rf build/tmp"],
  ["gemini/permission-second-80x24", "npm run build"],
  ["gemini/permission-bash-v0.1.15-80x24", "npm test && rm -rf build/tmp"],
  ["opencode/permission-bash", "npm test && rm -rf build/tmp"],
])("the subject of %s is its command", (name, text) => {
  expect(recorded(name)).toEqual({ kind: "command", text, file: null, added: null, removed: null });
});

test.each([
  ["claude/permission-edit", "Edit", "src/greet.js"],
  ["claude/permission-write-amended-80x24", "Create", "../outside.txt"],
  ["gemini/permission-edit", "Edit", "src/greet.js"],
  ["gemini/permission-write", "Write", "src/cli.js"],
  ["opencode/permission-edit-40x30", "Edit", "src/greet.js"],
])("the subject of %s is its file", (name, verb, file) => {
  const text = `${verb} ${file}`;
  expect(recorded(name)).toEqual({ kind: "file", text, file, added: null, removed: null });
});

test("the subject of an edit has its counts of lines, and no path where it edits several files", () => {
  expect(recorded("codex/permission-edit")).toEqual({
    ...{ kind: "file", text: "Edit 2 files", file: null },
    ...{ added: 3, removed: 1 },
  });
  expect(recorded("codex/permission-add-v0.171.0")).toEqual({
    ...{ kind: "file", text: "Create src/cli.js", file: "src/cli.js" },
    ...{ added: 50, removed: 0 },
  });
  const moved =
    "src/greet.js → src/a/very/long/path/to/some/deep/folder/of/this/project/greeter.js";
  expect(recorded("codex/permission-edit-path-v0.171.0-60x24")).toEqual({
    ...{ kind: "file", text: `Edit ${moved}`, file: moved },
    ...{ added: 1, removed: 1 },
  });
});

test.each([
  ["claude/question-single", "question", "Which database should the service use?"],
  ["claude/permission-bash-huge-80x24", "question", "Do you want to proceed?"],
  ["copilot/permission-bash-long-60x20", "question", "Do you want to run this command?"],
  ["gemini/permission-bash-40x12", "question", "Allow execution of [Shell]?"],
  ["codex/permission-mcp", "question", 'Allow the notes MCP server to run tool "add_note"?'],
  ["gemini/permission-bash-drawing-60x20", "question", "Allow execution of [Shell]?"],
  [
    "claude/plan-approval-80x24",
    "plan",
    "Claude has written up a plan and is ready to execute. Would you like to proceed?",
  ],
])("the subject of %s is its question", (name, kind, text) => {
  expect(recorded(name)).toMatchObject({ kind, text, file: null });
});

test("the subject of a recorded prompt fits one line", () => {
  const prompts = readScreens().flatMap((screen) => {
    const about = aboutOn(screen);
    return about ? [{ screen: screen.name, text: about.text }] : [];
  });
  expect(prompts.length).toBeGreaterThan(100);
  expect(prompts.filter(({ text }) => !/^\S(.*\S)?$/.test(text))).toEqual([]);
});

test("wrapped words above a command are not taken for the command", () => {
  const evidence = ["Bash command", "Remove what the", "last build has left", "rm -rf build"];
  expect(asks("Go on?", evidence)).toMatchObject({ kind: "question", text: "Go on?" });
});

test("a command quoted in the reason for a command is not taken for the command", () => {
  const evidence = ["  Reason: it is no more than", "  $ ls", "", "  $ rm -rf build"];
  expect(asks("Run it?", evidence)).toMatchObject({ kind: "command", text: "rm -rf build" });
});

test("the subject of an error is its last line, of an idle agent its last message; work and shells have none", () => {
  const aboutIn = (status: "error" | "idle" | "working", evidence: string[], isAgent = true) =>
    aboutOf({
      ...{ status, question: null, evidence },
      agent: isAgent ? { id: "agent_a", label: "Claude Code" } : null,
    });
  const trace = ["Traceback (most recent call last):", "  at x", "ValueError: no"];
  expect(aboutIn("error", trace)).toMatchObject({ kind: "text", text: "ValueError: no" });
  expect(aboutIn("idle", ["All green."])).toMatchObject({ kind: "text", text: "All green." });
  expect(aboutIn("working", ["Thinking… (3s)"])).toBeNull();
  expect(aboutIn("idle", ["$ ls"], false)).toBeNull();
});

const WHOLE =
  "greet.js exports two functions, greet and bye. Both build a short string from a name.";

/** The last message line above the input line of recorded screens, read by a person. */
const LAST_LINES: Readonly<Record<string, string | null>> = {
  "claude/auto-notice-80x24": null,
  "claude/file-menu-v2.1.332-80x24": "Hello, all is well.",
  "claude/idle-finished": WHOLE,
  "claude/idle-manual": null,
  "claude/idle-question-text": "Which one do you prefer?",
  "claude/idle-question-text-v1.0.86-80x24": "Which one do you prefer?",
  "claude/idle-scrolled-80x24": "Line 50 of a long answer.",
  "claude/idle-typed": null,
  "claude/limit-near-v2.1.330-60x20": "Hello there.",
  "claude/slash-menu-v2.1.332-80x24": "Hello, all is well.",
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

describe("the last message line of an idle agent", () => {
  for (const { name, joined } of readScreens()) {
    const said = LAST_LINES[name];
    if (said === undefined) continue;
    test(`on ${name} is the one that a person reads`, () =>
      expect(fold(lastMessageLine(joined.split("\n")))).toBe(said));
  }

  test("is expected only of screens that are recorded", () => {
    const names = new Set(readScreens().map(({ name }) => name));
    expect(Object.keys(LAST_LINES).filter((name) => !names.has(name))).toEqual([]);
  });

  test("is absent before the first message, and is not looked for below the input line", () => {
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
