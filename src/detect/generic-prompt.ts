import type { AnswerStep, Prompt, PromptOption } from "./finding.ts";
import type { PaneAgent } from "../protocol/pane.ts";
import type { LiveMenu } from "./live-menu.ts";
import type { MenuRow } from "./menu.ts";
import { readPlainList } from "./numbered-menu.ts";
import {
  evidenceLines,
  joinLines,
  moveThenEnter,
  option,
  paragraphAbove,
  prompt,
  questionLines,
  typeKeyAndEnter,
} from "./prompt.ts";
import { fold, lineAt, withoutFrame, type View } from "./region.ts";
import { isCommandLine } from "./shell-prompt.ts";

const MAX_CONTEXT_LINES = 16;
const MAX_QUESTION_CHARS = 500;

/** A prompt that stands on one line: the lines above it, since the command, are its evidence. */
export function linePrompt(
  view: View,
  line: number,
  parser: string,
  options: readonly PromptOption[],
): Prompt {
  const text = withoutFrame(lineAt(view, line)).slice(-MAX_QUESTION_CHARS);
  const evidence = evidenceLines(view, contextTop(view, line), line);
  return { ...prompt(parser, { text, start: line }, evidence, options), recognised: false };
}

/**
 * A menu below its question, answered by the contract's rule: the literal, then Enter. In an agent
 * a digit may answer at once, and an Enter behind it the next prompt: there the focus is moved.
 */
export function menuPrompt(live: LiveMenu, parser: string, agent: PaneAgent | null): Prompt {
  const { view, menu } = live;
  const isFocused = menu.rows.some((row) => row.selected);
  const planOf = (row: MenuRow) =>
    agent && isFocused ? moveThenEnter(menu.rows, row) : typeKeyAndEnter(row);
  const { question, evidence } = askedAbove(live);
  const text = question ? joinLines(view, question.start, question.end) : "";
  const asked = { text, start: question?.start ?? menu.start };
  const options = menu.rows.map((row) => option(row, { answer: planOf(row) }));
  return { ...prompt(parser, asked, evidence, options), recognised: agent !== null && isFocused };
}

/** The question above a menu, and what belongs to it. */
export function askedAbove({ view, menu, top }: LiveMenu): {
  question: { start: number; end: number } | null;
  evidence: string[];
} {
  const first = top ?? contextTop(view, menu.start);
  const paragraph = paragraphAbove(view, menu.start, first);
  if (!paragraph) return { question: null, evidence: [] };
  const question = top === null ? paragraph : questionLines(view, paragraph);
  const above = evidenceLines(view, top ?? contextTop(view, question.start), question.start);
  return { question, evidence: [...above, ...evidenceLines(view, question.end, paragraph.end)] };
}

/**
 * A dialog whose options nobody can read for sure: it waits, and the person gets the terminal.
 * What it shows is its evidence, so that a guarded answer notices when it changes.
 */
export function unreadPrompt(view: View, line: number, parser: string, top?: number): Prompt {
  const start = top ?? contextTop(view, line);
  const titled = top === undefined ? questionNear(view, start) : firstText(view, start);
  const text = withoutFrame(lineAt(view, titled ?? line)).slice(0, MAX_QUESTION_CHARS);
  return prompt(parser, { text, start: line }, evidenceLines(view, start, view.end));
}

/** The list right above an input line ("Your choice:"), with the line as part of its question. */
export function listPrompt(view: View, line: number, parser: string): Prompt | null {
  const menu = readPlainList(view, line, contextTop(view, line));
  if (!menu?.isWhole) return null;
  const above = menuPrompt({ view, menu, top: null }, parser, null);
  const asked = fold(lineAt(view, line));
  return { ...above, question: fold(`${above.question} ${asked}`), questionLine: line };
}

/**
 * `y` Yes and `n` No; the capital letter is what Enter would take. Where a key is read, not a line,
 * an Enter behind it would answer the next prompt.
 */
export function yesNoOptions(shown: string, isKeyRead = false): PromptOption[] {
  const isLong = /\byes\b/i.test(shown) && !isKeyRead;
  const isYes = /\bY\b|\bYES\b|^\W*y\W*$/.test(shown);
  const isNo = /\bN\b|\bNO\b/.test(shown);
  const typed = [
    literal(isLong ? "yes" : "y", "Yes", isYes && !isNo),
    literal(isLong ? "no" : "n", "No", isNo && !isYes),
  ];
  if (!isKeyRead) return typed;
  return typed.map((each) => ({ ...each, answer: each.answer.slice(0, 1) }));
}

export function enterOption(): PromptOption {
  return { ...literal("enter", "Continue", true), answer: [{ do: "key", key: "Enter" }] };
}

function literal(key: string, label: string, selected: boolean): PromptOption {
  const answer: AnswerStep[] = [
    { do: "type", text: key },
    { do: "key", key: "Enter" },
  ];
  return {
    key,
    label,
    description: "",
    selected,
    freeform: false,
    checked: null,
    answer,
    answerWithText: null,
  };
}

function questionNear(view: View, start: number): number | null {
  for (let i = start; i < view.end; i++) if (/\?\s*$|^\s*\?\s/.test(lineAt(view, i))) return i;
  return firstText(view, start);
}

function firstText(view: View, start: number): number | null {
  for (let i = start; i < view.end; i++) if (/[\p{L}\p{N}]/u.test(lineAt(view, i))) return i;
  return null;
}

/** Not above the command line, not above a bounded number of lines. */
function contextTop(view: View, line: number): number {
  const least = Math.max(view.start, line - MAX_CONTEXT_LINES);
  let top = line;
  while (top > least && !isCommandLine(lineAt(view, top - 1))) top--;
  return top;
}
