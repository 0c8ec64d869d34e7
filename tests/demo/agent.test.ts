import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { detect } from "../../src/detect/detect.ts";
import { NO_PATTERNS } from "../../src/detect/pattern-rules.ts";
import { draw, press, startAgent, tick, type AgentState, type Size } from "../../src/demo/agent.ts";
import { keysOf } from "../../src/demo/pane.ts";
import { PERMISSIONS, QUESTIONS, type Request } from "../../src/demo/requests.ts";

const SIZE: Size = { columns: 100, rows: 30 };

function look(state: AgentState, requests: readonly Request[], size = SIZE) {
  const lines = draw(state, requests, size).map((text) => ({ text: text.trimEnd(), runs: [] }));
  return detect(
    {
      screen: { lines },
      title: "✳ Sample",
      command: "claude-demo",
      processes: [["claude-demo"]],
      width: size.columns,
      height: size.rows,
      alternate: true,
      cursor: null,
      kindOverride: null,
    },
    NO_PATTERNS,
  );
}

const after = (state: AgentState, seconds: number, requests: readonly Request[]) =>
  tick(state, state.now + seconds, requests.length);
const type = (state: AgentState, text: string, requests: readonly Request[]) =>
  [...text].reduce((now, key) => press(now, key, requests), state);

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
    const { prompt, kind } = look(asking, QUESTIONS);
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
    const moved = press(startAgent(0), "4", QUESTIONS);
    expect(look(moved, QUESTIONS).prompt?.options.find((o) => o.selected)?.key).toBe("4");
    expect(press(moved, "Enter", QUESTIONS).phase).toBe("asking");
    const typed = type(moved, "DuckDB 2", QUESTIONS);
    expect(typed).toMatchObject({ phase: "asking", typed: "DuckDB 2" });
    const answered = press(typed, "Enter", QUESTIONS);
    expect(answered.phase).toBe("working");
    expect(draw(answered, QUESTIONS, SIZE).join("\n")).toContain("Database: DuckDB 2");
  });
});

test("a rest ends by itself, so that the demo stays alive, but not under someone's text", () => {
  const idle = press(startAgent(0), "Escape", PERMISSIONS);
  expect(after(idle, 25, PERMISSIONS).phase).toBe("working");
  expect(after(press(idle, "x", PERMISSIONS), 25, PERMISSIONS).phase).toBe("idle");
});

test("any keys at any size: never more than the screen holds, never without a request", () => {
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
      fc.constantFrom(PERMISSIONS, QUESTIONS),
      fc.array(key, { maxLength: 60 }),
      size,
      (requests, keys, at) => {
        let state = startAgent(0);
        for (const one of keys)
          state = one === "tick" ? after(state, 7, requests) : press(state, one, requests);
        const rows = draw(state, requests, at);
        expect(rows.length).toBeGreaterThan(0);
        expect(rows.every((row) => [...row].length <= at.columns)).toBe(true);
        expect(requests[state.request]).toBeDefined();
      },
    ),
  );
});

test("what one read holds is split into keys", () => {
  expect(keysOf("1\x1b[A\x1bOB\r\x7f")).toEqual(["1", "Up", "Down", "Enter", "Backspace"]);
  expect(keysOf("\x1b")).toEqual(["Escape"]);
  expect(keysOf("a😀\n")).toEqual(["a", "😀", "Enter"]);
});
