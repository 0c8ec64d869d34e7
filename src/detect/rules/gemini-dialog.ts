import { promptOptions, invitesText, openAt, textAsMessage, textIntoField } from "../answers.ts";
import type { Prompt, PromptOption } from "../finding.ts";
import { CURSORS, type Menu, type MenuRow, plainRow } from "../menu.ts";
import { readNumberedMenu } from "../numbered-menu.ts";
import {
  evidenceLines,
  joinLines,
  onPage,
  prompt,
  type QuestionText,
  questionAbove,
} from "../prompt.ts";
import { findLineUp, firstText, lineAt, perView, styleAt, type View } from "../region.ts";
import { ruleLine } from "../text.ts";
import { type Box, readLastBox } from "../live-menu.ts";
import type { Match } from "../rule.ts";

const INPUT_MARK = /^ +[>*!](?: |$)/;
const QUESTIONS_HEADING = /^\s*Answer Questions\s*$/;
const CUSTOM = /^enter a custom value/i;
const SELECTOR_HINT = /\benter to (?:select|submit|continue|confirm)\b|\bto switch questions\b/i;

export function findGeminiDialog(view: View, owner: string, isPicker: boolean): Match | null {
  const dialog = readDialog(view);
  if (!dialog || isPicker !== (dialog.prompt.parser === "picker")) return null;
  const { box, menu, prompt } = dialog;
  return {
    ...{ line: prompt.questionLine, prompt: { ...prompt, parser: `${owner}.${prompt.parser}` } },
    unsettled: hasEmptyBox(view, box.top + 1, menu.start) ? "drawing" : null,
    region: { rule: `${owner}.region.box`, start: box.top, end: box.bottom + 1 },
  };
}

interface Dialog {
  box: Box;
  menu: Menu;
  /** Its parser lacks the prefix of the agent, since several agents draw these boxes. */
  prompt: Prompt;
}

const readDialog = perView((view): Dialog | null => {
  const box = readLastBox(view);
  // Before 0.20 the input line has a box, and a list may be typed into it.
  if (box && INPUT_MARK.test(lineAt(view, box.top + 1))) return null;
  if (!box) return null;
  const lines = { from: box.top + 1, to: box.bottom, cursors: CURSORS.any };
  const menu = readNumberedMenu(view, lines);
  return menu && isActive(view, box, menu) ? dialogIn(view, box, menu) : null;
});

/** Of two lists in a box both have a cursor, but only the heading of the active one has a mark. */
function isActive(view: View, box: Box, menu: Menu): boolean {
  const hints = joinLines(view, menu.end, box.bottom);
  if (!/\bTab to change focus\b/.test(hints)) return true;
  const heading = findLineUp(view, menu.start - 1, box.top + 1, (text) => text !== "");
  return heading !== null && /^\s*> /.test(lineAt(view, heading));
}

/** The box around a command or diff is drawn a moment before its content; on a low screen it stays empty. */
function hasEmptyBox(view: View, from: number, to: number): boolean {
  for (let i = from; i < to - 1; i++)
    if (/^\s*╭─+╮$/u.test(lineAt(view, i)) && /^\s*╰─+╯$/u.test(lineAt(view, i + 1))) return true;
  return false;
}

function dialogIn(view: View, box: Box, menu: Menu): Dialog {
  const question = readQuestion(view, box, menu.start);
  const isQuestion = question.heading !== null || menu.rows.some((row) => CUSTOM.test(row.label));
  // What is asked above the screen is taken for what the model asks, not for a list of the person's.
  const isAsking = /\?$/.test(question.text) || question.text === "";
  const approval = isAsking ? "approval" : "picker";
  const evidence = [
    // The upper part has left the screen, or there was no room for any of it.
    ...(box.isCut || hasEmptyBox(view, box.top + 1, menu.start) ? ["…"] : []),
    ...boxEvidence(view, box.top + 1, question.start),
    ...boxEvidence(view, question.end, menu.start),
  ];
  const parser = isQuestion ? "question" : approval;
  const options = optionsOf(view, { box, menu }, isQuestion);
  return { box, menu, prompt: prompt(parser, question, isQuestion ? [] : evidence, options) };
}

/** A scroll mark, or in place of what a low screen hides: `... last 2 lines hidden (Ctrl+O to show) ...`. */
const BELOW_QUESTION = /^\s*(?:│\s*)?(?:[▲↑].*|\.{3} (?:last )?\d+ (?:lines? )?hidden\b.*)?$/u;

interface Question extends QuestionText {
  /** The line that says that these are the model's own questions. */
  heading: number | null;
}

function readQuestion(view: View, box: Box, before: number): Question {
  const top = Math.max(view.start, box.top + 1);
  let end = before;
  while (end > top && BELOW_QUESTION.test(lineAt(view, end - 1))) end--;
  const heading = findLineUp(view, end - 1, box.top + 1, QUESTIONS_HEADING);
  if (heading === null && end === top) return { text: "", start: end, end, heading };
  if (heading === null) {
    const framed = { ...view, width: box.right };
    const question = questionAbove(framed, { top: box.top + 1, before: end, isFramed: true });
    // The mark of the active list.
    return { ...question, text: question.text.replace(/^> /, ""), heading };
  }
  const bar = firstText(view, heading + 1, end);
  const isBar = TAB_BAR.test(lineAt(view, bar));
  const start = isBar ? firstText(view, bar + 1, end) : bar;
  const text = joinLines(view, start, end);
  return { text: isBar ? onTab(view, bar, text) : text, start, end, heading };
}

/** `← □ Database │ □ Features │ ≡ Review →`: the current one is underlined, the last is no question. */
const TAB_BAR = /^\s*←.*→$/;

function onTab(view: View, bar: number, text: string): string {
  const names = [...lineAt(view, bar).matchAll(/[^\s│←→□☐✓✔☑☒≡][^│→]*/gu)];
  const tabs = names.slice(0, -1).map((name) => name.index);
  return onPage(text, tabs, (at) => styleAt(view.screen.lines[bar], at).underline === true);
}

function boxEvidence(view: View, from: number, to: number): string[] {
  const lines = evidenceLines(view, from, to).filter(
    (line) => ruleLine(line.trim(), line.trim().length) === null,
  );
  return lines.map((line) =>
    line
      .replace(/^\s*│ ?/u, "")
      .replace(/\s*│$/u, "")
      .replace(/^ {2}/, ""),
  );
}

function optionsOf(
  view: View,
  { box, menu }: Omit<Dialog, "prompt">,
  isQuestion: boolean,
): PromptOption[] {
  const hints = view.lines.slice(menu.end, box.bottom).join(" ");
  // The preview beside a list of themes is no description.
  const rows = menu.rows.map((row) =>
    /^[│┌└]/.test(row.description) ? { ...row, description: "" } : row,
  );
  const isLong = rows.some((row) => row.key.length > 1);
  // The hint changes with the focus: on the free text, digits are text.
  const isTyping = isQuestion && /\benter to submit\b/i.test(hints);
  const focused = rows.find(({ selected }) => selected);
  return promptOptions(
    { rows: [...rows, ...doneRow(menu)] },
    {
      key: isLong ? "nothing" : "takes",
      isField: ({ label }) => invitesText(label) || CUSTOM.test(label),
      answerWithText: isQuestion ? textIntoField : textAsMessage,
      open: isTyping ? openAt(focused, true) : null,
    },
  );
}

/** Keys only tick the check boxes; the unnumbered row below them ends the choice. */
function doneRow({ rows, extras }: Menu): MenuRow[] {
  const done = extras.find(({ label }) => label === "Done");
  if (!done || rows.every((row) => row.checked === null)) return [];
  return [plainRow("enter", done.label, done.line, done.selected)];
}

/** A box without options that can be read; the hint of a picker says how to close it. */
export function findOpenBox(view: View, owner: string, isPicker: boolean): Match | null {
  const box = readLastBox(view);
  if (!box) return null;
  // Before 0.20 the input line has a box, and its text may read like a hint.
  const isHint = (text: string) => SELECTOR_HINT.test(text) && !INPUT_MARK.test(text);
  const hint = findLineUp(view, box.bottom - 1, box.top + 1, isHint);
  const heading = findLineUp(view, box.bottom - 1, box.top + 1, QUESTIONS_HEADING);
  const closes = hint !== null && /\bEsc to\s*(?:close\b|$)/.test(lineAt(view, hint));
  if ((hint === null && heading === null) || isPicker !== closes) return null;
  // On a low screen only one option of a list is visible, between its scroll marks.
  const isOpen = (text: string) => /^\s*(?:> .*|▲)$/u.test(text);
  const open = findLineUp(view, box.bottom - 1, box.top + 1, isOpen) ?? hint ?? box.bottom;
  // A heading looks like the input line, but nothing stands above it.
  const isHeading = firstText(view, box.top + 1, open) === open;
  const question = readQuestion(view, box, isHeading ? open + 1 : open);
  const hidden = boxEvidence(view, question.end, open);
  return {
    line: hint ?? heading,
    prompt: prompt(`${owner}.${isPicker ? "picker.panel" : "text"}`, question, hidden),
    region: { rule: `${owner}.region.box`, start: box.top, end: box.bottom + 1 },
  };
}
