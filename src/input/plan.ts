import type { AnswerStep } from "../detect/finding.ts";
import type { PaneKind } from "../protocol/pane.ts";
import type { InputStep } from "../terminal/provider.ts";
import { invalidInput } from "./refusals.ts";

export const ENTER_STEP: InputStep = { do: "key", key: "Enter" };

/** One send, or a pause or a check of the screen that comes before the next send. */
export type Move =
  | { do: "send"; steps: InputStep[] }
  | { do: "pause"; ms: number }
  | { do: "drawn" }
  | Extract<AnswerStep, { do: "verify" | "open" | "closed" }>;

/**
 * Groups an answer plan into sends; `text` stands where the plan asks for the person's words. An
 * agent reads an Enter that follows a text at once as a line break: `pauseMs` lies between the two,
 * and the text is drawn by then.
 */
export function movesOf(plan: readonly AnswerStep[], text: string, pauseMs: number): Move[] {
  const moves: Move[] = [];
  const send = (steps: InputStep[]) => {
    const last = moves.at(-1);
    if (last?.do === "send") last.steps.push(...steps);
    else if (steps.length > 0) moves.push({ do: "send", steps });
  };
  for (const step of plan) {
    if (step.do === "key") send([step]);
    else if (step.do === "type") send(textSteps(step.text));
    else if (step.do !== "text") moves.push(step);
    else if (text !== "") {
      send(textSteps(text));
      moves.push({ do: "pause", ms: pauseMs }, { do: "drawn" });
    }
  }
  return moves;
}

/** The contract's rule for menus that no parser recognises; `enter` is the Enter key. */
export function contractSteps(kind: PaneKind, key: string, isFreeform: boolean): InputStep[] {
  if (key === "enter") return [ENTER_STEP];
  const answersAlone = kind === "agent_a" || (kind === "agent_b" && isFreeform);
  return answersAlone ? textSteps(key) : [...textSteps(key), ENTER_STEP];
}

const MAX_TEXT_BYTES = 64 * 1024;

/** A terminal could take a control character for a command; newline and tab are text. */
const NOT_LITERAL = /[^\P{Cc}\n\t]/u;

/** @throws AppError `invalid` */
export function requireBounded(text: string): void {
  if (Buffer.byteLength(text) > MAX_TEXT_BYTES)
    throw invalidInput("text_too_long", "text exceeds 64 KiB");
}

/** @throws AppError `invalid` for what cannot be sent as it is */
export function requireLiteral(text: string): void {
  requireBounded(text);
  if (NOT_LITERAL.test(text))
    throw invalidInput("text_not_literal", "text contains control characters");
  // A lone surrogate cannot be encoded: the pane would get another text.
  if (!text.isWellFormed())
    throw invalidInput("text_not_literal", "text is not well-formed Unicode");
}

export function textSteps(text: string): InputStep[] {
  return text === "" ? [] : [{ do: "text", text }];
}
