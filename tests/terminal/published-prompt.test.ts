import { describe, expect, test } from "bun:test";
import { parseScreen } from "../../src/detect/ansi.ts";
import type { DetectInput, Prompt } from "../../src/detect/finding.ts";
import { fingerprints } from "../../src/detect/prompt.ts";
import { MAX_EVIDENCE_LINES, boundPrompt } from "../../src/terminal/published-prompt.ts";
import { guardedPrompt } from "../../src/terminal/action-guard.ts";
import { detectInput, detectWith } from "../support/detect-input.ts";
import { findIn, inputOf, readScreens } from "../support/screens.ts";

const ask = (lines: readonly string[], members: Partial<DetectInput> = {}) => {
  const input = detectInput(lines, members);
  const finding = detectWith(input);
  const { prompt } = finding;
  if (!prompt) throw new Error(`nothing asks: ${finding.rule}`);
  const { screen } = input;
  const facts = { screen, width: input.width, alternate: input.alternate, captureLines: 2000 };
  const { guard } = guardedPrompt({ revision: "r", finding, screen, composer: null });
  return { prompt, guard, published: boundPrompt(prompt, facts), facts };
};
const pad = (count: number) => Array.from({ length: count }, (_, i) => `step ${i + 1} of the plan`);
const long = (count: number) => "padding ".repeat(Math.ceil(count / 8)).slice(0, count);

/** Prompts that an agent has padded until a person does not see the command. */
const FORMS: readonly (readonly [string, (command: string) => readonly string[]])[] = [
  ["a question whose beginning is far away", (c) => [`Run ${c} ${long(1_900)}? (y/n) `]],
  ["the end of a long line", (c) => [`plan: ${long(1_100)} ${c}`, "Continue? (y/n) "]],
  ["the first line of a long plan", (c) => [c, ...pad(60), "Continue? (y/n) "]],
  ["a line above more lines than are published", (c) => [c, ...pad(230), "Continue? (y/n) "]],
  ["the right of all columns", (c) => [`plan: ${long(3_000)} ${c}`, "Continue? (y/n) "]],
  ["a line that is not kept whole", (c) => [`${long(20_000)} ${c}`, "Continue? (y/n) "]],
  [
    "a box above the question",
    (c) => [box("╭", "╮"), `│ ${c}`, box("╰", "╯"), "", "Run it? (y/n) "],
  ],
  ["the label of an option", (c) => ["Which?", `❯ 1. Yes ${long(500)} ${c}`, "  2. No"]],
];

function box(left: string, right: string): string {
  return `${left}${"─".repeat(78)}${right}`;
}

describe.each(FORMS)("a command hidden in %s", (name, screen) => {
  const [one, other] = ["rm -rf /tmp/one", "rm -rf /home/me"].map((c) => ask(screen(c)));

  test("changes the fingerprints and the guard", () => {
    const digests = (prompt: Prompt | undefined) => Object.values(fingerprints(prompt ?? null));
    expect(digests(one?.prompt)).not.toEqual(digests(other?.prompt));
    expect(one?.guard).not.toEqual(other?.guard as NonNullable<typeof other>["guard"]);
  });

  test("is checked for danger, or counted by its length where it was not kept", () => {
    if (name === "a line that is not kept whole")
      return void expect(one?.published.cut?.characters).toBeGreaterThan(18_000);
    const risks = [one?.published.risk, ...(one?.published.options ?? []).map(({ risk }) => risk)];
    expect(risks).toContainEqual({ kinds: ["deletes"], text: "rm -rf" });
  });
});

test("lines and characters that are not published are counted, and marked where they stood", () => {
  const { published } = ask([`plan: ${long(1_606)}`, "Continue? (y/n) "]);
  expect(published.cut).toEqual({ lines: 0, characters: 612 });
  expect(published.evidence[0]).toHaveLength(1_001);
  expect(published.evidence[0]).toEndWith("…");
  const many = ask([...pad(230), "Continue? (y/n) "]).published;
  expect(many.cut).toEqual({ lines: 30, characters: 0 });
  expect(many.evidence).toHaveLength(MAX_EVIDENCE_LINES);
  expect(many.evidence.at(-1)).toBe("step 230 of the plan");
  expect(ask([`${"x".repeat(20_000)} rm`, "Continue? (y/n) "]).published.cut).toEqual({
    lines: 0,
    characters: 19_003,
  });
});

test("a prompt is never cut inside a surrogate pair", () => {
  const faces = (count: number) => "🙂".repeat(count);
  for (const head of ["", "x"]) {
    const { published } = ask([
      `${head}${faces(900)}`,
      `${head}${faces(1_200)}?`,
      `❯ 1. Yes ${head}${faces(300)}`,
      "  2. No",
    ]);
    const texts = [
      published.question,
      ...published.evidence,
      ...published.options.map(({ label }) => label),
    ];
    expect(published.cut?.characters).toBeGreaterThan(1_000);
    expect(texts.filter((text) => !text.isWellFormed())).toEqual([]);
  }
});

/** Recorded screens on which a person reads that a part of the prompt is out of sight. */
const OUT_OF_SIGHT = [
  "claude/classic-question-single-80x12",
  "claude/permission-bash-huge-80x24",
  "claude/permission-bash-wide-v2.1.332-40x20",
  "claude/permission-edit-drawing",
  "claude/permission-resized-80x10",
  "claude/permission-webfetch-long-80x12",
  "claude/plan-approval-v2.1.332-44x20",
  "claude/plan-long-80x24",
  "claude/question-long-80x24",
  "claude/question-preview-80x12",
  "codex/many-down-60x20",
  "codex/permission-add-v0.171.0",
  "codex/permission-bash-endless-80x24",
  "codex/permission-bash-long-40x20",
  "codex/permission-edit-long-v0.171.0-60x24",
  "codex/permission-edit-v0.171.0-40x30",
  "codex/permission-mcp-many-v0.171.0-60x20",
  "codex/plan-approval-60x20",
  "copilot/permission-bash-40x14",
  "copilot/permission-bash-long-60x20",
  "copilot/permission-bash-wrapped-80x24",
  "copilot/question-scrolled-60x20",
  "gemini/permission-bash-40x12",
  "gemini/permission-bash-drawing-40x14",
  "gemini/permission-bash-drawing-60x20",
  "gemini/permission-edit-v0.1.15-80x24",
  "gemini/permission-mcp-160x16",
  "gemini/question-tabs-40x14",
  "gemini/trust-80x10",
  "grok/permission-bash-folded-80x24",
  "grok/permission-bash-long-80x24",
  "grok/permission-edit-40x20",
  "grok/permission-edit-80x24",
  "grok/permission-edit-long-100x30",
  "grok/permission-write-60x20",
  "opencode/permission-edit-40x30",
  "opencode/permission-edit-50x30",
  "opencode/permission-fullscreen-80x24",
  "opencode/permission-long-60x16",
  "opencode/permission-long-80x24",
  "qwen/permission-bash-unseen-80x24",
];

test("a recorded prompt counts as cut exactly where its program had no room for all of it", () => {
  const cut = readScreens().filter((recorded) => {
    const input = inputOf(recorded, recorded.styled);
    const { prompt } = findIn(input);
    const facts = { screen: input.screen, width: input.width, alternate: true, captureLines: 2000 };
    return prompt && boundPrompt(prompt, facts).cut;
  });
  expect(cut.map(({ name }) => name)).toEqual(OUT_OF_SIGHT);
});

test("hidden parts are looked for in the longest lines without delay", () => {
  const { prompt, facts } = ask(["Continue? (y/n) "]);
  const line = (part: string) => `... ${part.repeat(16_000)}`.slice(0, 16_384);
  const evidence = Array<string>(10).fill(line("1")).concat(line("1 hidden "), line("│ "));
  // CPU time of this process: others may keep the machine busy.
  const start = process.cpuUsage();
  boundPrompt({ ...prompt, evidence }, facts);
  expect(process.cpuUsage(start).user / 1_000).toBeLessThan(1_000);
});

test("a prompt that is published whole counts as not cut", () => {
  const { published } = ask(["$ deploy", ...pad(20), "Continue? (y/n) "]);
  expect(published).toMatchObject({ question: "Continue? (y/n)", cut: null, risk: null });
  expect(published.evidence).toEqual(pad(20));
});

test("a question that is too long keeps its end, which says what answers it", () => {
  const question = `${long(2_500)} go on? (y/n)`;
  const prompt: Prompt = { ...ask(["Continue? (y/n) "]).prompt, question };
  const { facts } = ask(["Continue? (y/n) "]);
  const published = boundPrompt(prompt, facts);
  expect(published.question).toBe(`…${question.slice(-2_000)}`);
  expect(published.cut).toEqual({ lines: 0, characters: question.length - 2_000 });
});

describe("the evidence above a question on the last line", () => {
  const evidence = (lines: readonly string[]) => ask(lines).prompt.evidence;
  const rule = "─".repeat(80);

  test("reaches up to the last command, however far", () => {
    expect(evidence(["old", "me@host:~$ deploy", ...pad(40), "Continue? (y/n) "])).toEqual(pad(40));
  });

  test("reaches up to a rule with text below it", () => {
    expect(evidence(["old", rule, "new", "Continue? (y/n) "])).toEqual(["new"]);
    expect(evidence(["old", rule, "rm x", rule, "Continue? (y/n) "])).toEqual(["rm x"]);
  });

  test("holds the box above the question, also with text between them", () => {
    const boxed = ["old", box("╭", "╮"), "│ rm x", box("╰", "╯")];
    const held = evidence([...boxed, "It cannot be undone.", "Continue? (y/n) "]);
    expect(held.map((line) => line.replace(/[\s│]+/gu, " ").trim())).toEqual([
      "rm x",
      "It cannot be undone.",
    ]);
  });
});

test("evidence that begins in the first row of a full capture counts as cut", () => {
  const { prompt, facts } = ask([...pad(30), "Continue? (y/n) "]);
  const rows = (captureLines: number, alternate = false) =>
    boundPrompt(prompt, { ...facts, captureLines, alternate }).cut;
  expect(rows(31)).toEqual({ lines: 0, characters: 0 });
  expect(rows(32)).toBeNull();
  expect(rows(31, true)).toBeNull();
  const known = ask(["me@host:~$ deploy", ...pad(30), "Continue? (y/n) "]);
  expect(boundPrompt(known.prompt, { ...known.facts, captureLines: 32 }).cut).toBeNull();
});

test("options say whether they decline or are recommended, and a danger stands at its own option", () => {
  const { published } = ask([
    ...["Clean up?", "❯ 1. Yes (Recommended)", "  2. Yes, and run sudo ls", "  3. No"],
  ]);
  expect(published.options.map(({ suggested }) => suggested)).toEqual([true, undefined, undefined]);
  expect(published.risk).toBeNull();
  expect(
    published.options.map(({ risk, declines }) => [risk?.kinds ?? null, declines === true]),
  ).toEqual([
    [null, false],
    [["root"], false],
    [null, true],
  ]);
});

test("characters of a line beyond the kept ones have a count and a digest, whatever their colours", () => {
  const plain = parseScreen("x".repeat(20_000)).lines[0]?.rest;
  expect(plain?.characters).toBe(20_000 - 16_384);
  const coloured = parseScreen(`${"x".repeat(18_000)}\u001b[31m${"x".repeat(2_000)}`).lines[0]
    ?.rest;
  expect(coloured).toEqual(plain as NonNullable<typeof plain>);
  const other = parseScreen(`${"x".repeat(19_999)}y`).lines[0]?.rest;
  expect(other?.digest).not.toBe(plain?.digest as string);
});

test("an option takes words only where its plan has a place for them", () => {
  const box = ["Run it?", "❯ 1. Yes", "  2. No, and tell Claude what to do differently"];
  expect(ask(box).published.options.map(({ freeform }) => freeform)).toEqual([false, false]);
  const [first] = ask(box).prompt.options;
  if (!first) throw new Error("no option");
  const options = [{ ...first, freeform: true, answerWithText: [{ do: "text" } as const] }];
  const { prompt, facts } = ask(box);
  expect(boundPrompt({ ...prompt, options }, facts).options[0]?.freeform).toBe(true);
});
