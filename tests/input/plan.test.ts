import { expect, test } from "bun:test";
import fc from "fast-check";
import type { AnswerStep } from "../../src/detect/finding.ts";
import { movesOf, type Move } from "../../src/input/plan.ts";
import { forAll } from "../support/laws.ts";

const step: fc.Arbitrary<AnswerStep> = fc.oneof(
  fc.record({ do: fc.constant("key" as const), key: fc.constantFrom("Enter", "Up", "Tab") }),
  fc.record({ do: fc.constant("type" as const), text: fc.constantFrom("1", "y", "12") }),
  fc.record({ do: fc.constant("text" as const) }),
  fc.record({ do: fc.constant("open" as const) }),
  fc.record({ do: fc.constant("verify" as const) }),
);
const plans = fc.array(step, { maxLength: 12 });

const inputOf = (moves: readonly Move[]) =>
  moves
    .flatMap((move) => (move.do === "send" ? move.steps : []))
    .map((one) => (one.do === "key" ? `<${one.key}>` : one.text))
    .join("");

test("all keys and texts of a plan are sent in its order, with the person's text in its place", () => {
  forAll([plans, fc.constantFrom("words", "")], (plan, text) => {
    const wanted = plan.map((one) => {
      if (one.do === "key") return `<${one.key}>`;
      if (one.do === "type") return one.text;
      return one.do === "text" ? text : "";
    });
    expect(inputOf(movesOf(plan, text, 150))).toBe(wanted.join(""));
  });
});

test("an empty text makes no send", () => {
  expect(movesOf([{ do: "text" }], "", 150)).toEqual([]);
});

test("no send crosses a check or a pause, and no send has a key after the person's text", () => {
  forAll([plans], (plan) => {
    const moves = movesOf(plan, "words", 150);
    const checks = (all: readonly { do: string }[], name: string) =>
      all.filter((one) => one.do === name).length;
    expect(checks(moves, "verify")).toBe(checks(plan, "verify"));
    for (const move of moves) {
      if (move.do !== "send") continue;
      const text = move.steps.findIndex((one) => one.do === "text" && one.text === "words");
      expect(text < 0 || move.steps[text + 1]?.do !== "key").toBe(true);
    }
    plan.forEach((one, index) => {
      if (one.do !== "verify") return;
      const before = inputOf(movesOf(plan.slice(0, index), "words", 150));
      const at = moves.findIndex((move, place) => {
        const seen = checks(moves.slice(0, place), "verify");
        return move.do === "verify" && seen === checks(plan.slice(0, index), "verify");
      });
      expect(inputOf(moves.slice(0, at))).toBe(before);
    });
  });
});
