import { expect, test } from "bun:test";
import type { AnswerStep } from "../../src/detect/finding.ts";
import { renderPlan } from "../support/plans.ts";
import { findOn, readScreens, type OptionTrial } from "../support/screens.ts";

const SCREENS = readScreens();

/** The keys that a plan sends, without its looks and waits. */
const sent = (plan: readonly AnswerStep[]): string[] =>
  plan.flatMap((step) => {
    if (step.do === "key") return [step.key];
    if (step.do === "type") return [...step.text];
    return step.do === "text" ? ["text"] : [];
  });

const isMove = (key: string) => ["Up", "Down", "Left", "Right"].includes(key);

/** Whether Enter, or words, come only after a look that shows where the focus is. */
function looksBefore(plan: readonly AnswerStep[], from: number): boolean {
  const next = plan.findIndex(
    (step, i) => i > from && (step.do === "text" || (step.do === "key" && step.key === "Enter")),
  );
  if (next < 0) return true;
  return plan.slice(from + 1, next).some(({ do: what }) => what === "verify" || what === "closed");
}

/** The fault of a plan, compared with what the live program did; null without one. */
function fault(plan: readonly AnswerStep[], { keys, does }: OptionTrial): string | null {
  const typed = plan.findIndex((step) => step.do === "type");
  const isTyped =
    keys.length === 1 && keys[0] === sent(plan.slice(typed, typed + 1))[0] && typed >= 0;
  if (does === "nothing") return isTyped ? "it types a key that does nothing" : null;
  if (does === "moves")
    return isTyped && !looksBefore(plan, typed) ? "it follows a move without a look" : null;
  if (keys.length === 1 && keys[0] !== "Enter") {
    // Of a letter and a digit that both answer, a plan types one.
    if (typed >= 0)
      return plan.length === typed + 1 || (!isTyped && looksBefore(plan, typed))
        ? null
        : "keys follow one that has answered";
    if (sent(plan).join(" ") === keys[0]) return null;
    const isWalk = sent(plan).every((key) => isMove(key) || key === "Enter");
    return isWalk && looksBefore(plan, -1) ? null : "another key than the one that answers";
  }
  if (typed >= 0 && plan.length === typed + 1) return null;
  const isFocused = plan.at(-1)?.do === "key" && looksBefore(plan, -1);
  const isSame =
    sent(plan)
      .filter((key) => key !== "C-u")
      .join(" ") === keys.join(" ");
  return isSame || isFocused ? null : "another way than the one that was tried";
}

test("the plan of an option does what answered the live program, and nothing after it", () => {
  let checked = 0;
  for (const recorded of SCREENS) {
    const { prompt } = findOn(recorded);
    for (const tried of recorded.tried) {
      const option = prompt?.options.find(({ key }) => key === tried.option);
      const isText = tried.keys.includes("text");
      const plan = (isText ? option?.answerWithText : option?.answer) ?? null;
      const wrong = plan === null ? "no plan" : fault(plan, tried);
      expect(wrong, `${recorded.name}, ${tried.option}: ${renderPlan(plan)}`).toBeNull();
      checked++;
    }
  }
  expect(checked).toBeGreaterThan(300);
});

test("no plan ends with a look, as a text may be sent behind it", () => {
  const plans = SCREENS.flatMap((recorded) => {
    const { options = [] } = findOn(recorded).prompt ?? {};
    return options.flatMap(({ answer, answerWithText }) => [answer ?? [], answerWithText ?? []]);
  });
  const behindLooks = plans.flatMap((plan) => {
    const last = plan.findLastIndex(({ do: what }) => what === "verify" || what === "closed");
    return last < 0 ? [] : [sent(plan.slice(last + 1))];
  });
  expect(behindLooks.length).toBeGreaterThan(200);
  expect(behindLooks.filter((keys) => keys.length === 0)).toEqual([]);
});

test("the evidence of a recorded prompt holds what is approved, in order", () => {
  const fold = (text: string) => text.replace(/[\s│┃]+/g, "");
  let checked = 0;
  for (const recorded of SCREENS) {
    const { evidence } = recorded.expected;
    if (!evidence) continue;
    const { prompt } = findOn(recorded);
    const shown = fold([...(prompt?.evidence ?? []), prompt?.question ?? ""].join(""));
    let from = 0;
    for (const text of evidence) {
      const at = shown.indexOf(fold(text), from);
      expect(at, `${recorded.name}: ${text} in ${shown}`).toBeGreaterThanOrEqual(0);
      from = at + 1;
      checked++;
    }
  }
  expect(checked).toBeGreaterThan(80);
});
