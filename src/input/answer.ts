import { fingerprints } from "../detect/prompt.ts";
import { enterPauseMs } from "../detect/agents.ts";
import type { AnswerStep, PromptOption } from "../detect/finding.ts";
import { detailOf } from "../errors.ts";
import type { SelectRequest } from "../protocol/input.ts";
import type { PaneKind } from "../protocol/pane.ts";
import type { InputStep } from "../terminal/provider.ts";
import type { PaneReading } from "../terminal/reading.ts";
import { drawnCheck } from "./drawn.ts";
import { differenceOf } from "./guard.ts";
import type { Accept, PaneTurn } from "./pane-turn.ts";
import { invalidInput } from "./refusals.ts";
import {
  ENTER_STEP,
  hasEnded,
  isBlocked,
  isSamePrompt,
  pressUntilTaken,
  sendBehind,
  takesKeys,
  textSteps,
} from "./typing.ts";

/** Takes an option by its key, as the first routes and decisions name it. */
export function choose(turn: PaneTurn, { key, text, expected }: SelectRequest): Promise<void> {
  const accept: Accept = (now) => {
    if (!expected) return null;
    // An overlay (a transcript, a pager) covers the dialog: keys would go to the overlay.
    if (now.finding.keepsPrevious) return "prompt_changed";
    return differenceOf(expected, fingerprints(now.prompt));
  };
  const find = ({ prompt }: PaneReading) =>
    prompt?.options.find((each) => each.key === key) ?? null;
  return take(turn, { find, key, text, accept: expected ? accept : null });
}

interface ChosenOption {
  find(first: PaneReading): PromptOption | null;
  /** Typed where the dialog has no such option; named in a refusal. */
  key: string;
  text?: string | undefined;
  /** Null accepts any screen. */
  accept: Accept | null;
}

/** By the plan of a recognised dialog, else by the contract's rule. @throws AppError `invalid` */
export async function take(turn: PaneTurn, chosen: ChosenOption): Promise<void> {
  const { find, key, text, accept } = chosen;
  const first = await turn.require(accept ?? (() => null));
  const seen = first.prompt;
  const option = find(first);
  const named = key.slice(0, 100);
  const hasText = text !== undefined && text !== "";
  if (!seen?.recognised && !(hasText && option?.answerWithText)) {
    const logged = "this prompt takes no text";
    if (hasText) throw invalidInput("option_takes_no_text", `${logged} with ${named}`, { logged });
    const typed = option?.key ?? key;
    const steps = contractSteps(first.state.kind, typed, option?.freeform ?? false);
    if (accept === null) return turn.sendPlain(steps);
    if (steps.length === 1 || !takesKeys(first)) return void (await turn.send(steps, accept));
    const sentTo = await turn.send(steps.slice(0, 1), accept);
    // Blocked in a read of keys, it reads no more of them than this one, unless it edits a line.
    if (isBlocked(first) && !editsLine(first)) return;
    return sendBehind(turn, [ENTER_STEP], { text: typed, first, sentTo, as: "key" });
  }
  const logged = "not an option of this prompt";
  if (!option) throw invalidInput("option_unknown", `${logged}: ${named}`, { logged });
  const planIn = (now: PaneReading) => find(now)?.[hasText ? "answerWithText" : "answer"] ?? null;
  const plan = planIn(first);
  if (plan === null) throw invalidInput("option_takes_no_text", `option ${named} takes no text`);
  if (plan.length === 0)
    throw invalidInput("option_not_safe", `option ${named} cannot be chosen safely from here`);
  // A plan counts from the focus, which no fingerprint has.
  const isSamePlan = (now: PaneReading) => Bun.deepEquals(planIn(now), plan);
  const running = { first, option, text: text ?? "", plan, isSamePlan };
  const into = await runPlan(turn, running).catch((error: unknown) => {
    // The focus has moved since the last pass; here is a fresh reading now.
    const isOld = first.passText !== undefined && !turn.hasSent;
    if (isOld && detailOf(error)["code"] === "options_changed") return take(turn, chosen);
    throw error;
  });
  // The program is just ending its turn and may lose the Enter. Beside an older draft nobody can
  // tell when the words are taken.
  if (text !== undefined && into && (into.composer?.holds ?? "nothing") === "nothing")
    await pressUntilTaken(turn, text, first);
}

/** The contract's rule for menus that no parser recognises; `enter` is the Enter key. */
function contractSteps(kind: PaneKind, key: string, isFreeform: boolean): InputStep[] {
  if (key === "enter") return [ENTER_STEP];
  const answersAlone = kind === "agent_a" || (kind === "agent_b" && isFreeform);
  return answersAlone ? textSteps(key) : [...textSteps(key), ENTER_STEP];
}

interface RunningPlan {
  first: PaneReading;
  option: PromptOption;
  text: string;
  plan: readonly AnswerStep[];
  isSamePlan(now: PaneReading): boolean;
}

/**
 * Takes each step only while the dialog is still the one that the plan was made for.
 * @returns the reading that got the words which follow a closed dialog; null without such words
 */
async function runPlan(
  turn: PaneTurn,
  { first, option, text, plan, isSamePlan }: RunningPlan,
): Promise<PaneReading | null> {
  const whole = fingerprints(first.prompt);
  let mustBeFocused = false;
  let mustBeOpen = false;
  let mustBeClosed = false;
  let into: PaneReading | null = null;
  let sentTo = first;
  const accept: Accept = (now) => {
    if (now.finding.keepsPrevious) return "prompt_changed";
    if (hasEnded(first, now)) return "wait";
    if (mustBeClosed) {
      // A dialog that is being erased may be an unrecognised prompt for a moment.
      if (now.prompt)
        return isSamePrompt(first, now.prompt) || !now.prompt.recognised
          ? "wait"
          : "prompt_changed";
      return ["working", "needs_input"].includes(now.state.status) ? "wait" : null;
    }
    // Without a prompt the program may still be drawing; another dialog ends the plan.
    if (now.prompt === null && turn.hasSent) return "wait";
    if (!turn.hasSent) {
      const difference = differenceOf(whole, fingerprints(now.prompt));
      if (difference) return difference;
      if (!isSamePlan(now)) return "options_changed";
    } else if (!isSamePrompt(first, now.prompt)) return "prompt_changed";
    const focused = now.prompt?.options.find((candidate) => candidate.selected);
    if (mustBeOpen && focused?.answerWithText?.[0]?.do !== "text") return "wait";
    return mustBeFocused && focused?.key !== option.key ? "wait" : null;
  };
  // Before that, a busy program may read the next key as a part of the text.
  const untilDrawn = async () => {
    await turn.pause(enterPauseMs(first.state.agent));
    const isDrawn = drawnCheck(text, sentTo, true);
    await turn.require((now) => accept(now) ?? (isDrawn(now) ? null : "wait"));
  };
  let steps: InputStep[] = [];
  const sendSteps = async () => {
    if (steps.length === 0) return;
    sentTo = await turn.send(steps, accept);
    steps = [];
    mustBeOpen = false;
    if (mustBeClosed) into ??= sentTo;
  };
  for (const step of plan) {
    if (step.do === "key") steps.push(step);
    else if (step.do === "type") steps.push(...textSteps(step.text));
    else if (step.do !== "text" || text !== "") {
      if (step.do === "text") steps.push(...textSteps(text));
      await sendSteps();
      // They hold for the next send; no plan ends with one of them.
      if (step.do === "verify") mustBeFocused = true;
      if (step.do === "open") mustBeOpen = true;
      if (step.do === "closed") mustBeClosed = true;
      if (step.do === "text") await untilDrawn();
    }
  }
  await sendSteps();
  turn.noteChoice(first, option.label);
  return into;
}

/** Its program draws a cursor behind the question. */
const editsLine = ({ screen, prompt }: PaneReading): boolean =>
  / █$/u.test(screen.lines[prompt?.questionLine ?? -1]?.text ?? "");
