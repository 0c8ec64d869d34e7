import {
  type DialogKeys,
  ENTER,
  type OpenField,
  invitesText,
  VERIFY,
  moveTo,
  noField,
  type Plan,
  type MenuRows,
} from "../answers.ts";
import type { Prompt } from "../finding.ts";
import type { Menu, MenuRow } from "../menu.ts";
import {
  findQuestionAbove,
  dialogPrompt,
  evidenceAround,
  joinLines,
  onPage,
  type QuestionText,
  questionAbove,
  titleOf,
} from "../prompt.ts";
import { findLine, findLineUp, lineAt, ruleAt, styleAt, type View } from "../region.ts";
import { fold } from "../text.ts";
import { isOwnRule, panelTop, type Dialog } from "./agent-a-screen.ts";

/** `←  ☒ A  ☐ B  ✔ Submit  →`: the pages of a questionnaire. */
const TAB_BAR = /^\s*←\s.*\s→$/u;

/** A refusal takes no text: it would go to whatever comes next. */
export function permissionPrompt(view: View, dialog: Dialog): Prompt {
  const { menu } = dialog;
  const isAmending = !dialog.isBoxed && hasTextRow(view, dialog);
  const isTextRow = (row: MenuRow) => row.selected && invitesText(row.label) && !isField(row);
  const textRow = isAmending ? menu.rows.find(isTextRow) : undefined;
  return promptOf(view, dialog, "agent_a.permission", lastQuestion(view, dialog), {
    key: (row) => (isAmending && !isField(row) ? "nothing" : "takes"),
    isField: (row) => isField(row) || invitesText(row.label),
    answerWithText: (row, answer, rows) => (isField(row) ? typeIntoField(row, answer, rows) : null),
    open: textRow
      ? { row: textRow, answer: [ENTER], answerWithText: [...REPLACE_TEXT, ENTER], canBeLeft: true }
      : openField(menu, isField),
  });
}

/** In older versions a field that stands in place of the refusal; a digit only moves there. */
function isField(row: MenuRow): boolean {
  return /^type\b/i.test(row.label);
}

/**
 * Tab turns the focused row into a text field ("Yes, and tell Claude what to do next"), and its hint
 * goes. Digits are text then, as they are in the field of older versions, whose label goes with the
 * first letter.
 */
function hasTextRow(view: View, { menu }: Dialog): boolean {
  const footer = fold(view.lines.slice(menu.end, view.end).join(" "));
  return /\besc to (?:cancel|exit)\b/i.test(footer) && !/\btab\b/i.test(footer);
}

/**
 * Digits and letters are not known to do anything here: arrow keys and Enter answer. In a framed list
 * a digit takes its row at once, and nothing may follow it.
 */
export function listDialogPrompt(view: View, dialog: Dialog, parser: string): Prompt {
  const { menu, isBoxed } = dialog;
  // A list that a person opened has a heading and asks nothing.
  const isOpened =
    menu.isNumbered && parser === "agent_a.picker" && findQuestion(view, dialog) === null;
  const lowest = lastQuestion(view, dialog);
  const question =
    isOpened && !lowest.text.endsWith(":") ? titleOf(view, aboveList(view, dialog)) : lowest;
  const key = isBoxed && menu.isNumbered ? "takes" : "nothing";
  // None of these lists takes a text, whatever its labels say.
  return promptOf(view, dialog, parser, question, { key, isField: noField });
}

export function planPrompt(view: View, dialog: Dialog): Prompt {
  const isText = (row: MenuRow) =>
    invitesText(row.label) || /\bwith this feedback\b/i.test(row.description);
  const above = { ...dialog, top: planTop(view, dialog.top) };
  const answers = fieldAnswers(dialog.menu, isText);
  return promptOf(view, above, "agent_a.plan", lastQuestion(view, dialog), answers);
}

export function questionPrompt(view: View, dialog: Dialog): Prompt {
  const { menu } = dialog;
  const question = firstQuestion(view, dialog);
  const below = { ...dialog, top: belowTabs(view, dialog) };
  const ask = (kind: string, answers: DialogKeys) =>
    promptOf(view, below, `agent_a.question${kind}`, question, answers);
  if (menu.hasPreview) return ask(".preview", { key: "moves", isField: noField });
  const field = textField(menu);
  const isMulti = menu.rows.some((row) => row.checked !== null);
  const isText = (row: MenuRow) => invitesText(row.label) || row === field;
  return ask(isMulti ? ".multi" : "", fieldAnswers(menu, isText));
}

/** A tick changes the mark of its tab: with the tab bar as evidence it would be another prompt. */
function belowTabs(view: View, dialog: Dialog): number {
  const bar = tabBar(view, dialog);
  return bar === null ? dialog.top : bar + 1;
}

function tabBar(view: View, { top, menu }: Dialog): number | null {
  const head = { start: top, end: Math.min(top + 3, menu.start) };
  return findLine(view, head, TAB_BAR);
}

/** The last option above the rule over "Chat about this"; typed text may have replaced its label. */
function textField({ rows, divider }: Menu): MenuRow | null {
  if (divider === null) return null;
  const below = rows.find((row) => row.line > divider);
  const above = rows.filter((row) => row.line < divider).at(-1);
  // Where a number is missing between them, the field is scrolled out of sight.
  return below && above && Number(above.key) + 1 === Number(below.key) ? above : null;
}

/** Enter on a check box toggles it, as its digit does. */
function fieldAnswers(menu: Menu, isText: (row: MenuRow) => boolean): DialogKeys {
  return {
    key: "takes",
    isField: isText,
    answerWithText: typeIntoField,
    open: openField(menu, isText),
  };
}

function openField(menu: Menu, isText: (row: MenuRow) => boolean): OpenField | null {
  const row = menu.rows.find((each) => each.selected && isText(each));
  if (!row) return null;
  if (row.checked !== null)
    return { row, answer: [ENTER], answerWithText: [VERIFY, ...REPLACE_TEXT], canBeLeft: true };
  // Enter takes what was typed before; an empty field takes nothing.
  const answer = invitesText(row.label) ? [] : [ENTER];
  return { row, answer, answerWithText: [...REPLACE_TEXT, ENTER], canBeLeft: true };
}

/**
 * Among check boxes a digit only ticks the field and the text would be lost: arrow keys focus it. The
 * text ticks it by itself, and Enter would leave the field, so the plan ends with the text.
 */
function typeIntoField(row: MenuRow, answer: Plan, menu: MenuRows): Plan | null {
  if (row.checked === null) return [...answer, VERIFY, ...REPLACE_TEXT, ENTER];
  const moves = moveTo(menu, row);
  return moves && [...moves, VERIFY, ...REPLACE_TEXT];
}

/** C-u: the field may hold an older text. */
const REPLACE_TEXT = [{ do: "key", key: "C-u" }, { do: "text" }] as const;

function promptOf(
  view: View,
  { top, menu, hidden }: Dialog,
  parser: string,
  question: QuestionText,
  answers: DialogKeys,
): Prompt {
  const around = evidenceAround(view, question, top, menu.start);
  // A person who approves must know that more is hidden.
  const evidence = hidden === null ? around : [hidden, ...around];
  return dialogPrompt(parser, { view, menu, question, evidence }, answers);
}

function lastQuestion(view: View, dialog: Dialog): QuestionText {
  return questionAbove(view, aboveList(view, dialog));
}

export function findQuestion(view: View, dialog: Dialog): QuestionText | null {
  return findQuestionAbove(view, aboveList(view, dialog));
}

/** Lines above a dashed rule are evidence. */
function aboveList(view: View, { top, menu, isBoxed }: Dialog) {
  const isDashed = (_: string, i: number) => ruleAt(view, i) === "dashed";
  const rule = findLineUp(view, menu.start - 1, top, isDashed);
  return { top, floor: rule === null ? top : rule + 1, before: menu.start, isFramed: isBoxed };
}

/** The paragraph below the topic or tab line, without the list of answers on the review page. */
function firstQuestion(view: View, dialog: Dialog): QuestionText {
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
  // Only its background tells the current tab.
  const bar = tabBar(view, dialog);
  const tabs = [...lineAt(view, bar ?? view.end).matchAll(/[☐☒☑]/gu)].map((tab) => tab.index);
  const isCurrent = (column: number) =>
    styleAt(view.screen.lines[bar ?? view.end], column).bg !== undefined;
  return { text: onPage(text, tabs, isCurrent), start, end };
}

export function isTopicLine(line: string): boolean {
  return /^\s*(?:←\s+)?[☐☒☑✔✓]\s+\S/u.test(line) || TAB_BAR.test(line);
}

/**
 * The plan stands above the dialog's own rule, below a heading and between dashed rules. A plan that
 * is too long has `↓` in place of the lower rule, and on a low screen in a panel neither.
 */
function planTop(view: View, top: number): number {
  let i = top - 2;
  while (i > view.start && lineAt(view, i) === "") i--;
  const isEnd = /\s↓$/u.test(lineAt(view, i)) || ruleAt(view, i) === "dashed";
  const panel = panelTop(view);
  if (!isEnd && panel === undefined) return top;
  for (i = isEnd ? i - 1 : i; i > view.start; i--) {
    if (ruleAt(view, i) === "dashed") return lineAt(view, i - 1) === "" ? i : i - 1;
    if (isOwnRule(view, i)) return isEnd ? i + 1 : top;
  }
  return isEnd ? view.start : top;
}
