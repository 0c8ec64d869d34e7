import type { AnswerStep } from "../detect/finding.ts";
import type { PaneKind } from "../protocol/pane.ts";
import type { InputStep } from "../terminal/provider.ts";
import { textSteps } from "./literal.ts";

export const ENTER: InputStep = { do: "key", key: "Enter" };

/** One send to the multiplexer, or what happens between two sends. */
export type Move =
  | { do: "send"; steps: InputStep[] }
  | { do: "pause"; ms: number }
  /** Nothing further is sent unless the chosen option is seen to be focused. */
  | { do: "focus" }
  /** Nothing further is sent unless the dialog is seen to be gone. */
  | { do: "closed" };

/**
 * Groups an answer plan into sends; `text` stands where the plan asks for the person's words. An
 * agent reads an Enter that follows a text at once as a line break: `pauseMs` lies between the two.
 */
export function movesOf(plan: readonly AnswerStep[], text: string, pauseMs: number): Move[] {
  const moves: Move[] = [];
  let isBehindText = false;
  const send = (steps: InputStep[]) => {
    const last = moves.at(-1);
    if (last?.do === "send") last.steps.push(...steps);
    else if (steps.length > 0) moves.push({ do: "send", steps });
  };
  for (const step of plan) {
    if (isBehindText && step.do === "key") moves.push({ do: "pause", ms: pauseMs });
    isBehindText = step.do === "text";
    if (step.do === "pause") moves.push({ do: "pause", ms: step.ms });
    if (step.do === "verify") moves.push({ do: "focus" });
    if (step.do === "closed") moves.push({ do: "closed" });
    if (step.do === "key") send([{ do: "key", key: step.key }]);
    if (step.do === "type") send(textSteps(step.text));
    if (step.do === "text") send(textSteps(text));
  }
  return moves;
}

/** The contract's rule for menus that no parser recognises; the key `enter` is the Enter key. */
export function contractSteps(kind: PaneKind, key: string, isFreeform: boolean): InputStep[] {
  if (key === "enter") return [ENTER];
  const answersAlone = kind === "agent_a" || (kind === "agent_b" && isFreeform);
  return answersAlone ? textSteps(key) : [...textSteps(key), ENTER];
}
