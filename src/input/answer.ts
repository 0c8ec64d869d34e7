import { fingerprints } from "../detect/fingerprint.ts";
import type { PromptOption } from "../detect/finding.ts";
import type { SelectRequest } from "../protocol/input.ts";
import type { Reading } from "../terminal/reading.ts";
import type { Accept, Delivery } from "./delivery.ts";
import { differenceOf, isEcho } from "./expected.ts";
import { textSteps } from "./literal.ts";
import { contractSteps, ENTER, movesOf, TEXT_PAUSE_MS, type Move } from "./plan.ts";
import { refused } from "./refused.ts";

/** Types a text, and Enter behind it as a key of its own. */
export async function typePlain(
  delivery: Delivery,
  { text, enter }: { text: string; enter: boolean },
): Promise<void> {
  // Nothing to type is sent as well: a pane that is gone has not got it.
  if (text !== "" || !enter) await delivery.sendPlain(textSteps(text));
  if (text !== "" && enter) await delivery.pause(TEXT_PAUSE_MS);
  if (enter) await delivery.sendPlain([ENTER]);
}

/** The same, only while the pane still shows what was accepted. */
export async function typeGuarded(
  delivery: Delivery,
  { text, enter }: { text: string; enter: boolean },
  accept: Accept,
): Promise<void> {
  const first = await delivery.require(accept);
  const steps = textSteps(text);
  // A line prompt shows the text behind its question: it could not be known again before Enter.
  const isLinePrompt = first.prompt !== null && !first.prompt.recognised;
  if (!enter || isLinePrompt || text === "") {
    await delivery.send(enter ? [...steps, ENTER] : steps, accept);
    return;
  }
  await delivery.send(steps, accept);
  await delivery.pause(TEXT_PAUSE_MS);
  // A dialog that has appeared meanwhile must not be answered by this Enter.
  await delivery.send([ENTER], ({ prompt }) => {
    if (prompt && isEcho(prompt, text)) return null;
    return isSamePrompt(first, prompt) ? null : "prompt_changed";
  });
}

/**
 * Chooses an option: in a dialog that a parser knows by that option's plan, elsewhere by the
 * contract's rule. `ifOpen` holds back what goes to a prompt that was answered just now.
 * @throws AppError `invalid` for an option that is not there or cannot be taken
 */
export async function choose(
  delivery: Delivery,
  { key, text, expected }: SelectRequest,
  ifOpen: (accept: Accept) => Accept,
): Promise<void> {
  const accept = ifOpen((now) => {
    if (!expected) return null;
    // Under an overlay the dialog is not there to be answered.
    if (now.finding.keepsPrevious) return "prompt_changed";
    return differenceOf(expected, fingerprints(now.prompt));
  });
  const first = await delivery.require(accept);
  const seen = first.prompt;
  const option = seen?.options.find((candidate) => candidate.key === key) ?? null;
  const isTold = text !== undefined && text !== "";
  if (!seen?.recognised && !(isTold && option?.answerWithText)) {
    if (isTold) throw refused(`this prompt takes no text with ${key.slice(0, 100)}`);
    const steps = contractSteps(first.state.kind, key, option?.freeform ?? false);
    if (expected) await delivery.send(steps, accept);
    else await delivery.sendPlain(steps);
    return;
  }
  if (!option) throw refused(`not an option of this prompt: ${key.slice(0, 100)}`);
  const plan = isTold ? option.answerWithText : option.answer;
  if (plan === null) throw refused(`option ${key} takes no text`);
  if (plan.length === 0) throw refused(`option ${key} cannot be chosen safely from here`);
  await follow(delivery, { first, option, moves: movesOf(plan, text ?? "") });
}

/** Takes each turn of a plan only while the dialog is still the one that it was made for. */
async function follow(
  delivery: Delivery,
  { first, option, moves }: { first: Reading; option: PromptOption; moves: readonly Move[] },
): Promise<void> {
  const whole = fingerprints(first.prompt);
  let mustBeFocused = false;
  let mustBeClosed = false;
  const accept: Accept = (now) => {
    if (now.finding.keepsPrevious) return "prompt_changed";
    if (mustBeClosed) {
      // What nobody can read may be the end of this dialog as it goes.
      if (now.prompt)
        return isSamePrompt(first, now.prompt) || !now.prompt.recognised
          ? "wait"
          : "prompt_changed";
      return ["working", "needs_input"].includes(now.state.status) ? "wait" : null;
    }
    // A program may be drawing; another dialog in its place is an answer.
    if (now.prompt === null && delivery.hasSent) return "wait";
    if (!delivery.hasSent) {
      const difference = differenceOf(whole, fingerprints(now.prompt));
      if (difference) return difference;
    } else if (!isSamePrompt(first, now.prompt)) return "prompt_changed";
    const focused = now.prompt?.options.find((candidate) => candidate.selected);
    return mustBeFocused && focused?.key !== option.key ? "wait" : null;
  };
  for (const move of moves) {
    if (move.do === "pause") await delivery.pause(move.ms);
    if (move.do === "send") await delivery.send(move.steps, accept);
    if (move.do === "focus") mustBeFocused = true;
    if (move.do === "closed") mustBeClosed = true;
    if (move.do === "focus" || move.do === "closed") await delivery.require(accept);
  }
}

// The options change while a dialog is answered (focus, ticks, typed text); the question stays.
function isSamePrompt(first: Reading, prompt: Reading["prompt"]): boolean {
  return fingerprints(first.prompt).prompt_fingerprint === fingerprints(prompt).prompt_fingerprint;
}
