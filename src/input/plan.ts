import type { AnswerStep } from "../detect/finding.ts";
import type { PaneKind } from "../protocol/pane.ts";
import type { InputStep } from "../terminal/provider.ts";
import { invalidInput } from "./refusals.ts";

export const ENTER_STEP: InputStep = { do: "key", key: "Enter" };

/** Steps of a plan: what one send takes together, and what has to pass or be seen before the next. */
export type Move =
  { do: "send"; steps: InputStep[] } | Extract<AnswerStep, { do: "pause" | "verify" | "closed" }>;

/**
 * Groups an answer plan into sends; `text` stands where the plan asks for the person's words. An
 * agent reads an Enter that follows a text at once as a line break: `pauseMs` lies between the two.
 */
export function movesOf(plan: readonly AnswerStep[], text: string, pauseMs: number): Move[] {
  const moves: Move[] = [];
  const send = (steps: InputStep[]) => {
    const last = moves.at(-1);
    if (last?.do === "send") last.steps.push(...steps);
    else if (steps.length > 0) moves.push({ do: "send", steps });
  };
  for (const [at, step] of plan.entries()) {
    const isBehindText = plan[at - 1]?.do === "text";
    if (step.do === "key" && isBehindText) moves.push({ do: "pause", ms: pauseMs });
    if (step.do === "key") send([step]);
    else if (step.do === "type") send(textSteps(step.text));
    else if (step.do === "text") send(textSteps(text));
    else moves.push(step);
  }
  return moves;
}

/** The contract's rule for menus that no parser recognises; the key `enter` is the Enter key. */
export function contractSteps(kind: PaneKind, key: string, isFreeform: boolean): InputStep[] {
  if (key === "enter") return [ENTER_STEP];
  const answersAlone = kind === "agent_a" || (kind === "agent_b" && isFreeform);
  return answersAlone ? textSteps(key) : [...textSteps(key), ENTER_STEP];
}

const MAX_TEXT_BYTES = 64 * 1024;

/** Control characters, newline and tab excepted: a terminal could take them for a command. */
const CONTROL = /[^\P{Cc}\n\t]/u;

/** @throws AppError `invalid` with `{reason, code}` */
export function requireBounded(text: string): void {
  if (Buffer.byteLength(text) > MAX_TEXT_BYTES)
    throw invalidInput("text_too_long", "text exceeds 64 KiB");
}

/** @throws AppError `invalid` for what cannot be sent as it is */
export function requireLiteral(text: string): void {
  requireBounded(text);
  if (CONTROL.test(text))
    throw invalidInput("text_not_literal", "text contains control characters");
  // A lone surrogate cannot be encoded: the pane would get another text.
  if (!text.isWellFormed())
    throw invalidInput("text_not_literal", "text is not well-formed Unicode");
}

export function textSteps(text: string): InputStep[] {
  return text === "" ? [] : [{ do: "text", text }];
}
