import { describe, expect, test } from "bun:test";
import { findIn, inputOf, readScreens } from "../support/screens.ts";
import { findUnseen, isRight, inputOfUnseen, readUnseen } from "../support/unseen.ts";

const UNSEEN = readUnseen();

/** A program that nobody knows: neither its name nor its arguments say anything. */
const nobody = { command: "deploy", processes: [["deploy"]], title: "" };

describe("screens of programs that no rule was written for", () => {
  test.each(["agent", "program"] as const)("each %s is read right", (of) => {
    const wrong = UNSEEN.filter((seen) => seen.of === of && !isRight(seen, findUnseen(seen)));
    expect(wrong.map(({ name }) => name)).toEqual([]);
  });

  test("what moves is no part of a question or of its evidence", () => {
    const moving = /[\u2800-\u28ff]|\(\d+s\b|\d+s Esc/;
    for (const seen of UNSEEN.filter(({ expect: what }) => what === "wait")) {
      const { question = "", evidence = [] } = findUnseen(seen).prompt ?? {};
      const lines = [question, ...evidence].filter((line) => moving.test(line));
      expect({ name: seen.name, lines }).toEqual({ name: seen.name, lines: [] });
    }
  });

  test("a screen alone, as in a saved file, never makes an idle agent wait", () => {
    for (const seen of UNSEEN.filter((each) => each.of === "agent" && each.expect !== "wait"))
      expect([seen.name, findUnseen(seen, "bare").status]).not.toEqual([seen.name, "needs_input"]);
  });
});

describe("recorded screens of known agents, read as those of a program that nobody knows", () => {
  const found = readScreens().map((recorded) => ({
    name: recorded.name,
    expected: recorded.expected.status,
    status: findIn({ ...inputOf(recorded), ...nobody }).status,
  }));

  test("none waits that does not", () => {
    const wrong = found.filter((o) => o.expected !== "needs_input" && o.status === "needs_input");
    expect(wrong).toEqual([]);
  });

  test("of those that wait more than five in six do, by their shape alone", () => {
    const waiting = found.filter(({ expected }) => expected === "needs_input");
    const seen = waiting.filter(({ status }) => status === "needs_input");
    expect(seen.length / waiting.length).toBeGreaterThan(5 / 6);
  });
});

const IDS = "claude codex grok opencode agy gemini qwen copilot cursor amp".split(" ");
/** These hold what is the input line, or the panel, of the agent that they are read as. */
const OWN_SHAPE = [
  "aider-confirm-create",
  "auggie-start",
  "py-input-multi",
  "qwen-firstrun-2 as claude",
];

test.each(IDS)("a dialog that nobody knows waits in %s too", (id) => {
  const asked = UNSEEN.filter(
    (seen) =>
      seen.expect === "wait" &&
      !OWN_SHAPE.some((name) => `${seen.name} as ${id}`.startsWith(name)) &&
      findIn({ ...inputOfUnseen(seen), ...nobody }).status === "needs_input" &&
      // A person's own patterns are not searched in agents.
      !findIn({ ...inputOfUnseen(seen), ...nobody }).rule.startsWith("generic.pattern"),
  );
  const wrong = asked.filter((seen) => {
    const o = { ...inputOfUnseen(seen), command: id, processes: [[id]], title: "" };
    return findIn(o).status !== "needs_input";
  });
  expect(asked.length).toBeGreaterThan(40);
  expect(wrong.map(({ name }) => name)).toEqual([]);
});
