import type { Attempt } from "./attempt.ts";
import { signatureOf } from "./guard.ts";
import { waits, type Pane } from "./pane.ts";

/** What was sent, in the words that the reader saw. */
export interface Sent {
  /** Key of the chosen option, or null for a text. */
  readonly key: string | null;
  /** Its identity, on guarded panes. */
  readonly optionId: string | null;
  readonly label: string;
  readonly signature: string;
  /** The pane as the reader saw it; its card stays so until the answer is done. */
  readonly shown: Pane;
  /** Whether the option was a toggle, which leaves its prompt open. */
  readonly isToggle: boolean;
  /** `prompt_since` of the pane when it was sent. */
  readonly promptSince: number | null;
}

/** Where an answer to the prompt of one pane stands. A pane without one is simply waiting. */
export type Answer = Attempt<Sent>;

/** The option that a digit means: the one with that key; by its place only where none has a digit. */
export function optionOfDigit(keys: readonly string[], digit: string): number {
  const isNumbered = keys.some((key) => /^\d+$/.test(key));
  return isNumbered ? keys.indexOf(digit) : Number(digit) - 1;
}

/**
 * A snapshot confirms when the prompt is gone, is another one, or is asked anew in the same words. A
 * program that only draws it again (a blinking cursor, a spinner) has not taken the answer.
 */
export function confirms(pane: Pane | null, sent: Sent): boolean {
  if (pane === null || pane.stale) return pane === null;
  if (signatureOf(pane) !== sent.signature) return true;
  return pane.prompt_since !== sent.promptSince;
}

/** The answer after a snapshot or a moment has passed. Returns the same object when nothing changed. */
export function advance(answer: Answer, pane: Pane | null, nowMs: number): Answer | null {
  if (answer.step === "sent") {
    if (!answer.confirmed && confirms(pane, answer.sent))
      return answer.sent.isToggle ? null : { ...answer, confirmed: true, at: nowMs };
    return answer;
  }
  if (answer.step === "sending") return answer;
  if (pane === null) return null;
  if (answer.step === "uncertain") return answer;
  // What was said of one prompt is not said of the next.
  const isSame = answer.signature === null || answer.signature === signatureOf(pane);
  return isSame ? answer : null;
}

export type PaneAct = NonNullable<Pane["act"]>;

/** What was answered is told for so long; it stands in place of the answers while it may be taken. */
const NEWS_SECONDS = 60;
const TAKING_SECONDS = 5;
const HAS_ARRIVED: ReadonlySet<string> = new Set(["sending", "sent", "confirmed"]);

/**
 * What was answered at this pane just now, whoever has done so. A prompt that still stands, or came
 * after it, is to be answered: then only what it may take this very moment counts.
 */
export function answeredElsewhere(pane: Pane, nowSeconds: number): PaneAct | null {
  const { act } = pane;
  if (act === null || act.about === null || !HAS_ARRIVED.has(act.state)) return null;
  const age = nowSeconds - act.at;
  if (!waits(pane)) return age < NEWS_SECONDS ? act : null;
  const isOfPrompt = act.at >= (pane.prompt_since ?? Infinity) && act.state !== "confirmed";
  return isOfPrompt && age < TAKING_SECONDS ? act : null;
}
