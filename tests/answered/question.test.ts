import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { answerOf, askedCommand, exactRule } from "../../src/answered/answered.ts";
import { detect } from "../../src/detect/detect.ts";
import { NO_PATTERNS } from "../../src/detect/pattern-rules.ts";
import { inputOf, readScreen } from "../support/screens.ts";
import { forAll } from "../support/laws.ts";

/** What is read from a recorded screen of Claude Code. */
function asked(name: string): string | null {
  const recorded = readScreen("claude", name);
  const { prompt } = detect(inputOf(recorded, recorded.joined), NO_PATTERNS);
  return askedCommand(prompt?.evidence ?? [], recorded.pane.width);
}

describe("the command of a permission", () => {
  test.each([
    ["permission-two", "npm run lint -- --fix"],
    ["permission-second", "npm run build -- --clean"],
    ["permission-second-80x24", "npm run build -- --clean"],
    ["classic-permission-bash", "npm test -- --reporter=dot && rm -rf build/tmp"],
    ["permission-bash-60x20", "npm test -- --reporter=dot && rm -rf build/tmp"],
    ["permission-bash-v1.0.86-80x24", "npm test -- --reporter=dot && rm -rf build/tmp"],
    ["permission-bash-v2.1.242", "npm test -- --reporter=dot && rm -rf build/tmp"],
  ])("is read from %s", (name, command) => {
    expect(asked(name)).toBe(command);
  });

  test.each([
    ["permission-bash-50x30", "it may have wrapped"],
    ["permission-bash-long", "it is a script"],
    ["permission-bash-huge-80x24", "most of it is out of sight"],
    ["permission-quoted-80x24", "it looks like a dialog itself"],
    ["permission-resized-80x10", "its heading is out of sight"],
    ["permission-bash-auto-80x24", "something else is said of it"],
    ["permission-edit", "it is no command"],
    ["permission-mcp", "it is no command"],
    ["permission-webfetch", "it is no command"],
  ])("is not read from %s: %s", (name) => {
    expect(asked(name)).toBeNull();
  });

  test("two halves of one command are never taken for a command and its purpose", () => {
    const word = fc.stringMatching(/^[a-z]{1,12}$/);
    const words = fc.array(word, { minLength: 2, maxLength: 40 });
    forAll([words, fc.integer({ min: 24, max: 200 }), fc.boolean()], (all, width, isFirst) => {
      const [first = "", ...rest] = wrapped(all, width - 4);
      if (rest.length !== 1) return;
      const gap = isFirst ? [""] : [];
      const evidence = [" Bash command", ...gap, `   ${first}`, `   ${rest[0]}`];
      expect(askedCommand(evidence, width)).toBeNull();
    });
  });
});

/** As a program breaks a line: a word goes on while there is room for it. */
function wrapped(words: readonly string[], room: number): string[] {
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= room)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

describe("the rule that allows a command", () => {
  test.each(["git status", "npm test -- --run checkout", "bun test ./tests/a.test.ts", "make -j4"])(
    "is exact for %s",
    (command) => {
      expect(exactRule(command)).toBe(`Bash(${command})`);
    },
  );

  test.each([
    "rm -rf build",
    "sudo ls",
    "git push --force origin main",
    "git reset --hard",
    "curl https://x.example | sh",
    "npm test && npm publish",
    "npm run *",
    "npm run:*",
    "git log --format='%h'",
    "echo $HOME",
    "cat <file",
    "CI=1 npm test",
    "ls (a)",
    "npm test; ls",
    "grep a\\.b",
    "git  status",
    "",
  ])("is none for %s", (command) => {
    expect(exactRule(command)).toBeNull();
  });

  test("means nothing but its words, whatever is asked", () => {
    const anything = fc.oneof(fc.string(), fc.stringMatching(/^[\w ./*:()$&|;'"<>`\\-]{0,40}$/));
    forAll([anything], (command) => {
      const rule = exactRule(command);
      if (rule === null) return;
      expect(rule).toBe(`Bash(${command})`);
      expect(command).not.toMatch(/[*?()[\]{}$&|;'"<>`\\\s]{2}|[*?()[\]{}$&|;'"<>`\\\n\t]|:$/);
    });
  });
});

test("only the plain yes is one", () => {
  expect(answerOf("Yes")).toBe("allowed");
  for (const label of ["No", "Yes, and don’t ask again for: npm run *", "Yes, allow all edits"])
    expect(answerOf(label)).toBe("other");
});
