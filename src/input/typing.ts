import { holdsText } from "../detect/composer.ts";
import { fingerprints } from "../detect/prompt.ts";
import { enterPauseMs } from "../detect/agents.ts";
import { AppError } from "../errors.ts";
import { firstCharacters } from "../protocol/characters.ts";
import type { PaneAgent } from "../protocol/pane.ts";
import type { InputStep } from "../terminal/provider.ts";
import type { PaneReading } from "../terminal/reading.ts";
import {
  aloneCheck,
  DRAWN_WITHIN_LOOKS,
  drawnCheck,
  fateOfQuestion,
  isTypedInto,
} from "./drawn.ts";
import { isEcho } from "./guard.ts";
import { draftConflict, refusal } from "./refusals.ts";
import type { Accept, PaneTurn } from "./pane-turn.ts";

export const ENTER_STEP: InputStep = { do: "key", key: "Enter" };

export const textSteps = (text: string): InputStep[] => (text === "" ? [] : [{ do: "text", text }]);

export async function typePlain(
  turn: PaneTurn,
  { text, enter }: { text: string; enter: boolean },
): Promise<void> {
  // An empty text is sent too: the multiplexer then reports a pane that is gone.
  if (text !== "" || !enter) await turn.sendPlain(textSteps(text));
  if (text !== "" && enter) await turn.pause(enterPauseMs(turn.publishedState?.agent ?? null));
  if (enter) await turn.sendPlain([ENTER_STEP]);
}

/** Types where `accept` accepts the screen and no draft stands. @returns the accepted reading */
export async function typeGuarded(
  turn: PaneTurn,
  { text, enter }: { text: string; enter: boolean },
  accept: Accept,
): Promise<PaneReading> {
  let agent = turn.publishedState?.agent ?? null;
  // The shell behind an agent that has ended would run the text.
  const acceptAgent: Accept = (now) => {
    if (agent !== null && now.state.agent?.id !== agent.id) return "prompt_changed";
    agent = now.state.agent;
    return accept(now);
  };
  const first = await turn.require(acceptAgent);
  const typed = enter ? submittable(text, first.state.agent) : text;
  const begin = isLinePrompt(first) && readsCharacters(first) ? firstCharacters(typed, 1) : typed;
  const isWhole = begin === typed;
  if (isWhole && (!enter || text === "" || (isLinePrompt(first) && !takesKeys(first)))) {
    await turn.send([...textSteps(typed), ...(enter ? [ENTER_STEP] : [])], acceptAgent);
    return first;
  }
  if (first.composer?.holds === "draft") throw draftConflict(first, false);
  const sentTo = await turn.send(textSteps(begin), acceptAgent);
  const at = { first, sentTo };
  const rest = textSteps(typed.slice(begin.length));
  if (!isWhole) await sendBehind(turn, rest, { text: begin, ...at, as: "character" });
  if (!enter) return first;
  if (isLinePrompt(first)) await sendBehind(turn, [ENTER_STEP], { text, ...at, as: "text" });
  else await pressEnter(turn, { text, ...at });
  return first;
}

/** The same while a person waits, who is told where an input line that was empty keeps the text. */
export async function typeAttended(...[turn, typed, accept]: Parameters<typeof typeGuarded>) {
  const first = await typeGuarded(turn, typed, accept);
  if (typed.enter && typed.text !== "" && first.composer?.holds === "nothing")
    await pressUntilTaken(turn, typed.text, first);
}

interface TypedText {
  text: string;
  /** The reading that the text was for, and the one that it was sent to. */
  first: PaneReading;
  sentTo: PaneReading;
}

/** Presses Enter, unless a dialog has come up or somebody at the desk has typed into the line. */
async function pressEnter(turn: PaneTurn, { text, first, sentTo }: TypedText): Promise<void> {
  await turn.pause(enterPauseMs(first.state.agent));
  const isAlone = aloneCheck(text, sentTo);
  await turn.send([ENTER_STEP], (now) => {
    if (now.pane.revision !== first.pane.revision) return "prompt_changed";
    if (hasEnded(first, now)) return "wait";
    if (now.prompt && isEcho(now.prompt, text)) return null;
    const isSame = isSamePrompt(first, now.prompt) || isTypedInto(text, first.prompt, now.prompt);
    if (!isSame) return "prompt_changed";
    if (!isFocusKept(first, now)) return "options_changed";
    return isAlone(now) ? null : "wait";
  });
}

/** What a text at a line prompt is, and the fates of its question by which it answered alone. */
const ENDS_BY = { key: ["over", "unclear"], text: ["over"], character: [] } as const;

/**
 * Sends more behind a text at a line prompt of a program that takes keys. If that has taken the
 * text as an answer, more would answer its next question.
 */
export async function sendBehind(
  turn: PaneTurn,
  steps: readonly InputStep[],
  { text, first, sentTo, as }: TypedText & { as: keyof typeof ENDS_BY },
): Promise<void> {
  const isDrawn = drawnCheck(text, sentTo);
  let unclear = 0;
  let blocked = 0;
  let isOver = false;
  const accept: Accept = (now) => {
    const fate = fateOfQuestion(text, first, now);
    const isPatient = fate === "unclear" && ++unclear < DRAWN_WITHIN_LOOKS.change;
    if (isPatient || (fate === "asked" && !isDrawn(now))) return "wait";
    // The kernel draws a character before it is read. Before it reads again, a program asks again.
    // Two readings tell that, or a second where the kernel is not asked, as of a shell.
    blocked += isBlocked(now) ? DRAWN_WITHIN_LOOKS.nothing / 2 : 1;
    if (now.terminal && !isBlocked(now)) blocked = 0;
    const isProven = !readsCharacters(first) || blocked >= DRAWN_WITHIN_LOOKS.nothing;
    if (fate === "asked" && !isProven) return "wait";
    isOver = ENDS_BY[as].some((end) => end === fate);
    return fate === "asked" || isOver ? null : "prompt_changed";
  };
  await turn.require(accept);
  if (isOver) return;
  await turn.send(steps, (now) =>
    fateOfQuestion(text, first, now) === "asked" ? null : "prompt_changed",
  );
}

/** agent_a takes a backslash before Enter for a line break. */
function submittable(text: string, agent: PaneAgent | null): string {
  return agent?.id === "agent_a" && text.endsWith("\\") ? `${text} ` : text;
}

const LOOK_AGAIN_MS = 100;

/**
 * Reads until the input line is empty or covered. A busy program may have taken Enter for a line
 * break, or not at all: it is pressed once more.
 * @param attended what was typed into, if a person waits for the reply: once another program is
 * there, or the pane cannot be read any more, the text counts as taken
 */
export async function pressUntilTaken(
  turn: PaneTurn,
  text: string,
  attended: PaneReading | null = null,
): Promise<void> {
  const isUnseen = (error: unknown): null => {
    if (attended && error instanceof AppError) return null;
    throw error;
  };
  // Readings after each Enter. A program on a busy machine may take seconds: if it reads a second
  // Enter late, it takes it for the dialog that the first one has opened.
  const looks = attended ? [15, 6] : [15, 60];
  for (const [press, count] of looks.entries()) {
    let isStillTyped = false;
    for (let look = 0; look < count; look++) {
      await turn.pause(LOOK_AGAIN_MS);
      const now = await turn.read().catch(isUnseen);
      if (!now?.composer || now.composer.holds === "nothing") return;
      if (attended && now.pane.revision !== attended.pane.revision) return;
      isStillTyped = holdsText(now.composer, text);
    }
    if (press === 0 && isStillTyped)
      await turn.send([ENTER_STEP], ({ composer }) =>
        composer !== null && holdsText(composer, text) ? null : "prompt_changed",
      );
  }
  throw refusal("partial_delivery_unknown", "something still stands in the input line");
}

/** Typed text stands behind its question, and it is not recognised any more. */
const isLinePrompt = ({ prompt }: PaneReading): boolean => prompt !== null && !prompt.recognised;

/**
 * The kernel hands a line over when its Enter comes. A program that takes keys may read both in one
 * piece, and then Enter is a part of the text to it.
 */
export const takesKeys = ({ terminal, prompt }: PaneReading): boolean =>
  terminal?.lines === false && prompt?.parser !== "generic.secret";

/**
 * Whether its program may take each character for an answer: the kernel draws what is typed, which
 * no editor of lines lets it do, or the question has options beside Enter and nothing below it.
 */
export function readsCharacters(now: PaneReading): boolean {
  const { terminal, prompt, screen, pane } = now;
  if (!takesKeys(now) || !isBlocked(now) || pane.alternate) return false;
  const isLast = isLinePrompt(now) && prompt?.questionLine === screen.lines.length - 1;
  return terminal?.echo || (isLast && prompt.options.some(({ key }) => key !== "enter"));
}

export const isBlocked = ({ terminal }: PaneReading): boolean => terminal?.waiting === "reads";

/** The shell behind an agent that has just ended would run what was meant for the agent. */
export function hasEnded({ state: { agent } }: PaneReading, now: PaneReading): boolean {
  return agent !== null && now.state.agent?.id !== agent.id;
}

/** An option that takes text may get the focus with the text; any other would be taken unseen. */
function isFocusKept(first: PaneReading, now: PaneReading): boolean {
  const focused = now.prompt?.options.find((option) => option.selected);
  return !focused || focused.freeform || focused.key === fingerprints(first.prompt).selected;
}

// The options change while a dialog is answered (focus, ticks, typed text); the question stays.
export function isSamePrompt(first: PaneReading, prompt: PaneReading["prompt"]): boolean {
  return fingerprints(first.prompt).prompt_fingerprint === fingerprints(prompt).prompt_fingerprint;
}
