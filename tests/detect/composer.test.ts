import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { detectComposer, holdsText, isTextAlone } from "../../src/detect/composer.ts";
import type { Composer, DetectInput } from "../../src/detect/finding.ts";
import { findIn, findOn, inputOf, readScreen, readScreens } from "../support/screens.ts";
import { forAll } from "../support/laws.ts";

const LINES = `first line

third line of a draft that is rather long and has to be wrapped somewhere
when the pane is not very wide at all`;

/** Drafts that a person read from the screens. */
const DRAFTS: Readonly<Record<string, string>> = {
  "claude/idle-pasted-80x24": "[Pasted text #1 +24 lines]",
  "claude/idle-typed-v1.0.86-80x24": "explain what greet.js does",
  "codex/idle-lines-80x24": LINES,
  "codex/idle-pasted-80x24": "[Pasted Content 1114 chars]",
  "gemini/idle-lines-80x24": LINES,
  "opencode/idle-pasted-80x24": "[Pasted ~3 lines]",
  "claude/idle-typed": "explain what greet.js does",
  "codex/idle-typed": "explain what greet.js does",
  "codex/idle-typed-v0.20.0-80x24": "explain what greet.js does",
  "claude/file-menu-v2.1.332-80x24": "look at @src",
  "claude/slash-menu-v2.1.332-80x24": "/re",
  "codex/reconnecting-v0.171.0-80x24": "Say hello",
  "codex/slash-menu": "/",
  "gemini/idle-typed": "explain what greet.js does",
  "gemini/idle-typed-v0.1.15-80x24": "explain what greet.js does",
  "gemini/slash": "/",
  "grok/idle-completed-100x30": "Dem",
  "grok/idle-lines-80x24": LINES.replace(" somewhere", "\nsomewhere"),
  "grok/idle-pasted-100x30": "[Pasted: 24 lines]",
  "grok/idle-typed-100x30": "explain what greet.js does",
  "grok/idle-typed-40x24": "explain what greet.js does in\na few words",
  "grok/working-typed-100x30": "also check this",
  "opencode/idle-typed-v1.0.162-80x24": "explain what greet.js does",
  "opencode/idle-typed": "explain what greet.js does",
};

/** Input lines whose draft is scrolled, or that take a command for the shell or a search. */
const UNCLEAR = [
  "claude/idle-typed-long-80x12",
  "claude/shell-mode-80x24",
  "codex/search-80x24",
  "codex/shell-mode-80x24",
  "gemini/search-80x24",
  "grok/idle-typed-long-100x30",
  "grok/shell-mode-100x30",
  "opencode/shell-mode-80x24",
];

/** Screens without an input line: a shell, a list of sessions, a viewer, another dialog. */
const NONE = [
  "claude/exit-shell",
  "claude/help-working-80x24",
  "claude/limit-usage-v2.1.330",
  "claude/limit-usage-v2.1.330-80x24",
  "claude/status-working-80x24",
  "claude/onboarding-offline",
  "claude/resume-menu-80x12",
  "claude/transcript-44x50",
  "claude/agents-v2.1.332-80x24",
  "claude/agents-typed-v2.1.332-80x24",
  "claude/shell-details-80x24",
  // The focus is beside them.
  "codex/sidebar-focus-v0.171.0-120x30",
  "codex/sidechat-v0.171.0-120x30",
  "codex/agents-center",
  "codex/agents-center-working-80x24",
  // Versions that have no input line during a turn.
  "codex/working-bash-v0.20.0-80x24",
  "codex/working-thinking-v0.20.0-80x24",
  "gemini/exit-shell",
  "gemini/working-thinking-v0.1.15-80x24",
  "grok/idle-scrollback-100x30",
  "opencode/exit-shell",
  "opencode/rename-80x24",
  "opencode/sessions-typed-60x20",
  "opencode/subagent-80x24",
];

const SCREENS = readScreens();

function composerOf(o: DetectInput): Composer | null {
  return detectComposer(o, findIn(o));
}

function contentOf(composer: Composer | null): string {
  if (composer === null) return "none";
  return composer.holds === "draft" ? `draft: ${composer.text}` : composer.holds;
}

test("a recorded screen has the input line and the draft that a person sees there", () => {
  for (const recorded of SCREENS) {
    const { name, expected, agent } = recorded;
    const composer = composerOf(inputOf(recorded));
    const isAsking = expected.status === "needs_input";
    const draft = DRAFTS[name];
    const wanted = () => {
      if (draft !== undefined) return `draft: ${draft}`;
      // Nobody knows how this program draws a draft.
      const isUnknown = agent === "copilot";
      if (isAsking || isUnknown || NONE.includes(name)) return "none";
      return UNCLEAR.includes(name) ? "unclear" : "nothing";
    };
    expect(contentOf(composer), name).toBe(wanted());
  }
});

test.each([
  "Press enter to select, use arrow keys ↑↓",
  "esc to cancel · enter to confirm",
  "[y] Approve   [n] Deny",
  "< Yes >   < No >",
])("a draft that begins with %s does not change the status", (words) => {
  for (const recorded of SCREENS) {
    const { name, styled, expected } = recorded;
    const [first = ""] = (DRAFTS[name] ?? "").split("\n");
    // A command has its list below, and the placeholder of a pasted text is drawn in parts.
    if (first === "" || first === "/" || name === "grok/idle-pasted-100x30") continue;
    const at = styled.lastIndexOf(first);
    const typed = styled.slice(0, at) + words + styled.slice(at + first.length);
    expect<string>(findOn(recorded, typed).status, name).toBe(expected.status);
    expect(contentOf(composerOf(inputOf(recorded, typed)))).toStartWith(`draft: ${words}`);
  }
});

/** The line of the empty input box of each agent, as it is drawn with `text` typed into it. */
const IDLE: readonly { agent: string; from: RegExp; typed(text: string): string }[] = [
  { agent: "claude", from: /❯\u00a0.*/, typed: (text) => `❯\u00a0${text}\x1b[7m \x1b[0m` },
  { agent: "codex", from: /\S+›\S+ .*Ask Codex.*/, typed: (text) => `\x1b[1m›\x1b[0m ${text}` },
  { agent: "gemini", from: / .*> .*Type your.*/, typed: (text) => ` > ${text}\x1b[7m \x1b[0m` },
];

describe.each(IDLE)("text typed into the input line of $agent", ({ agent, from, typed }) => {
  const recorded = readScreen(agent, "idle-finished");
  const withText = (text: string) =>
    inputOf(
      recorded,
      recorded.styled.replace(from, () => typed(text)),
    );

  test("is a draft also behind a blank", () => {
    expect(contentOf(composerOf(withText(" go on")))).toBe("draft: go on");
  });

  test("is a draft of exactly these words", () => {
    const word = fc.stringMatching(/^[a-zA-Zäöü漢?.,:;()"'$&#-]{1,12}$/u);
    forAll([fc.array(word, { minLength: 1, maxLength: 6 })], (words) => {
      const text = `Say ${words.join(" ")}`;
      const composer = composerOf(withText(text));
      expect(contentOf(composer)).toBe(`draft: ${text}`);
      expect(composer && holdsText(composer, text)).toBe(true);
      expect(composer && holdsText(composer, `${text} more`)).toBe(false);
    });
  });
});

test("an empty or unclear input line holds no text, a draft holds its words whatever their line breaks", () => {
  expect(holdsText({ line: 0, holds: "nothing" }, "")).toBe(false);
  expect(holdsText({ line: 0, holds: "unclear" }, "")).toBe(false);
  expect(holdsText({ line: 0, holds: "draft", text: "go\n  on" }, "go on")).toBe(true);
});

test("a shell has no input line", () => {
  const recorded = readScreen("claude", "idle");
  expect(composerOf({ ...inputOf(recorded), kindOverride: "shell" })).toBeNull();
});

describe("the comparison of a draft with a sent text", () => {
  test.each([
    ["fix the bug", "fix the bug"],
    ["fix  the\nbug", "fix the bug"],
    ["e\u0301te", "\u00e9te"],
    ["ship it", "ship it 🚀"],
    ["[Pasted text #1 +24 lines]", "one\ntwo"],
    ["look at [Image #1] please", "look at /tmp/a.png please"],
    ["[Pasted Content 1114 chars] and [Image #2]", "a long text and /tmp/b.png"],
  ])("takes %j for %j alone", (draft, text) => expect(isTextAlone(draft, text)).toBe(true));

  test.each([
    ["desk fix the bug", "fix the bug"],
    ["fix the bugdesk", "fix the bug"],
    ["fix desk the bug", "fix the bug"],
    ["fix the", "fix the bug"],
    ["desk [Pasted text #1 +24 lines]", "one\ntwo"],
    ["[Pasted text #1 +24 lines] desk", "one\ntwo"],
    ["a [Image #1] desk [Image #2] b", "a /x.png and /y.png b"],
    ["$HOME", "HOME"],
  ])("does not take %j for %j alone", (draft, text) =>
    expect(isTextAlone(draft, text)).toBe(false),
  );

  test("for any words: a draft with words beside the text is not the text alone", () => {
    const word = fc.stringMatching(/^[a-z]{1,8}$/);
    forAll([word, word, fc.nat(8)], (text, desk, at) => {
      const where = Math.min(at, text.length);
      expect(isTextAlone(text.slice(0, where) + desk + text.slice(where), text)).toBe(false);
    });
  });
});

test.each([
  ["codex/idle-typed", "[ ! ] Action Required | demo"],
  ["gemini/idle-typed", "✋  Action Required (demo)"],
  ["grok/idle-typed-100x30", "Action Required | demo"],
])("a title that asks for action beside an input line is unsettled: %s", (name, title) => {
  const [agent = "", screen = ""] = name.split("/");
  const found = findIn({ ...inputOf(readScreen(agent, screen)), title });
  expect(found).toMatchObject({ status: "needs_input", unsettled: "title" });
});
