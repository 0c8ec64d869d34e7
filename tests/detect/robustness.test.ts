import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { AGENTS } from "../../src/detect/agents.ts";
import { lastMessageLine } from "../../src/detect/about.ts";
import { parseScreen } from "../../src/detect/ansi.ts";
import { patternText } from "../../src/detect/detect.ts";
import type { AnswerStep, Finding, DetectInput } from "../../src/detect/finding.ts";
import { contextPercent } from "../../src/detect/native.ts";
import { MAX_VIEW_LINES } from "../../src/detect/region.ts";
import { commandRisk } from "../../src/detect/risk.ts";
import { detectWith, detectInput } from "../support/detect-input.ts";
import { IS_THOROUGH, sampled } from "../support/thorough.ts";
import { forAll } from "../support/laws.ts";

const PROGRAMS = ["deploy", "bash", "ssh", ...AGENTS.map(({ id, alias }) => alias ?? id)];
const CORPUS = join(import.meta.dir, "..", "fixtures", "fuzz");

/** Expects what holds for every finding on any screen. */
function expectSound(found: Finding, o: DetectInput): void {
  const count = o.screen.lines.length;
  const isLine = (line: number | null) => line === null || (line >= 0 && line < count);
  expect(isLine(found.line)).toBe(true);
  expect(found.rule).toMatch(/^[a-z][a-z_]*\./);
  if (found.status !== "needs_input") expect(found.prompt).toBeNull();
  const { prompt } = found;
  if (!prompt) return;
  expect(prompt.evidence.length).toBeLessThanOrEqual(2 * MAX_VIEW_LINES);
  expect(isLine(prompt.questionLine)).toBe(true);
  expect(prompt.options.length).toBeLessThanOrEqual(99);
  expect(new Set(prompt.options.map((option) => option.key)).size).toBe(prompt.options.length);
  expect(prompt.options.filter((option) => option.selected).length).toBeLessThanOrEqual(1);
  for (const option of prompt.options) {
    expectSafe(option.answer);
  }
}

/** The person's text is asked for only where one is given, and Enter never stands first twice. */
function expectSafe(plan: readonly AnswerStep[]): void {
  expect(plan.some((step) => step.do === "text")).toBe(false);
  expect(plan.filter((step) => step.do === "key" && step.key === "Enter").length).toBeLessThan(2);
}

const piece = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      "❯ 1. Yes",
      "  2. No",
      "› 1. Yes, proceed (y)",
      "● 1. Allow once",
      "   3. [ ] Box",
      "  4. [✔] Ticked",
      "─".repeat(80),
      "╌".repeat(80),
      "▔".repeat(80),
      `╭${"─".repeat(78)}╮`,
      `╰${"─".repeat(78)}╯`,
      "│ ❯ 1. Boxed" + " ".repeat(66) + "│",
      "Do you want to proceed?",
      " Esc to cancel · Tab to amend",
      "Enter to select · ↑/↓ to navigate",
      "❯ ",
      "❯",
      "> ",
      "  ┃  △ Permission required",
      "  ┃   Allow once   Allow always   Reject   ⇆ select  enter confirm",
      "←  ☐ A  ✔ Submit  →",
      " ☐ Topic",
      "✻ Working… (3s)",
      "● API Error: 500",
      "  esc to interrupt",
      "ann@host:~$ ",
      "[y/N]",
      "",
      "",
      "      wrapped text",
      "  Question 1/3 (3 unanswered)",
      "  ▲",
      "  ▼",
      "10. ten",
      "❯ Submit",
      "  Press enter to confirm or esc to cancel",
    ),
  },
  fc.string({ unit: "grapheme", maxLength: 90 }),
  fc.string({ unit: "binary", maxLength: 30 }),
);

describe("for any text", () => {
  test("every program's rules give a sound finding, and the same one again", () => {
    forAll(
      [
        fc.array(piece, { maxLength: 50 }),
        fc.constantFrom(...PROGRAMS),
        fc.constantFrom(20, 40, 80, 200),
      ],
      IS_THOROUGH ? 60_000 : 4_000,
      (lines, command, width) => {
        const o = detectInput(lines, { command, width });
        const found = detectWith(o, { prompt: ["y/N"], error: ["Error"] });
        expectSound(found, o);
        expect(detectWith(o, { prompt: ["y/N"], error: ["Error"] })).toEqual(found);
      },
    );
  }, 600_000);

  test("the text that a person's patterns search is bounded", () => {
    const text = patternText(detectInput(Array<string>(2_000).fill("x".repeat(5_000))));
    expect(text?.text.length).toBeLessThanOrEqual(60 * 501);
  });
});

const LARGE: Record<string, string> = {
  "wide lines": `${"word ".repeat(800)}\n`.repeat(2_000),
  "one line": "─".repeat(2_000_000),
  "nothing but spaces": `${" ".repeat(4_000)}\n`.repeat(2_000),
  "spaces before a letter": `${`${" ".repeat(4_000)}x\n`.repeat(2_000)}`,
  numbers: Array.from({ length: 2_000 }, (_, i) => `${i % 2 ? " " : "❯"} ${i}. option`).join("\n"),
  "one number": "❯ 1. a\n".repeat(2_000),
  cursors: `${"❯ ".repeat(500)}\n`.repeat(2_000),
  rules: `${"─".repeat(80)}\n`.repeat(2_000),
  "dashes and dots": `${"- . ".repeat(500)}\n`.repeat(2_000),
  brackets: `${"[([(".repeat(500)}\n`.repeat(2_000),
  "prompt characters": `${"a@b:$".repeat(400)}\n`.repeat(2_000),
  escapes: "\x1b[38;5;1mx\x1b[0m".repeat(200_000),
  "unfinished escapes": "\x1b]8;;".repeat(100_000),
  "colours without end": `\x1b[${"1;".repeat(100_000)}m`,
  "wide characters": `${"漢字".repeat(500)}\n`.repeat(2_000),
  "signs of agents without their ends": ["* x … (", "⏸ ", "⏵⏵ "]
    .map((sign) => `${sign.repeat(5_000)}\n`.repeat(20))
    .join("\n"),
  "spaces behind a bar": `┃${" ".repeat(1_990)}x\n`.repeat(400),
  "spaces in an input line": `${"─".repeat(80)}\n${" ".repeat(16_000)}x\n${"─".repeat(80)}\nx`,
  "spaces in a panel": `╹${"▀".repeat(20)}\n${`┃ ${" ".repeat(16_000)}x\n`.repeat(60)}`,
  "columns far apart": `1) a${" ".repeat(1_900)}2) b\n`.repeat(400),
  "a switch far away": `Go on?\n${" ".repeat(1_990)}● Yes\n`.repeat(200),
  "hosts without a prompt": `${"@".repeat(200)}\n`.repeat(400),
  "combining marks": `a${"\u0301".repeat(5_000)}\n`.repeat(400),
};

/** CPU time of this process in ms: others may keep the machine busy. */
function processorMs(work: () => void): number {
  const start = process.cpuUsage();
  work();
  return process.cpuUsage(start).user / 1_000;
}

describe("a very large screen", () => {
  for (const [at, [name, text]] of Object.entries(LARGE).entries())
    test(`takes no program's rules long: ${name}`, () => {
      const screen = parseScreen(text);
      for (const command of sampled(PROGRAMS, 3, at)) {
        const o = { ...detectInput("", { command }), screen };
        detectWith(o);
        // Readings of a screen are cached with its input.
        const again = { ...o };
        // Far above what is measured (see tests/bench/detect.bench.ts), far below backtracking.
        expect(processorMs(() => expectSound(detectWith(again), again))).toBeLessThan(250);
      }
    });

  test("does not delay what reads whole lines", () => {
    const blanks = `  ${" ".repeat(16_000)}x`;
    const late = `● x${" ".repeat(16_000)}x`;
    const screen = parseScreen(`${late}\n${blanks}\n`.repeat(10));
    const texts = [...screen.lines.map(({ text }) => text), "> "];
    expect(
      processorMs(() => {
        contextPercent("agent_a", screen.lines);
        lastMessageLine(texts);
        commandRisk(Array<string>(40).fill("words of a plan ".repeat(1_000)));
      }),
    ).toBeLessThan(250);
  });
});

describe("a screen that once broke a rule", () => {
  for (const file of readdirSync(CORPUS))
    test(`gives a sound finding for every program: ${file}`, () => {
      const text = readFileSync(join(CORPUS, file), "utf8");
      for (const command of PROGRAMS)
        for (const width of [20, 80, 200]) {
          const o = detectInput(text, { command, width });
          expectSound(detectWith(o), o);
        }
    });
});
