import { promptOptions, ENTER, noField, type OptionKey } from "./answers.ts";
import type { Prompt, PromptOption } from "./finding.ts";
import type { PaneAgent } from "../protocol/pane.ts";
import type { LiveMenu } from "./live-menu.ts";
import { plainRow } from "./menu.ts";
import { readPlainList } from "./numbered-menu.ts";
import {
  dialogPrompt,
  evidenceAround,
  evidenceLines,
  joinLines,
  paragraphAbove,
  prompt,
  questionLines,
  withoutMotion,
} from "./prompt.ts";
import {
  findLine,
  firstText,
  lineAt,
  ruleAt,
  type Span,
  type View,
  wholeLineAt,
} from "./region.ts";
import { columnsOf, fold, hasRoom, isEdge, withoutFrame } from "./text.ts";
import { isCommandLine } from "./programs.ts";

/** A question that nothing sets off stands near its dialog. */
const MAX_QUESTION_LINES = 16;

/** A prompt on one line; its evidence is the text above it, up to the command line. */
export function linePrompt(
  view: View,
  line: number,
  parser: string,
  options: readonly PromptOption[],
): Prompt {
  const start = brokenStart(view, line);
  const asked = start < line ? joinBroken(view, start, line + 1) : wholeLineAt(view, line);
  // A cursor that its program draws.
  const text = withoutFrame(asked).replace(/ █$/u, "");
  const evidence = evidenceLines(view, contextTop(view, line), start).map(withoutMotion);
  return { ...prompt(parser, { text, start: line }, evidence, options), recognised: false };
}

const MAX_BROKEN_LINES = 12;

/** Where the `? question` begins of which this is the last line; the line itself where it is none. */
function brokenStart(view: View, line: number): number {
  for (let i = line; i > Math.max(view.start, line - MAX_BROKEN_LINES); i--) {
    if (/^\s*\?\s+\S/.test(lineAt(view, i))) return i;
    if (hasRoom(lineAt(view, i - 1), lineAt(view, i), view.width)) break;
  }
  return line;
}

/** The text of a question that its library has broken, between words or anywhere. */
export function joinBroken(view: View, start: number, end: number): string {
  const rows = view.lines.slice(start, end);
  const isFull = rows.slice(0, -1).every((row) => columnsOf(row) >= view.width - 1);
  // A row that is not quite full ended with a blank.
  const pad = (row: string) => row + " ".repeat(Math.max(0, view.width - columnsOf(row)));
  return isFull ? fold(rows.map(pad).join("")) : joinLines(view, start, end);
}

/**
 * A menu below its question, answered by the contract's rule: the literal, then Enter. In an agent a
 * digit may answer at once, and Enter would answer the next prompt: there arrow keys move the focus.
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

export function keyedPrompt(live: LiveMenu, parser: string, key: OptionKey): Prompt {
  const content = {
    view: live.view,
    menu: { rows: live.menu.rows },
    ...questionWithEvidence(live),
  };
  return dialogPrompt(parser, content, { key });
}

export function questionWithEvidence({ view, menu, top, isCut }: LiveMenu): {
  question: Span | null;
  evidence: string[];
} {
  const paragraph = paragraphAbove(view, menu.start, top ?? contextTop(view, menu.start));
  if (!paragraph) return { question: null, evidence: [] };
  const isStill = (line: string) => withoutMotion(line) === line;
  const start = findLine(view, paragraph, isStill) ?? paragraph.start;
  const question = top === null ? { ...paragraph, start } : questionLines(view, paragraph);
  const first = top ?? contextTop(view, question.start);
  const evidence = evidenceAround(view, question, first, paragraph.end).map(withoutMotion);
  return { question, evidence: isCut ? ["…", ...evidence] : evidence };
}

/**
 * A dialog whose options cannot be read for sure: the person answers it in the terminal. All of its
 * text is evidence, so that a guarded answer notices when it changes.
 */
export function unreadPrompt(view: View, line: number, parser: string, top?: number): Prompt {
  const start = top ?? contextTop(view, line);
  const near = Math.max(start, line - MAX_QUESTION_LINES);
  const title = top === undefined ? questionNear(view, near) : firstWords(view, start);
  const end = (title ?? line) + 1;
  const isAsked = /[?？]$/u.test(lineAt(view, end - 1));
  const asked = isAsked ? questionLines(view, { start: near, end }) : { start: end - 1, end };
  const text = withoutFrame(joinLines(view, asked.start, asked.end));
  const evidence = evidenceLines(view, start, view.end).map(withoutMotion);
  return prompt(parser, { text, start: line }, evidence);
}

/**
 * The list above an input line ("Your choice:"), which is part of the question. Where the program
 * reads keys, the key alone answers.
 * @param isNamed the line asks for one of a list, which may have words below it
 */
export function listPrompt(
  view: View,
  line: number,
  parser: string,
  { isKeyRead = false, isNamed = false } = {},
): Prompt | null {
  const menu = readPlainList(view, line, contextTop(view, line));
  if (!menu?.isWhole || (line === view.end && menu.end !== line)) return null;
  const inputText = fold(lineAt(view, line));
  const below = fold(lineAt(view, firstText(view, menu.end, line)));
  // An earlier question has taken the list, unless it is asked again.
  const isTaken = isNamed ? /[:?>#] \S/.test(below) : below !== "";
  if (isTaken && !below.startsWith(inputText)) return null;
  const above = menuPrompt({ view, menu, top: null }, parser, null, isKeyRead ? "takes" : "typed");
  const questionLine = inputText === "" ? above.questionLine : line;
  return { ...above, question: fold(`${above.question} ${inputText}`), questionLine };
}

/**
 * `y` Yes and `n` No; Enter takes the one in capitals. Where the program reads keys, Enter behind the
 * letter would answer the next prompt.
 */
export function yesNoOptions(choice: string, isKeyRead = false): PromptOption[] {
  const isLong = /\byes\b/i.test(choice) && !isKeyRead;
  const isYes = /\bY\b|\bYES\b|^\W*y\W*$/.test(choice);
  const isNo = /\bN\b|\bNO\b/.test(choice);
  const rows = [
    plainRow(isLong ? "yes" : "y", "Yes", 0, isYes && !isNo),
    plainRow(isLong ? "no" : "n", "No", 0, isNo && !isYes),
  ];
  return promptOptions({ rows }, { key: isKeyRead ? "takes" : "typed", isField: noField });
}

export function enterOptions(): PromptOption[] {
  const rows = [plainRow("enter", "Continue", 0, true)];
  const options = promptOptions({ rows }, { key: "typed", isField: noField });
  return options.map((option) => ({ ...option, answer: [ENTER] }));
}

function questionNear(view: View, start: number): number | null {
  const isAsked = (text: string) => /\?$|^\?\s/.test(withoutFrame(text));
  return findLine(view, { start, end: view.end }, isAsked) ?? firstWords(view, start);
}

function firstWords(view: View, start: number): number | null {
  const isWords = (text: string) => /[\p{L}\p{N}]/u.test(text) && !isEdge(text);
  return findLine(view, { start, end: view.end }, isWords);
}

/** The lower edge of a box, whose content belongs to the prompt below it. */
const BOX_END = /^\s*[╰└╚┗]/u;

/** Context ends above at a command line, and at a rule or the top of a box with text below it. */
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
