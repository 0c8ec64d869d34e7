import { signatureOf } from "./guard.ts";
import { waits, type MenuOption, type Pane } from "./pane.ts";

export interface Submission {
  /** The pane as the reader saw it; its card stays so until the answer is done. */
  readonly shown: Pane;
  /** Null for a text, or a key. */
  readonly option: MenuOption | null;
  readonly label: string;
  /** The session of the socket that showed it; a server that starts anew tells another `prompt_since`. */
  readonly session: string | null;
}

/** A toggle leaves its prompt open. */
export const isToggle = ({ option }: Submission): boolean =>
  option !== null && option.checked !== null;

/** Where an answer to the prompt of one pane stands. A pane without one is simply waiting. */
export type Answer =
  | { readonly step: "sending"; readonly sent: Submission }
  | {
      readonly step: "sent";
      readonly sent: Submission;
      /** Its idempotency key. */
      readonly key: string;
      /** Monotonic milliseconds when it was sent, confirmed, or its pane was known to be gone. */
      readonly at: number;
      readonly confirmed: boolean;
      /** Its pane has gone before anybody could see whether it was taken. */
      readonly isOrphan?: boolean;
    }
  /** It may have arrived: nothing can be sent until the person has looked at the terminal. */
  | { readonly step: "uncertain"; readonly sent: Submission; readonly isPart: boolean }
  /** Nothing was sent. */
  | {
      readonly step: "refused";
      /** Of the server, or of this page: `changed`, it is another prompt now; `moved`, it stood too short. */
      readonly reason: string;
      /** Shown for as long as this prompt stands there; null until it is known which one does. */
      readonly signature: string | null;
    };

export const refusedAnswer = (reason: string) =>
  ({ step: "refused", reason, signature: null }) satisfies Answer;

export const holdsAnswers = (
  answer: Answer | null,
): answer is Extract<Answer, { readonly sent: Submission }> => answer !== null && "sent" in answer;

/** After this long without a confirmation the card says so. */
const UNCONFIRMED_MS = 5000;

export const isLate = (answer: Answer | null, nowMs: number): boolean =>
  answer?.step === "sent" && isOpen(answer) && nowMs - answer.at >= UNCONFIRMED_MS;

type SentAnswer = Extract<Answer, { readonly step: "sent" }>;

/** Whether it may still become known that it was taken. */
const isOpen = ({ confirmed, isOrphan = false }: SentAnswer): boolean => !confirmed && !isOrphan;

/** A confirmed answer stands this long, and until the screen was untouched for a moment. */
const CONFIRMED_MS = 2000;
/** It is a sentence to read, and no good news. */
const ORPHAN_MS = 10_000;
export const UNTOUCHED_MS = 1000;

export const isRead = (answer: Answer | null, nowMs: number, untouchedMs: number): boolean =>
  answer?.step === "sent" &&
  !isOpen(answer) &&
  nowMs - answer.at >= (answer.confirmed ? CONFIRMED_MS : ORPHAN_MS) &&
  untouchedMs >= UNTOUCHED_MS;

/** The option that a digit means: the one with that key; by its place only where none has a digit. */
export function optionOfDigit(keys: readonly string[], digit: string): number {
  const isNumbered = keys.some((key) => /^\d+$/.test(key));
  return isNumbered ? keys.indexOf(digit) : Number(digit) - 1;
}

/**
 * A snapshot confirms when the prompt is gone, is another one, or is asked anew in the same words. A
 * program that only draws it again (a blinking cursor, a spinner) has not taken the answer. A new run of
 * the server tells other times, and has not listed every pane at first; without a socket none is known.
 */
export function confirms(pane: Pane | null, sent: Submission, session: string | null): boolean {
  if (pane === null) return isFromSession(sent, session);
  if (pane.stale) return false;
  if (signatureOf(pane) !== signatureOf(sent.shown)) return true;
  return isFromSession(sent, session) && pane.prompt_since !== sent.shown.prompt_since;
}

const isFromSession = (sent: Submission, session: string | null): boolean =>
  session !== null && session === sent.session;

/** What no snapshot of this run may ever confirm; the record of the server may know it. */
export const isFromEarlierSession = (
  answer: Answer | null,
  session: string | null,
): answer is SentAnswer =>
  answer?.step === "sent" && isOpen(answer) && !isFromSession(answer.sent, session);

/** Nothing is said of a toggle that was taken: its prompt shows it. */
export const confirmAnswer = (answer: SentAnswer, nowMs: number): Answer | null =>
  isToggle(answer.sent) ? null : { ...answer, confirmed: true, at: nowMs };

/** The answer after a snapshot or a moment has passed. Returns the same object when nothing changed. */
export function advance(
  answer: Answer,
  pane: Pane | null,
  { nowMs, session }: { readonly nowMs: number; readonly session: string | null },
): Answer | null {
  if (answer.step === "sent") {
    const isNews = isOpen(answer) && confirms(pane, answer.sent, session);
    return isNews ? confirmAnswer(answer, nowMs) : answer;
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
