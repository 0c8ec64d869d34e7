import { describe, expect, test } from "bun:test";
import { detectWith, detectInput } from "../support/detect-input.ts";
import { labelsOf, plansOf } from "../support/plans.ts";
import { findOn, readScreens } from "../support/screens.ts";

const UNKNOWN = "deploy";
const AGENTS = ["claude", "codex", "grok", "opencode", "agy", "gemini", "copilot", "amp", "aider"];

interface Frame {
  name: string;
  width: number;
  indent: number;
  corners: string;
  side: string;
  line: string;
}

const FRAMES: readonly Frame[] = [
  { name: "narrow", width: 58, indent: 0, corners: "╭╮╰╯", side: "│", line: "─" },
  { name: "full", width: 80, indent: 0, corners: "╭╮╰╯", side: "│", line: "─" },
  { name: "square", width: 64, indent: 2, corners: "┌┐└┘", side: "│", line: "─" },
  { name: "double", width: 64, indent: 1, corners: "╔╗╚╝", side: "║", line: "═" },
  { name: "centred", width: 60, indent: 10, corners: "╭╮╰╯", side: "│", line: "─" },
];

function framed(lines: readonly string[], { width, indent, corners, side, line }: Frame): string[] {
  const [a = "", b = "", c = "", d = ""] = corners;
  const edge = (left: string, right: string) => `${left}${line.repeat(width - 2)}${right}`;
  return [
    edge(a, b),
    ...lines.map((text) => `${side} ${text.padEnd(width - 4)} ${side}`),
    edge(c, d),
  ].map((text) => " ".repeat(indent) + text);
}

const HISTORY = ["● I will run the tests.", "  ⎿  Running…", ""];
const dialog = (cursor: string) => [
  "Bash command",
  "  npm test -- --reporter=dot",
  "Do you want to proceed?",
  `${cursor} 1. Yes`,
  "  2. Yes, and don't ask again for npm test",
  "  3. No, and tell it what to do differently",
];
const LABELS = [
  "Yes",
  "Yes, and don't ask again for npm test",
  "No, and tell it what to do differently",
];
const FOOTER = "   Enter to confirm · Esc to cancel";

const CASES = FRAMES.flatMap((frame) =>
  ["❯", ">", "›", "●"].flatMap((cursor) =>
    ["", FOOTER].map((footer) => ({
      name: `${frame.name}, ${cursor}, ${footer === "" ? "no footer" : "a footer"}`,
      lines: [...HISTORY, ...framed(dialog(cursor), frame), footer],
    })),
  ),
);

describe.each([...AGENTS, UNKNOWN])("a framed dialog of %s", (command) => {
  test("has its question, options and evidence in every frame and with every cursor", () => {
    for (const { name, lines } of CASES) {
      const found = detectWith(detectInput(lines, { command }));
      const { question, evidence } = found.prompt ?? {};
      expect({ status: found.status, question, labels: labelsOf(found) }, name).toEqual({
        ...{ status: "needs_input", question: "Do you want to proceed?", labels: LABELS },
      });
      const trimmed = evidence?.map((line) => line.trim());
      expect(trimmed, name).toEqual(["Bash command", "npm test -- --reporter=dot"]);
    }
  });
});

test("a key that may have answered a framed dialog is followed by no other key", () => {
  for (const { name, lines } of CASES)
    for (const command of AGENTS.filter((agent) => agent !== "aider")) {
      const plans = Object.entries(plansOf(detectWith(detectInput(lines, { command }))));
      expect(plans.map(([key]) => key)).toEqual(["1", "2", "3"]);
      // Claude Code takes the digit alone; elsewhere Enter follows a look at the focused row.
      const digit = (key: string) => `"${key}"`;
      const moves = (key: string) => `${"Down ".repeat(Number(key) - 1)}verify Enter`;
      for (const [key, plan] of plans) {
        const safe = command === "claude" ? [digit(key)] : [digit(key), moves(key)];
        expect(safe, `${name} of ${command}`).toContain(plan ?? "");
      }
    }
});

test("the tenth option of a framed list is reached by moving, as its first digit would answer another", () => {
  const rows = Array.from({ length: 11 }, (_, i) => `${i === 0 ? "●" : " "} ${i + 1}. Plan ${i}`);
  for (const frame of FRAMES) {
    const lines = [...HISTORY, ...framed(["Which plan?", ...rows], frame)];
    const found = detectWith(detectInput(lines, { command: "claude" }));
    const { "9": nine, "10": ten } = plansOf(found);
    expect(found.rule).toBe("agent_a.menu");
    expect([nine, ten]).toEqual(['"9"', `${"Down ".repeat(9)}verify Enter`]);
  }
});

test("a list that is typed into a framed input line is no dialog of any agent", () => {
  const draft = ["> 1. rename the function", "  2. keep the alias"];
  for (const command of AGENTS.filter((agent) => agent !== "aider"))
    for (const frame of FRAMES) {
      const lines = [...HISTORY, ...framed(draft, frame), "  ? for shortcuts"];
      const { status } = detectWith(detectInput(lines, { command }));
      expect(status, `${frame.name} of ${command}`).not.toBe("needs_input");
    }
});

test.each(["ann@host:~$ make", "➜  web git:(main) ✗ make", "ann@host ~/web> make"])(
  "a framed dialog above a shell's command line does not wait: %s",
  (line) => {
    for (const command of ["ssh", "make"])
      for (const frame of FRAMES) {
        const lines = [...HISTORY, ...framed(dialog("❯"), frame), "", line];
        const { status } = detectWith(detectInput(lines, { command }));
        expect(status, `${frame.name} of ${command}`).toBe("idle");
      }
  },
);

test("a framed dialog in the history of a recorded screen changes nothing", () => {
  for (const recorded of readScreens()) {
    const { status } = recorded.expected;
    if (status === "needs_input" || recorded.expected.kind === "shell") continue;
    const read = (text: string) => {
      const { rule, prompt } = findOn(recorded, text);
      return { name: recorded.name, rule, prompt };
    };
    const old = FRAMES.flatMap((frame) => framed(dialog("❯"), frame)).join("\n");
    expect(read(`${old}\n${recorded.styled}`)).toEqual(read(recorded.styled));
  }
});
