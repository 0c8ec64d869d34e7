import { answered, ENTER, noField, type OptionKey } from "./answers.ts";
import { EDGE } from "./box.ts";
import type { Prompt, PromptOption } from "./finding.ts";
import type { PaneAgent } from "../protocol/pane.ts";
import type { LiveMenu } from "./live-menu.ts";
import { plainRow } from "./menu.ts";
import { readPlainList } from "./plain-list.ts";
import {
  dialogPrompt,
  evidenceAround,
  evidenceLines,
  paragraphAbove,
  prompt,
  questionLines,
} from "./prompt.ts";
import { findLine, lineAt, ruleAt, type Span, type View } from "./region.ts";
import { fold, withoutFrame } from "./text.ts";
import { isCommandLine } from "./programs.ts";

/** A question that nothing sets off stands near its dialog. */
const MAX_QUESTION_LINES = 16;

/** A prompt that stands on one line: what stands above it, since the command, is its evidence. */
export function linePrompt(
  view: View,
  line: number,
  parser: string,
  options: readonly PromptOption[],
): Prompt {
  const text = withoutFrame(lineAt(view, line));
  const evidence = evidenceLines(view, contextTop(view, line), line);
  return { ...prompt(parser, { text, start: line }, evidence, options), recognised: false };
}

/**
 * A menu below its question, answered by the contract's rule: the literal, then Enter. In an agent
 * a digit may answer at once, and an Enter behind it the next prompt: there the focus is moved.
 */
export function menuPrompt(
  live: LiveMenu,
  parser: string,
  agent: PaneAgent | null,
  key: "takes" | "typed" = "typed",
): Prompt {
  const isMoved = agent !== null && live.menu.rows.some((row) => row.selected);
  return { ...keyedPrompt(live, parser, isMoved ? "nothing" : key), recognised: isMoved };
}

/** A menu below its question, whoever draws it. */
export function keyedPrompt(live: LiveMenu, parser: string, key: OptionKey): Prompt {
  const asked = { view: live.view, menu: { rows: live.menu.rows }, ...askedAbove(live) };
  return dialogPrompt(parser, asked, { key });
}

export function askedAbove({ view, menu, top }: LiveMenu): {
  question: Span | null;
  evidence: string[];
} {
  const paragraph = paragraphAbove(view, menu.start, top ?? contextTop(view, menu.start));
  if (!paragraph) return { question: null, evidence: [] };
  const question = top === null ? paragraph : questionLines(view, paragraph);
  const first = top ?? contextTop(view, question.start);
  return { question, evidence: evidenceAround(view, question, first, paragraph.end) };
}

/**
 * A dialog whose options nobody can read for sure: it waits, and the person gets the terminal.
 * What it shows is its evidence, so that a guarded answer notices when it changes.
 */
export function unreadPrompt(view: View, line: number, parser: string, top?: number): Prompt {
  const start = top ?? contextTop(view, line);
  const near = Math.max(start, line - MAX_QUESTION_LINES);
  const titled = top === undefined ? questionNear(view, near) : firstWords(view, start);
  const text = withoutFrame(lineAt(view, titled ?? line));
  return prompt(parser, { text, start: line }, evidenceLines(view, start, view.end));
}

/**
 * The list right above an input line ("Your choice:"), with the line as part of its question. Where
 * a key is read, the key alone answers.
 */
export function listPrompt(
  view: View,
  line: number,
  parser: string,
  isKeyRead = false,
): Prompt | null {
  const menu = readPlainList(view, line, contextTop(view, line));
  if (!menu?.isWhole || (line === view.end && menu.end !== line)) return null;
  const above = menuPrompt({ view, menu, top: null }, parser, null, isKeyRead ? "takes" : "typed");
  const asked = fold(lineAt(view, line));
  const questionLine = asked === "" ? above.questionLine : line;
  return { ...above, question: fold(`${above.question} ${asked}`), questionLine };
}

/**
 * `y` Yes and `n` No; the capital letter is what Enter would take. Where a key is read, not a line,
 * an Enter behind it would answer the next prompt.
 */
export function yesNoOptions(shown: string, isKeyRead = false): PromptOption[] {
  const isLong = /\byes\b/i.test(shown) && !isKeyRead;
  const isYes = /\bY\b|\bYES\b|^\W*y\W*$/.test(shown);
  const isNo = /\bN\b|\bNO\b/.test(shown);
  const rows = [
    plainRow(isLong ? "yes" : "y", "Yes", 0, isYes && !isNo),
    plainRow(isLong ? "no" : "n", "No", 0, isNo && !isYes),
  ];
  return answered({ rows }, { key: isKeyRead ? "takes" : "typed", isField: noField });
}

export function enterOptions(): PromptOption[] {
  const rows = [plainRow("enter", "Continue", 0, true)];
  const typed = answered({ rows }, { key: "typed", isField: noField });
  return typed.map((option) => ({ ...option, answer: [ENTER] }));
}

function questionNear(view: View, start: number): number | null {
  const isAsked = (text: string) => /\?$|^\?\s/.test(withoutFrame(text));
  return findLine(view, { start, end: view.end }, isAsked) ?? firstWords(view, start);
}

function firstWords(view: View, start: number): number | null {
  const isWords = (text: string) => /[\p{L}\p{N}]/u.test(text) && !EDGE.test(text);
  return findLine(view, { start, end: view.end }, isWords);
}

/** Closes a box: what it holds belongs to what stands below it. */
const BOX_END = /^\s*[╰└╚┗]/u;

/** Not above the last command line; not above a rule with a text below it, or the top of a box. */
export function contextTop(view: View, line: number): number {
  let hasText = false;
  for (let top = line; top > view.start; top--) {
    const above = lineAt(view, top - 1);
    if (isCommandLine(above)) return top;
    if (ruleAt(view, top - 1) !== "solid") hasText ||= above !== "";
    else if (hasText && !BOX_END.test(above)) return top;
  }
  return view.start;
}
