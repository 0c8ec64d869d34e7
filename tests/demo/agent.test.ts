import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { detectComposer } from "../../src/detect/composer.ts";
import { detect } from "../../src/detect/detect.ts";
import type { DetectInput } from "../../src/detect/finding.ts";
import { NO_PATTERNS } from "../../src/detect/pattern-rules.ts";
import { fingerprints } from "../../src/detect/prompt.ts";
import { type AgentState, press, startAgent, tick } from "../../src/demo/agent.ts";
import { draw, type Size } from "../../src/demo/draw.ts";
import { keysOf } from "../../src/demo/pane.ts";
import {
  DISCOUNTS,
  FRESH_A,
  FRESH_B,
  PERMISSIONS,
  requestAt,
  type Script,
  SEARCH,
  STORAGE,
} from "../../src/demo/scripts.ts";

const SIZE: Size = { columns: 100, rows: 30 };
const NAMES = { agent_a: "claude-demo", agent_b: "codex-demo" } as const;
const SCRIPTS = [PERMISSIONS, STORAGE, DISCOUNTS, SEARCH];

function seen(state: AgentState, script: Script, size = SIZE): DetectInput {
  const lines = draw(state, script, size).map((text) => ({ text: text.trimEnd(), runs: [] }));
  return {
    screen: { lines },
    title: "✳ Sample",
    command: NAMES[script.runtime],
    processes: [[NAMES[script.runtime]]],
    width: size.columns,
    height: size.rows,
    alternate: true,
    cursor: null,
    kindOverride: null,
  };
}

const look = (state: AgentState, script: Script, size = SIZE) =>
  detect(seen(state, script, size), NO_PATTERNS);

const after = (state: AgentState, seconds: number, script: Script) =>
  tick(state, state.now + seconds, script);
const type = (state: AgentState, text: string, script: Script) =>
  [...text].reduce((now, key) => press(now, key, script), state);

describe("a sample agent is read like the real one", () => {
  test("a permission: question, command as evidence, options; the number answers", () => {
    const asking = startAgent(0);
    const finding = look(asking, PERMISSIONS);
    expect(finding.kind).toBe("agent_a");
    expect(finding.status).toBe("needs_input");
    expect(finding.prompt?.recognised).toBe(true);
    expect(finding.prompt?.question).toContain("Do you want to proceed?");
    expect(finding.prompt?.evidence.join("\n")).toContain("npm test -- --run checkout");
    expect(finding.prompt?.options.map(({ key, selected }) => [key, selected])).toEqual([
      ["1", true],
      ["2", false],
      ["3", false],
    ]);
    expect(finding.prompt?.options[0]?.answer).toEqual([{ do: "type", text: "1" }]);
    const working = press(asking, "1", PERMISSIONS);
    expect(look(working, PERMISSIONS).status).toBe("working");
    const next = look(after(working, 10, PERMISSIONS), PERMISSIONS);
    expect(next.prompt?.evidence.join("\n")).toContain("rm -rf build/checkout");
  });

  test("a question: options with descriptions, and one that takes a text", () => {
    const asking = startAgent(0);
    const { prompt, kind } = look(asking, STORAGE);
    expect(kind).toBe("agent_a");
    expect(prompt?.question).toContain("Which database should the orders service use?");
    expect(prompt?.options.map(({ label }) => label)).toEqual([
      "SQLite",
      "PostgreSQL",
      "Plain files",
      "Type something.",
      "Chat about this",
    ]);
    expect(prompt?.options[1]?.description).toBe("A server process, for several writers.");
    const freeform = prompt?.options[3];
    expect(freeform?.freeform).toBe(true);
    expect(freeform?.answerWithText).not.toBeNull();
  });

  test("no, and Escape, end in an input line that takes the next task", () => {
    for (const key of ["3", "Escape"]) {
      const idle = press(startAgent(0), key, PERMISSIONS);
      expect(look(idle, PERMISSIONS)).toMatchObject({ status: "idle", prompt: null });
      const told = press(type(idle, "use fewer tests", PERMISSIONS), "Enter", PERMISSIONS);
      expect(look(told, PERMISSIONS).status).toBe("working");
      expect(draw(told, PERMISSIONS, SIZE).join("\n")).toContain("You wrote: use fewer tests");
    }
  });

  test("the number of the free text only moves; text and Enter answer", () => {
    const moved = press(startAgent(0), "4", STORAGE);
    expect(look(moved, STORAGE).prompt?.options.find((o) => o.selected)?.key).toBe("4");
    expect(press(moved, "Enter", STORAGE).phase).toBe("asking");
    const typed = type(moved, "DuckDB 2", STORAGE);
    expect(typed).toMatchObject({ phase: "asking", typed: "DuckDB 2" });
    const answered = press(typed, "Enter", STORAGE);
    expect(answered.phase).toBe("working");
    expect(draw(answered, STORAGE, SIZE).join("\n")).toContain("Database: DuckDB 2");
  });
});

describe("a paste of several lines", () => {
  const paste = (state: AgentState, script: Script) =>
    keysOf("\x1b[200~Begin with the tests.\r\rThen the docs.\x1b[201~").reduce(
      (now, key) => press(now, key, script),
      state,
    );

  test.each(SCRIPTS.map((script) => [script.runtime, script] as const))(
    "stands in the input line of %s with its line breaks until Enter, and is told as it was",
    (_, script) => {
      const idle = { ...startAgent(0), phase: "idle" as const };
      const typed = paste(idle, script);
      expect(typed.phase).toBe("idle");
      const input = seen(typed, script);
      expect(detectComposer(input, look(typed, script))).toMatchObject({
        holds: "draft",
        text: "Begin with the tests.\n\nThen the docs.",
      });
      const told = draw(press(typed, "Enter", script), script, SIZE).join("\n");
      expect(told).toMatch(/You wrote: Begin with the tests\.\n\s*\n {2}Then the docs\./);
    },
  );

  test("answers no dialog by itself, and stands in its field for words", () => {
    const field = paste(press(startAgent(0), "4", STORAGE), STORAGE);
    expect(look(field, STORAGE).prompt?.options).toHaveLength(5);
    expect(draw(field, STORAGE, SIZE).join("\n")).toMatch(
      /4\. Begin with the tests\.\n\s*\n {5}Then/,
    );
    expect(press(field, "Enter", STORAGE).answer?.label).toContain("tests.\n\nThen");
  });
});

describe("what is asked", () => {
  const shown = (script: Script, request: number) =>
    look({ ...startAgent(0), request }, script).prompt;

  test("is always read off the screen, whole and with its choices", () => {
    const script = fc.constantFrom(STORAGE, DISCOUNTS, SEARCH);
    fc.assert(
      fc.property(script, fc.nat({ max: 60 }), (script, place) => {
        const request = requestAt(script, place);
        const prompt = shown(script, place);
        expect(prompt?.recognised).toBe(true);
        if (request.ask === "question") {
          expect(prompt?.question).toBe(request.question);
          const labels = request.choices.map(({ label }) => label);
          expect(prompt?.options.slice(0, labels.length).map(({ label }) => label)).toEqual(labels);
        }
        if (request.ask === "plan") {
          expect(prompt?.parser).toBe("agent_a.plan");
          expect(prompt?.evidence.join("\n")).toContain(request.lines[0] ?? "nothing");
        }
      }),
    );
  });

  test("never fits what was asked before: each prompt has a fingerprint of its own", () => {
    for (const script of SCRIPTS) {
      const places = Array.from({ length: 60 }, (_, place) => place);
      const prints = places.map((place) => fingerprints(shown(script, place)).prompt_fingerprint);
      expect(prints).not.toContain(null);
      expect(new Set(prints).size).toBe(places.length);
    }
  });

  test("comes after the time that the work takes, with a word halfway", () => {
    const working = press(startAgent(0), "1", SEARCH);
    const halfway = after(working, SEARCH.workSeconds / 2, SEARCH);
    expect(halfway).toMatchObject({ phase: "working", isHalfway: true });
    expect(draw(halfway, SEARCH, SIZE).join("\n")).toContain(requestAt(SEARCH, 1).note);
    expect(look(halfway, SEARCH).status).toBe("working");
    expect(after(halfway, SEARCH.workSeconds, SEARCH).phase).toBe("asking");
  });
});

test("an agent that was just started waits for what it is told, however long", () => {
  for (const script of [FRESH_A, FRESH_B]) {
    const fresh = { ...startAgent(0), phase: "idle" as const };
    const later = after(fresh, 600, script);
    const input = seen(later, script);
    expect(look(later, script)).toMatchObject({ status: "idle", prompt: null });
    expect(detectComposer(input, look(later, script))?.holds).toBe("nothing");
    const working = press(type(later, "Begin", script), "Enter", script);
    expect(look(working, script).status).toBe("working");
    expect(look(after(working, script.workSeconds, script), script).status).toBe("needs_input");
  }
});

test("a plan is approved by its number, or sent back in words", () => {
  const asking = { ...startAgent(0), request: 1 };
  expect(press(asking, "1", DISCOUNTS)).toMatchObject({
    phase: "working",
    answer: { label: "Yes, and use auto mode", isWritten: false },
  });
  const field = press(asking, "3", DISCOUNTS);
  expect(field.phase).toBe("asking");
  // As an answer in words arrives: the field is cleared before the text.
  const written = type(press(field, "Clear", DISCOUNTS), "no gift cards", DISCOUNTS);
  expect(look(written, DISCOUNTS).status).toBe("needs_input");
  expect(press(written, "Enter", DISCOUNTS).answer).toEqual({
    ...{ label: "no gift cards", note: "", isWritten: true },
  });
});

test("Codex takes a note beside a choice", () => {
  const noting = press(press(startAgent(0), "Down", SEARCH), "Tab", SEARCH);
  const noted = type(noting, "2 of 3", SEARCH);
  expect(look(noted, SEARCH).prompt?.options.find(({ selected }) => selected)?.key).toBe("2");
  expect(press(noted, "Enter", SEARCH).answer).toEqual({
    ...{ label: "Whole words", note: "2 of 3", isWritten: false },
  });
  expect(press(noted, "Escape", SEARCH)).toMatchObject({ phase: "asking", typed: "" });
});

test("a rest ends by itself, so that the demo stays alive, but not under someone's text", () => {
  const idle = press(startAgent(0), "Escape", PERMISSIONS);
  expect(after(idle, 25, PERMISSIONS).phase).toBe("working");
  expect(after(press(idle, "x", PERMISSIONS), 25, PERMISSIONS).phase).toBe("idle");
});

/** A dialog is never cut from below, however low the screen. */
const DIALOG_ROWS = 25;

test("any keys at any size: never more than the screen holds, nothing but text", () => {
  const key = fc.constantFrom(
    "1",
    "2",
    "3",
    "4",
    "5",
    "9",
    "Up",
    "Down",
    "Enter",
    "Escape",
    "Backspace",
    "Clear",
    "Tab",
    "\n",
    "é",
    "\x03",
    "tick",
  );
  const size = fc.record({
    columns: fc.integer({ min: 1, max: 130 }),
    rows: fc.integer({ min: 1, max: 50 }),
  });
  fc.assert(
    fc.property(
      fc.constantFrom(...SCRIPTS),
      fc.array(key, { maxLength: 60 }),
      size,
      (script, keys, at) => {
        let state = startAgent(0);
        for (const one of keys)
          state = one === "tick" ? after(state, 7, script) : press(state, one, script);
        const rows = draw(state, script, at);
        expect(rows.length).toBeGreaterThan(0);
        expect(rows.every((row) => [...row].length <= at.columns)).toBe(true);
        expect(rows.length).toBeLessThanOrEqual(Math.max(at.rows, DIALOG_ROWS));
        expect(rows.join("")).not.toMatch(/\p{Cc}/u);
      },
    ),
  );
});

test("what one read holds is split into keys", () => {
  expect(keysOf("1\x1b[A\x1bOB\r\x7f\x15\t")).toEqual([
    ...["1", "Up", "Down", "Enter", "Backspace", "Clear", "Tab"],
  ]);
  expect(keysOf("\x1b")).toEqual(["Escape"]);
  expect(keysOf("a😀\n")).toEqual(["a", "😀", "Enter"]);
  expect(keysOf("\x1b[200~1\ry\r\nz\x1b[201~\r")).toEqual(["1", "\n", "y", "\n", "z", "Enter"]);
});
