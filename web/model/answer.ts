import { signatureOf } from "./guard.ts";
import { waits, type MenuOption, type Pane } from "./pane.ts";

export interface Submission {
  /** As it was on the screen; its card stays so until the answer is done. */
  readonly shown: Pane;
  /** Null for a text or a key. */
  readonly option: MenuOption | null;
  readonly label: string;
  /** Of the socket that brought the pane: a new run of the server counts `prompt_since` anew. */
  readonly session: string | null;
}

export const isToggle = ({ option }: Submission): boolean =>
  option !== null && option.checked !== null;

/** The state of an answer to the prompt of one pane; null while none was given. */
export type Answer =
  | { readonly step: "sending"; readonly sent: Submission }
  | {
      readonly step: "sent";
      readonly sent: Submission;
      readonly key: string;
      /** Monotonic milliseconds of the last step: sent, confirmed, or its pane found to be gone. */
      readonly at: number;
      readonly confirmed: boolean;
      /** Its pane ended before a snapshot could confirm it. */
      readonly isOrphan?: boolean;
    }
  /** It may have arrived: the pane is locked until the person has looked at its terminal. */
  | { readonly step: "uncertain"; readonly sent: Submission; readonly isPart: boolean }
  | {
      readonly step: "refused";
      /**
       * The server's reason, or one of this page: `changed` (another prompt), `moved` (the card had
       * just moved).
       */
      readonly reason: string;
      /** The prompt below which it is shown; null until that is known. */
      readonly signature: string | null;
    };

export const refusedAnswer = (reason: string) =>
  ({ step: "refused", reason, signature: null }) satisfies Answer;

export const holdsAnswers = (
  answer: Answer | null,
): answer is Extract<Answer, { readonly sent: Submission }> => answer !== null && "sent" in answer;

/** From then on the card says that it is not confirmed. */
const UNCONFIRMED_MS = 5000;

export const isLate = (answer: Answer | null, nowMs: number): boolean =>
  answer?.step === "sent" && isOpen(answer) && nowMs - answer.at >= UNCONFIRMED_MS;

type SentAnswer = Extract<Answer, { readonly step: "sent" }>;

/** Whether a snapshot may still confirm it. */
const isOpen = ({ confirmed, isOrphan = false }: SentAnswer): boolean => !confirmed && !isOrphan;

/** A confirmed answer is shown this long, and until the screen was untouched for a moment. */
const CONFIRMED_MS = 2000;
/** Longer, since it is a sentence to read. */
const ORPHAN_MS = 10_000;
export const UNTOUCHED_MS = 1000;

export const isRead = (answer: Answer | null, nowMs: number, untouchedMs: number): boolean =>
  answer?.step === "sent" &&
  !isOpen(answer) &&
  nowMs - answer.at >= (answer.confirmed ? CONFIRMED_MS : ORPHAN_MS) &&
  untouchedMs >= UNTOUCHED_MS;

/**
 * The index of the option whose key is the digit; where no key is a number, its place in the list.
 */
export function optionOfDigit(keys: readonly string[], digit: string): number {
  const isNumbered = keys.some((key) => /^\d+$/.test(key));
  return isNumbered ? keys.indexOf(digit) : Number(digit) - 1;
}

/**
 * A snapshot confirms an answer when its prompt is gone, replaced, or asked anew in the same words.
 * A program that only redraws it (cursor, spinner) has not taken the answer. A new run of the
 * server counts other times and lists panes one by one; without a socket the run is not known.
 */
function confirms(pane: Pane | null, sent: Submission, session: string | null): boolean {
  if (pane === null) return isFromSession(sent, session);
  if (pane.stale) return false;
  if (signatureOf(pane) !== signatureOf(sent.shown)) return true;
  return isFromSession(sent, session) && pane.prompt_since !== sent.shown.prompt_since;
}

const isFromSession = (sent: Submission, session: string | null): boolean =>
  session !== null && session === sent.session;

/** No snapshot of this session can confirm it; the server's record of acts may. */
export const isFromEarlierSession = (
  answer: Answer | null,
  session: string | null,
): answer is SentAnswer =>
  answer?.step === "sent" && isOpen(answer) && !isFromSession(answer.sent, session);

/** Null for a toggle: its prompt stays open and shows the new state. */
export const confirmAnswer = (answer: SentAnswer, nowMs: number): Answer | null =>
  isToggle(answer.sent) ? null : { ...answer, confirmed: true, at: nowMs };

/** The answer after a snapshot or a tick; the same object where nothing changed. */
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
  // A refusal belongs to the prompt that it was shown below.
  const isSame = answer.signature === null || answer.signature === signatureOf(pane);
  return isSame ? answer : null;
}

export type PaneAct = NonNullable<Pane["act"]>;

/** How long an answer from elsewhere is shown, and how long it hides the options meanwhile. */
const NEWS_SECONDS = 60;
const TAKING_SECONDS = 5;
const HAS_ARRIVED: ReadonlySet<string> = new Set(["sending", "sent", "confirmed"]);

/**
 * The newest answer to this pane, from any device. Where a prompt is open, only an answer to that
 * prompt counts, and only while the program may still be taking it.
 */
export function answeredElsewhere(pane: Pane, nowSeconds: number): PaneAct | null {
  const { act } = pane;
  if (act === null || act.about === null || !HAS_ARRIVED.has(act.state)) return null;
  const age = nowSeconds - act.at;
  if (!waits(pane)) return age < NEWS_SECONDS ? act : null;
  const isOfPrompt = act.at >= (pane.prompt_since ?? Infinity) && act.state !== "confirmed";
  return isOfPrompt && age < TAKING_SECONDS ? act : null;
}
