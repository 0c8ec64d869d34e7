import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { SampleAgent } from "../../src/demo/agent.ts";
import { draw, type Size } from "../../src/demo/draw.ts";
import { keysOf } from "../../src/demo/pane.ts";
import { SAMPLE_AGENTS, type Script, stepAt } from "../../src/demo/scripts.ts";
import type { SessionEntry } from "../../src/demo/session-file.ts";
import { detectComposer } from "../../src/detect/composer.ts";
import { detect } from "../../src/detect/detect.ts";
import type { DetectInput } from "../../src/detect/finding.ts";
import { detectLimit } from "../../src/detect/limit.ts";
import { NO_PATTERNS } from "../../src/detect/pattern-rules.ts";
import { fingerprints } from "../../src/detect/prompt.ts";
import { FakeClock } from "../support/clock.ts";
import { forAll } from "../support/laws.ts";

const SIZE: Size = { columns: 100, rows: 30 };
const NAMES = { agent_a: "claude-demo", agent_b: "codex-demo" } as const;
const ASKING = ["permission", "questions", "discounts", "search"] as const;

function scriptOf(name: string): Script {
  const script = SAMPLE_AGENTS[name];
  if (!script) throw new Error(`no sample agent ${name}`);
  return script;
}

/** A sample agent on a clock of its own, seen as a pane is. */
function start(name: string, more: Partial<Script> = {}) {
  const clock = new FakeClock();
  const entries: SessionEntry[] = [];
  const script = { ...scriptOf(name), ...more };
  const agent = new SampleAgent(script, clock, (entry) => entries.push(entry));
  const rows = (size = SIZE) => draw(agent, size);
  const seen = (): DetectInput => ({
    screen: { lines: rows().map((text) => ({ text: text.trimEnd(), runs: [] })) },
    title: script.title,
    command: NAMES[script.runtime],
    processes: [[NAMES[script.runtime]]],
    ...{ width: SIZE.columns, height: SIZE.rows, alternate: true, cursor: null },
    kindOverride: null,
  });
  const look = () => detect(seen(), NO_PATTERNS);
  return {
    ...{ agent, script, clock, entries, rows, seen, look },
    text: () => rows().join("\n"),
    press: (...keys: string[]) => keys.forEach((key) => agent.press(key)),
    composer: () => detectComposer(seen(), look()),
    after(seconds: number) {
      clock.advance(seconds);
      agent.tick();
    },
  };
}

describe("a sample agent", () => {
  test("shows a permission that is read and answered like a real one", () => {
    const { look, press, after } = start("permission");
    const finding = look();
    expect(finding).toMatchObject({ kind: "agent_a", status: "needs_input" });
    expect(finding.prompt?.recognised).toBe(true);
    expect(finding.prompt?.question).toContain("Do you want to proceed?");
    expect(finding.prompt?.evidence.join("\n")).toContain("npm test -- --run checkout");
    expect(finding.prompt?.options.map(({ key, selected }) => [key, selected])).toEqual([
      ["1", true],
      ["2", false],
      ["3", false],
    ]);
    expect(finding.prompt?.options[0]?.answer).toEqual([{ do: "type", text: "1" }]);
    press("1");
    expect(look().status).toBe("working");
    after(10);
    expect(look().prompt?.evidence.join("\n")).toContain("rm -rf build/checkout");
  });

  test("rests in an input line after a refusal or Escape, and takes the next task", () => {
    for (const key of ["3", "Escape"]) {
      const { press, look, text } = start("permission");
      press(key);
      expect(look()).toMatchObject({ status: "idle", prompt: null });
      press(..."use fewer tests", "Enter");
      expect(look().status).toBe("working");
      expect(text()).toContain("You wrote: use fewer tests");
    }
  });
});

describe("a paste of several lines", () => {
  const PASTED = keysOf("\x1b[200~Begin with the tests.\r\rThen the docs.\x1b[201~");

  test.each(["fresh_a", "fresh_b"])(
    "stays a draft with its line breaks in the input line of %s until Enter",
    (name) => {
      const { press, composer, text } = start(name);
      press(...PASTED);
      expect(composer()).toMatchObject({
        holds: "draft",
        text: "Begin with the tests.\n\nThen the docs.",
      });
      press("Enter");
      expect(text()).toMatch(/You wrote: Begin with the tests\.\n\s*\n {2}Then the docs\./);
    },
  );

  test("answers no dialog by itself, and fills the dialog's text field", () => {
    const { press, look, text, entries } = start("questions");
    press("4", ...PASTED);
    expect(look().prompt?.options).toHaveLength(5);
    expect(text()).toMatch(/4\. Begin with the tests\.\n\s*\n {5}Then/);
    press("Enter");
    expect(entries.find(({ kind }) => kind === "answered")?.label).toContain("tests.\n\nThen");
  });
});

describe("the question of a sample agent", () => {
  const promptAt = (name: string, place: number) => start(name, { place }).look().prompt;

  test("is read whole with its choices, at any place of its script", () => {
    const asking = fc.constantFrom("questions", "discounts", "search");
    forAll([asking, fc.nat({ max: 60 })], (name, place) => {
      const { step } = stepAt(scriptOf(name), place);
      const prompt = promptAt(name, place);
      expect(prompt?.recognised).toBe(true);
      if (step.ask === "question") {
        expect(prompt?.question).toBe(step.question);
        const labels = step.choices.map(({ label }) => label);
        expect(prompt?.options.slice(0, labels.length).map(({ label }) => label)).toEqual(labels);
      }
      if (step.ask === "plan") {
        expect(prompt?.parser).toBe("agent_a.plan");
        expect(prompt?.evidence.join("\n")).toContain(step.lines[0] ?? "nothing");
      }
    });
  });

  test("has a fingerprint that no other question about its script's subjects has", () => {
    for (const name of ASKING) {
      const { subjects, tasks } = scriptOf(name);
      const steps = tasks.flatMap((task) => task.steps);
      const places = Array.from({ length: subjects.length * steps.length }, (_, place) => place);
      const prints = places.map((place) => fingerprints(promptAt(name, place)).prompt_fingerprint);
      expect(prints).not.toContain(null);
      expect(new Set(prints).size).toBe(places.length);
    }
  });
});

test("a sample agent that was just started waits for its first task", () => {
  for (const name of ["fresh_a", "fresh_b"]) {
    const { script, press, after, look, composer, entries } = start(name);
    after(600);
    expect(look()).toMatchObject({ status: "idle", prompt: null });
    expect(composer()?.holds).toBe("nothing");
    expect(entries).toEqual([]);
    press(..."Begin", "Enter");
    expect(look().status).toBe("working");
    after(script.workSeconds);
    expect(look().status).toBe("needs_input");
  }
});

test("a resting sample agent goes on by itself, but not while there is a draft", () => {
  const { agent, press, after } = start("permission");
  press("Escape", "x");
  after(25);
  expect(agent.state.phase).toBe("idle");
  press("Backspace");
  after(25);
  expect(agent.state.phase).toBe("working");
});

test("what is typed into a working sample agent stays there when its next step begins", () => {
  const { agent, script, press, after, text } = start("worker", { place: 0 });
  press(..."and then");
  after(script.workSeconds);
  expect(agent.state).toMatchObject({ phase: "working", place: 1, draft: "and then" });
  press("Enter", ..."at last");
  after(script.workSeconds);
  expect(text()).toContain("You wrote: and then");
  expect(agent.state.draft).toBe("at last");
});

test.each(["fresh_a", "fresh_b"])(
  "a draft in the input line of %s comes back behind its dialog",
  (name) => {
    const { script, press, after, look, composer } = start(name);
    press(..."Begin", "Enter", ..."and then");
    after(script.workSeconds);
    expect(look().status).toBe("needs_input");
    expect(
      look()
        .prompt?.options.map(({ label }) => label)
        .join(),
    ).not.toContain("and then");
    press("1");
    expect(composer()).toMatchObject({ holds: "draft", text: "and then" });
  },
);

test.each(["worker", "permission"])("a stop of %s gives back the queued message", (name) => {
  const { agent, press, look, text } = start(name, { place: 0 });
  press("1", "Clear", ..."and then", "Enter");
  expect(look().status).toBe("working");
  expect(text()).toMatch(/↳ and then|❯ Press up to edit queued messages/);
  press("Escape");
  expect(agent.state).toMatchObject({ phase: "idle", draft: "and then" });
});

const limit = ({ look, rows }: ReturnType<typeof start>) => {
  const { status, line } = look();
  return { status, limit: detectLimit(line === null ? [] : rows().slice(line, line + 1)) };
};

test("a sample agent at its limit works again after the reset, until its next limit", () => {
  const parked = start("limited");
  const { agent, press, after, entries } = parked;
  const until = agent.state.resetsAt ?? 0;
  press(..."continue", "Enter");
  expect(limit(parked)).toMatchObject({ status: "error", limit: { name: "5-hour limit" } });
  expect(agent.state.resetsAt).toBe(until);
  after(180);
  press(..."continue", "Enter");
  expect(limit(parked)).toMatchObject({ status: "working", limit: null });
  expect(entries.slice(-2)).toEqual([
    { kind: "prompt", text: "continue" },
    { kind: "says", text: "You wrote: continue" },
  ]);
  after(60);
  expect(limit(parked).status).toBe("error");
  expect(agent.state.resetsAt).toBeGreaterThan(until + 60);
});

/** A dialog is never cut from below, however low the screen. */
const DIALOG_ROWS = 25;

test("for any keys and size: a sample agent draws only text that fits the screen", () => {
  const key = fc.constantFrom(
    ...["1", "2", "3", "4", "5", "9", "Up", "Down", "Enter", "Escape", "Backspace", "Clear"],
    ...["Tab", "\n", "é", "\x03", "tick"],
  );
  const size = fc.record({
    columns: fc.integer({ min: 1, max: 130 }),
    rows: fc.integer({ min: 1, max: 50 }),
  });
  const names = fc.constantFrom(...ASKING, "worker", "limited");
  forAll([names, fc.array(key, { maxLength: 60 }), size], (name, keys, at) => {
    const { press, after, rows } = start(name);
    for (const one of keys) one === "tick" ? after(7) : press(one);
    const drawn = rows(at);
    expect(drawn.length).toBeGreaterThan(0);
    expect(drawn.every((row) => [...row].length <= at.columns)).toBe(true);
    expect(drawn.length).toBeLessThanOrEqual(Math.max(at.rows, DIALOG_ROWS));
    expect(drawn.join("")).not.toMatch(/\p{Cc}/u);
  });
});

test("the bytes of one read are split into keys", () => {
  expect(keysOf("1\x1b[A\x1bOB\r\x7f\x15\t")).toEqual([
    ...["1", "Up", "Down", "Enter", "Backspace", "Clear", "Tab"],
  ]);
  expect(keysOf("\x1b")).toEqual(["Escape"]);
  expect(keysOf("a😀\n")).toEqual(["a", "😀", "Enter"]);
  expect(keysOf("\x1b[200~1\ry\r\nz\x1b[201~\r")).toEqual(["1", "\n", "y", "\n", "z", "Enter"]);
});

const ROOT = join(import.meta.dir, "..", "..");
/** The recorded screen of each sample screen. */
const MADE_OF = {
  "claude-permission": "claude/permission-bash-v2.1.242",
  "claude-question": "claude/question-single",
  "claude-plan": "claude/plan-approval",
  "claude-composer": "claude/idle-finished",
  "codex-question": "codex/question-single",
  "codex-turn": "codex/idle-finished",
};

/** The fixed pieces of a row, between its `{…}` parts, trimmed. */
const fixedOf = (row: string) =>
  row
    .split(/\{[^{}]*\}/)
    .map((piece) => piece.replace(/\s+/g, " ").trim())
    .filter((piece) => piece !== "");

test.each(Object.entries(MADE_OF))(
  "the sample screen %s holds recorded text only",
  (name, recorded) => {
    const drawn = readFileSync(join(ROOT, "src", "demo", "screens", `${name}.txt`), "utf8");
    const path = join(ROOT, "tests", "fixtures", "screens", recorded, "joined.txt");
    const screen = readFileSync(path, "utf8").replace(/\s+/g, " ");
    // The first row says that the screen is a sample.
    const rows = drawn.split("\n").filter((row) => !/sample/i.test(row));
    const pieces = rows.flatMap(fixedOf);
    expect(pieces.length).toBeGreaterThan(1);
    expect(pieces.filter((piece) => !screen.includes(piece))).toEqual([]);
  },
);
