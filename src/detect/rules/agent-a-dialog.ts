import type { AnswerStep, Prompt, PromptOption } from "../finding.ts";
import type { Menu, MenuRow } from "../menu.ts";
import {
  ENTER,
  evidenceLines,
  invitesText,
  isLink,
  joinLines,
  keyOrMove,
  moveThenEnter,
  moveTo,
  onPage,
  option,
  paragraphAbove,
  prompt,
  questionLines,
  typeKey,
  typeKeyThenEnter,
} from "../prompt.ts";
import {
  findLine,
  firstText,
  fold,
  lineAt,
  ruleAt,
  type Span,
  styleAt,
  type View,
} from "../region.ts";
import { panelTop, type Dialog } from "./agent-a-screen.ts";

/** Time that the input line needs between a pasted text and Enter. */
const TEXT_PAUSE_MS = 120;
/** `←  ☒ A  ☐ B  ✔ Submit  →`: the pages of a questionnaire. */
const TAB_BAR = /^\s*←\s.*\s→$/u;

interface Question extends Span {
  text: string;
}

/** A text behind a refusal would go to whatever comes next: the refusal is the whole answer. */
export function permissionPrompt(view: View, dialog: Dialog): Prompt {
  const { menu } = dialog;
  const isAmending = !dialog.isBoxed && hasAmendedRow(view, dialog);
  const options = menu.rows.map((row) => {
    if (isField(row)) return fieldOption(menu, row);
    if (!isAmending) return option(row, keyOrMove(menu.rows, row, menu));
    if (!row.selected || !invitesText(row.label))
      return option(row, moveThenEnter(menu.rows, row, menu));
    return option(row, enter, [...fill, ...enter], true);
  });
  return dialogPrompt(view, dialog, "agent_a.permission", lastQuestion(view, dialog), options);
}

/** Older versions have a text field in place of the refusal; a digit only moves there. */
function isField(row: MenuRow): boolean {
  return /^type\b/i.test(row.label);
}

/**
 * Tab turns the focused row into a text field ("Yes, and tell Claude what to do next") and takes
 * its own hint away. Digits are text then, as they are in the field of older versions, whose label
 * goes with the first letter.
 */
function hasAmendedRow(view: View, { menu }: Dialog): boolean {
  const footer = fold(view.lines.slice(menu.end, view.end).join(" "));
  return /\besc to (?:cancel|exit)\b/i.test(footer) && !/\btab\b/i.test(footer);
}

/**
 * Digits and letters do nothing, or are not known to: move, look again, take. In a list with a
 * frame a digit takes its row at once, and nothing may follow it.
 */
export function listDialogPrompt(view: View, dialog: Dialog, parser: string): Prompt {
  const { menu, isBoxed } = dialog;
  const planOf = isBoxed && menu.isNumbered ? keyOrMove : moveThenEnter;
  // None of these lists takes words, whatever its labels say.
  const options = menu.rows.map((row) => option(row, planOf(menu.rows, row, menu), null, false));
  // A list that a person opened has a heading and asks nothing.
  const isOpened = menu.isNumbered && parser === "agent_a.picker" && asking(view, dialog) === null;
  const lowest = lastQuestion(view, dialog);
  const question = isOpened && !lowest.text.endsWith(":") ? title(view, dialog) : lowest;
  return dialogPrompt(view, dialog, parser, question, options);
}

export function planPrompt(view: View, dialog: Dialog): Prompt {
  const { menu } = dialog;
  const isText = (row: MenuRow) =>
    invitesText(row.label) || /\bwith this feedback\b/i.test(row.description);
  const options = menu.rows.map((row) => questionOption(menu, row, isText));
  const above = { ...dialog, top: planTop(view, dialog.top) };
  return dialogPrompt(view, above, "agent_a.plan", lastQuestion(view, dialog), options);
}

export function questionPrompt(view: View, dialog: Dialog): Prompt {
  const { menu } = dialog;
  const { rows, hasPreview } = menu;
  const field = textField(menu);
  const isText = (row: MenuRow) => invitesText(row.label) || row === field;
  const question = firstQuestion(view, dialog);
  const below = { ...dialog, top: belowTabs(view, dialog) };
  if (hasPreview) {
    const options = rows.map((row) => {
      const isDigit = row.key.length === 1;
      return option(
        row,
        isDigit ? typeKeyThenEnter(row) : moveThenEnter(rows, row, menu),
        null,
        false,
      );
    });
    return dialogPrompt(view, below, "agent_a.question.preview", question, options);
  }
  const isMulti = rows.some((row) => row.checked !== null);
  const options = rows.map((row) => questionOption(menu, row, isText));
  const parser = isMulti ? "agent_a.question.multi" : "agent_a.question";
  return dialogPrompt(view, below, parser, question, options);
}

/** A tick on the page changes the mark of its tab; the bar must not make another prompt of it. */
function belowTabs(view: View, dialog: Dialog): number {
  const bar = tabBar(view, dialog);
  return bar === null ? dialog.top : bar + 1;
}

function tabBar(view: View, { top, menu }: Dialog): number | null {
  const head = { start: top, end: Math.min(top + 3, menu.start) };
  return findLine(view, head, TAB_BAR);
}

/** The last option above the rule that sets "Chat about this" apart, whatever was typed into it. */
function textField({ rows, divider }: Menu): MenuRow | null {
  if (divider === null) return null;
  const below = rows.find((row) => row.line > divider);
  const above = rows.filter((row) => row.line < divider).at(-1);
  // Where numbers are missing, the field is scrolled out of sight.
  return below && above && Number(above.key) + 1 === Number(below.key) ? above : null;
}

function questionOption(menu: Menu, row: MenuRow, isText: (row: MenuRow) => boolean): PromptOption {
  // While a text field is focused, digits are text.
  const isTyping = menu.rows.some((r) => r.selected && isText(r));
  if (isText(row)) return fieldOption(menu, row);
  // Enter on a check box toggles it, as its digit does.
  const planOf = isTyping ? moveThenEnter : keyOrMove;
  return option(row, planOf(menu.rows, row, menu), null, false);
}

function fieldOption(menu: Menu, row: MenuRow): PromptOption {
  const taken = row.selected ? enter : typeKey(row);
  if (row.checked !== null) return option(row, taken, tickedTextPlan(menu, row), true);
  const filled = [...fill, ...enter];
  if (!row.selected) return option(row, taken, [...taken, look, ...filled], true);
  // Enter takes what was typed before; an empty field takes nothing.
  return option(row, invitesText(row.label) ? [] : enter, filled, true);
}

/**
 * Among check boxes the digit only ticks the field and the text would be lost: the arrow keys
 * focus it. A text ticks it by itself, and Enter would leave the field, so it ends with the text.
 */
function tickedTextPlan(menu: Menu, row: MenuRow): readonly AnswerStep[] | null {
  const moves = moveTo(menu.rows, row, menu);
  return moves && [...moves, look, ...fill];
}

const look = { do: "verify" } as const;
/** The field may hold an older text. */
const fill = [
  { do: "key", key: "C-u" },
  { do: "text" },
  { do: "pause", ms: TEXT_PAUSE_MS },
] as const;
const enter = [ENTER] as const;

function dialogPrompt(
  view: View,
  { top, menu, hidden }: Dialog,
  parser: string,
  question: Question,
  options: PromptOption[],
): Prompt {
  // Who approves must know that there is more to see.
  const more = hidden === null ? [] : [hidden];
  const above = evidenceLines(view, top, question.start);
  const below = evidenceLines(view, question.end, menu.start);
  return prompt(parser, question, [...more, ...above, ...below], options);
}

/** The lowest paragraph with a question mark outside quoted evidence; else the lowest one. */
function lastQuestion(view: View, dialog: Dialog): Question {
  return asking(view, dialog) ?? paragraphs(view, dialog)[0] ?? title(view, dialog);
}

/** The lowest paragraph with a question mark outside quoted evidence. */
export function asking(view: View, dialog: Dialog): Question | null {
  return paragraphs(view, dialog).find(({ text }) => /[?？]/u.test(text)) ?? null;
}

/** Paragraphs between the evidence and the menu but links, the lowest one first. */
function paragraphs(view: View, dialog: Dialog): Question[] {
  const floor = lastDashedRule(view, dialog) ?? dialog.top;
  const found: Question[] = [];
  for (let before = dialog.menu.start; before > floor;) {
    const paragraph = paragraphAbove(view, before, floor);
    if (!paragraph) break;
    const part = dialog.isBoxed ? questionLines(view, paragraph) : paragraph;
    const text = joinLines(view, part.start, part.end);
    if (!isLink(text)) found.push({ text, ...part });
    before = paragraph.start;
  }
  return found;
}

/** The paragraph below the topic or tab line; answers listed below it (review page) are not it. */
function firstQuestion(view: View, dialog: Dialog): Question {
  const { menu, top } = dialog;
  if (!view.lines.slice(top, menu.start).some(isTopicLine)) return lastQuestion(view, dialog);
  let start = top;
  while (start < menu.start && (lineAt(view, start) === "" || isTopicLine(lineAt(view, start))))
    start++;
  let end = start;
  while (end < menu.start && !/^\s*[●•→⚠]/u.test(lineAt(view, end))) end++;
  while (end > start && lineAt(view, end - 1) === "") end--;
  const text = joinLines(view, start, end);
  if (text === "") return lastQuestion(view, dialog);
  // The tab that is shown is set off by its background alone.
  const bar = tabBar(view, dialog);
  const tabs = [...lineAt(view, bar ?? view.end).matchAll(/[☐☒☑]/gu)].map((tab) => tab.index);
  const isShown = (column: number) =>
    styleAt(view.screen.lines[bar ?? view.end], column).bg !== undefined;
  return { text: onPage(text, tabs, isShown), start, end };
}

export function isTopicLine(line: string): boolean {
  return /^\s*(?:←\s+)?[☐☒☑✔✓]\s+\S/u.test(line) || TAB_BAR.test(line);
}

/** The first line of the dialog; empty where the screen begins with its options. */
function title(view: View, { top, menu }: Dialog): Question {
  const start = firstText(view, top, menu.start);
  const end = Math.min(start + 1, menu.start);
  return { text: joinLines(view, start, end), start, end };
}

function lastDashedRule(view: View, dialog: Dialog): number | null {
  for (let i = dialog.menu.start - 1; i >= dialog.top; i--)
    if (ruleAt(view, i) === "dashed") return i + 1;
  return null;
}

/**
 * The plan itself stands above the dialog's own rule, between dashed rules and below a heading. One
 * that is too long has `↓` in place of the lower one; on a low screen of a panel nothing has.
 */
function planTop(view: View, top: number): number {
  let i = top - 2;
  while (i > view.start && lineAt(view, i) === "") i--;
  const isEnd = /\s↓$/u.test(lineAt(view, i)) || ruleAt(view, i) === "dashed";
  const panel = panelTop(view);
  if (!isEnd && panel === undefined) return top;
  for (i = isEnd ? i - 1 : i; i > view.start; i--) {
    const kind = ruleAt(view, i);
    if (kind === "dashed") return lineAt(view, i - 1) === "" ? i : i - 1;
    if (kind === "solid") return isEnd ? i + 1 : top;
  }
  return isEnd ? view.start : top;
}
