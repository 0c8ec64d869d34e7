import type { Prompt } from "../detect/finding.ts";
import { normalise, type Screen } from "../detect/region.ts";
import { commandRisk, optionRisk } from "../detect/risk.ts";
import { declines, isSuggested } from "../protocol/options.ts";
import type { Truncation, MenuOption, Risk } from "../protocol/pane.ts";

export const MAX_EVIDENCE_LINES = 200;
const MAX_EVIDENCE_LINE_CHARS = 1_000;
const MAX_QUESTION_CHARS = 2_000;
const MAX_LABEL_CHARS = 400;
const MAX_DESCRIPTION_CHARS = 1_000;
const MORE = "…";

export interface PublishedPrompt {
  question: string;
  evidence: string[];
  options: MenuOption[];
  cut: Truncation | null;
  risk: Risk | null;
}

interface CaptureFacts {
  screen: Screen;
  width: number;
  alternate: boolean;
  /** Rows of history and screen that the capture asked for. */
  captureLines: number;
}

/** A prompt with texts cut for the wire. The risk is judged from the whole texts, before they are cut. */
export function boundPrompt(prompt: Prompt, facts: CaptureFacts): PublishedPrompt {
  const { question, evidence, clipped } = prompt;
  let characters = clipped?.characters ?? 0;
  const short = (text: string, most: number) => {
    characters += Math.max(0, text.length - most);
    return whole(text.length <= most ? text : `${text.slice(0, most)}${MORE}`);
  };
  // A question is cut at its beginning: its end says how to answer.
  const over = Math.max(0, question.length - MAX_QUESTION_CHARS);
  characters += over;
  const lines = Math.max(0, evidence.length - MAX_EVIDENCE_LINES);
  const shortLines = evidence.slice(lines).map((line) => short(line, MAX_EVIDENCE_LINE_CHARS));
  const options = prompt.options.map((option): MenuOption => {
    const { key, label, description, selected, freeform, checked } = option;
    const takesText = freeform && option.answerWithText !== null;
    const ownRisk = optionRisk(label, description);
    return {
      key,
      label: short(label, MAX_LABEL_CHARS),
      description: short(description, MAX_DESCRIPTION_CHARS),
      ...{ selected, freeform: takesText, checked },
      ...(ownRisk && { risk: ownRisk }),
      ...(declines(label) && { declines: true }),
      ...(isSuggested(label) && { suggested: true }),
    };
  });
  const isHidden = evidence.some((line) => HIDDEN.test(line)) || goesOnAbove(evidence, facts);
  return {
    question: whole(over === 0 ? question : `${MORE}${question.slice(over)}`),
    evidence: shortLines,
    options,
    cut: lines + characters > 0 || isHidden ? { lines, characters } : null,
    risk: commandRisk([...evidence, question, ...(clipped?.texts ?? [])]),
  };
}

/** Without half a surrogate pair, which some clients take for a broken frame. */
export const whole = (text: string): string => text.toWellFormed();

/** How programs, and our own rules, note that the screen had no room for some lines. */
const HIDDEN =
  /^[\s│]*(?:↑ \d+ more lines?|\[… \d+ lines\](?: .*)?|\.{3} .*\d(?: lines)? hidden\b.*|…(?: more lines in the terminal)?)[\s│]*$| {2}↓$/u;

/** Whether the evidence begins with the first line of a full capture: more may stand above it. */
function goesOnAbove([top]: readonly string[], facts: CaptureFacts): boolean {
  const { screen, width, alternate, captureLines } = facts;
  const first = screen.lines.find(({ text }) => text !== "");
  if (alternate || top === undefined || !first || normalise(first.text) !== top) return false;
  let rows = screen.blankRows ?? 0;
  for (const { text } of screen.lines)
    rows += Math.max(1, Math.ceil(Bun.stringWidth(text) / width));
  return rows >= captureLines;
}
