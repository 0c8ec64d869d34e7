import { expect, test } from "bun:test";
import { parseScreen } from "../../src/detect/ansi.ts";
import { detect } from "../../src/detect/detect.ts";
import { aboutOf, askedFor } from "../../web/model/about.ts";
import type { Pane } from "../../web/model/pane.ts";
import { pane } from "../support/pane.ts";
import { defaultPatterns, inputOf, readScreen } from "../support/screens.ts";

/** The pane of a recorded screen, as far as a row reads it. */
function recorded(name: string): Pane {
  const [agent = "", screen = ""] = name.split("/");
  const input = inputOf(readScreen(agent, screen), parseScreen(readScreen(agent, screen).styled));
  const { prompt } = detect(input, defaultPatterns(input));
  if (prompt === null) throw new Error(`no prompt on the recorded screen ${name}`);
  const { question, evidence } = prompt;
  return pane({ status: "needs_input", question, evidence: [...evidence] });
}

/** Read from the screens by a person. */
const SAYS: readonly (readonly [string, string])[] = [
  ["claude/classic-permission-bash", "npm test -- --reporter=dot && rm -rf build/tmp"],
  ["claude/permission-bash-60x20", "npm test -- --reporter=dot && rm -rf build/tmp"],
  ["claude/permission-bash-v2.1.242", "npm test -- --reporter=dot && rm -rf build/tmp"],
  ["claude/permission-bash-auto-80x24", "npm test && rm -rf build/tmp"],
  ["claude/permission-bash-long-50x30", "for f in src/*.js; do"],
  ["claude/permission-edit", "Edit src/greet.js"],
  ["claude/permission-write-amended-80x24", "Create ../outside.txt"],
  ["codex/permission-bash-40x30", "npm test && rm -rf build/tmp"],
  ["codex/permission-bash-quoted-80x24", "cat <<'EOF'"],
  ["codex/permission-edit", "Edit 2 files"],
  ["copilot/permission-bash", "npm test && rm -rf build/tmp"],
  ["gemini/permission-second-80x24", "npm run build"],
  ["gemini/permission-bash-v0.1.15-80x24", "npm test && rm -rf build/tmp"],
  ["gemini/permission-edit", "Edit src/greet.js"],
  ["gemini/permission-write", "Write src/cli.js"],
  ["opencode/permission-bash", "npm test && rm -rf build/tmp"],
  ["opencode/permission-edit-40x30", "Edit src/greet.js"],
];

test.each(SAYS)("a row says what %s asks for", (name, says) => {
  expect(aboutOf(recorded(name))).toBe(says);
});

test.each([
  ["claude/question-single", "Which database should the service use?"],
  ["claude/permission-bash-huge-80x24", "Do you want to proceed?"],
  ["codex/permission-mcp", 'Allow the notes MCP server to run tool "add_note"?'],
  ["gemini/permission-bash-drawing-60x20", "Allow execution of [Shell]?"],
])("a row says the question of %s, which shows no command or not the begin of it", (name, says) => {
  expect(aboutOf(recorded(name))).toBe(says);
});

test("words about a command that are wrapped are not taken for the command", () => {
  const evidence = ["Bash command", "Remove what the", "last build has left", "rm -rf build"];
  expect(askedFor(pane({ status: "needs_input", question: "Go on?", evidence }))).toBeNull();
});

test("a command within the reason for another one is not what is asked for", () => {
  const evidence = ["  Reason: it is no more than", "  $ ls", "", "  $ rm -rf build"];
  expect(askedFor(pane({ status: "needs_input", question: "Run it?", evidence }))).toBe(
    "rm -rf build",
  );
});

test("a pane that does not wait says its last words", () => {
  expect(aboutOf(pane({ preview: ["$ npm test", "12 passed"] }))).toBe("12 passed");
});
