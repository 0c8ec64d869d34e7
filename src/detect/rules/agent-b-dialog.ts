import {
  type DialogKeys,
  VERIFY,
  moveTo,
  noField,
  openAt,
  type Plan,
  type MenuRows,
  TEXT_ENTER,
  textAsMessage,
} from "../answers.ts";
import type { Prompt } from "../finding.ts";
import { readBoxedMenu, readLastBox } from "../live-menu.ts";
import { CURSORS, type Menu, type MenuRow } from "../menu.ts";
import { readNumberedMenu } from "../numbered-menu.ts";
import { dialogPrompt, evidenceLines, joinLines, paragraphAbove, textsAbove } from "../prompt.ts";
import {
  findLast,
  findLine,
  findLineUp,
  lineAt,
  paragraphEnd,
  perView,
  type View,
  type Span,
} from "../region.ts";
import { columnsOf, fold, indentOf } from "../text.ts";
import type { Match } from "../rule.ts";
import { isCommandLine } from "../programs.ts";
import { agentBInputLine, barComposerLine } from "./agent-b-composer.ts";
import { cutView, readModal } from "./agent-b-modal.ts";

/** Lines that may stand below the options or the input line: footers, also wrapped ones. */
const MAX_FOOTER_LINES = 6;
export const SELECTOR_FOOTER =
  /\b(?:press )?enter\b(?: to)? (?:confirm|submit|select|continue|choose|apply|save|accept|toggle|resume)|\besc\b(?: to)? (?:cancel|go back|back|dismiss|close|clear|exit)/i;
/** The field for notes below the options; digits are text there. */
const NOTES = /^\s+› (?!\d+[.)] )/;
/** Where a block of the transcript begins: message, activity, error; a person's message: `›`. */
export const BLOCK = /^[•◦■⚠✗✘✔⠀-⣿›] /u;
const QUESTION = /^(?:Would you like|Do you (?:want|trust)|Allow|Trust|Implement|Approve|Enable)\b/;
export const PAGE = /^(Question|Field) (\d+)\/(\d+)\b/;
const ABOUT_CHANGES = /\b(?:edits?|changes?|patch|plan)\b.*\?/;

type DialogKind = "approval" | "question" | "trust" | "picker";

interface Dialog {
  view: View;
  kind: DialogKind;
  menu: Menu;
  question: Span;
  page: string | null;
  top: number;
}

export function findAgentBDialog(view: View, matches: (kind: DialogKind) => boolean): Match | null {
  const dialog = readDialog(view);
  if (!dialog || !matches(dialog.kind)) return null;
  return {
    line: dialog.question.start,
    prompt: promptOf(dialog),
    region: { rule: "agent_b.region.dialog", start: dialog.top, end: dialog.view.end },
  };
}

const readDialog = perView((view) => readModalDialog(view) ?? readInlineDialog(view));

/** In place of the input line. */
function readInlineDialog(view: View): Dialog | null {
  const box = readLastBox(view);
  // The versions known here draw no frames: `agent_b.menu` reads a framed list.
  if (box && readBoxedMenu(view, box)) return null;
  // Without hints at the end there is no list to read.
  if (findLast(view, MAX_FOOTER_LINES, /enter|esc/i) === null) return null;
  const menu = readMenu(view);
  const footer = menu && footerBelow(view, menu.end);
  if (!menu || footer === null || !SELECTOR_FOOTER.test(footer)) return null;
  return dialogAround(view, menu, footer);
}

function readModalDialog(view: View): Dialog | null {
  const modal = readModal(view, SELECTOR_FOOTER);
  const menu = modal && readMenu(modal.view);
  return menu && dialogAbout(modal.view, menu, modal.footer, modal.title);
}

function readMenu(view: View): Menu | null {
  return readNumberedMenu(view, { from: view.start, to: view.end, cursors: CURSORS.agent_b });
}

/** Null where more than a footer stands there. */
function footerBelow(view: View, from: number): string | null {
  if (barComposerLine(view) !== null || (agentBInputLine(view) ?? -1) >= from) return null;
  const lines = view.lines.slice(from, view.end).filter((text) => text !== "");
  if (lines.length === 0 || lines.length > MAX_FOOTER_LINES) return null;
  if (lines.some((text) => BLOCK.test(text))) return null;
  return fold(lines.join(" "));
}

function dialogAround(view: View, menu: Menu, footer: string): Dialog | null {
  // The transcript marks its blocks in the first column, where no dialog writes.
  const above = findLineUp(view, menu.start - 1, view.start, endsBlock);
  const floor = above === null ? view.start : above + 1;

  // The topmost one: a command or a reason below it is evidence.
  const first = firstParagraph(view, floor, menu);
  const isPage = (text: string) => PAGE.test(text.trim());
  const pageLine = findLine(view, { start: floor, end: first?.start ?? menu.start }, isPage);
  if (pageLine !== null) {
    const question = paragraphFrom(view, pageLine + 1, menu.start);
    const [, word = "", number = "", count = ""] = PAGE.exec(lineAt(view, pageLine).trim()) ?? [];
    const page = Number(count) > 1 ? `${word} ${number}/${count}` : null;
    return question && { view, kind: "question", menu, question, page, top: pageLine };
  }

  // The paragraph right above the options; a link between them asks nothing.
  const [lowest = null] = textsAbove(view, { top: floor, before: menu.start, isFramed: false });
  const question = first ?? lowest ?? paragraphAbove(view, menu.start, floor);
  if (!question) return null;
  const dialog = dialogAbout(view, menu, footer, question);
  return { ...dialog, top: blockTop(view, question.start, floor) };
}

function dialogAbout(view: View, menu: Menu, footer: string, question: Span): Dialog {
  const dialog = { view, menu, question, page: null, top: question.start };
  if (/\benter continue\b.*\besc back\b/i.test(footer)) return { ...dialog, kind: "trust" };
  const isQuestion = /\?(?:\s|$)/.test(joinLines(view, question.start, question.end));
  const isStart = /\benter to continue\b/i.test(footer);
  return { ...dialog, kind: isQuestion || isStart ? "approval" : "picker" };
}

function firstParagraph(view: View, from: number, menu: Menu): Span | null {
  const deepest = indentOf(lineAt(view, menu.start)) + 2;
  for (let i = from; i < menu.start; i++) {
    const line = lineAt(view, i);
    const isFirst = line !== "" && (i === from || lineAt(view, i - 1) === "");
    if (isFirst && indentOf(line) <= deepest && QUESTION.test(line.trim()))
      return paragraphFrom(view, i, menu.start);
  }
  return null;
}

function paragraphFrom(view: View, start: number, to: number): Span | null {
  const end = paragraphEnd(view, start, to);
  return end > start ? { start, end } : null;
}

/** A dialog is set off from the transcript by two blank lines. */
export function blockTop(view: View, from: number, floor: number): number {
  let top = from;
  while (
    top > floor &&
    (lineAt(view, top - 1) !== "" || (top - 2 >= floor && lineAt(view, top - 2) !== ""))
  )
    top--;
  return top;
}

function promptOf({ view, kind, menu, question, page, top }: Dialog): Prompt {
  const words = joinLines(view, question.start, question.end);
  const text = page === null ? words : `${page}: ${words}`;
  const above =
    kind === "approval" && ABOUT_CHANGES.test(words)
      ? changesAbove(view, question.start)
      : evidenceLines(view, top, kind === "question" ? top : question.start);
  const below = evidenceLines(view, question.end, menu.start);
  const footer = view.lines.slice(menu.end, view.end).join(" ");
  const [, count = 0] = /\boption \d+\/(\d+)\b/.exec(footer) ?? [];
  const hasMore = menu.rows.length < Number(count);
  const isShort = kind === "question" && isShortened(below);
  const isPart = hasMore || isShort || isFolded(above, view.width);
  const evidence = [...above, ...below, ...(isPart ? ["…"] : [])];
  const rows = withCutMark(menu.rows);
  const content = { view, menu: { rows }, question: { ...question, text }, evidence };
  const focused = rows.find(({ selected }) => selected);
  // Keys go into the open field for notes: only the focused option can be answered.
  const hasNotes = view.lines.slice(menu.end, view.end).some((line) => NOTES.test(line));
  const open = hasNotes ? openAt(focused, false) : null;
  return dialogPrompt(`agent_b.${kind}`, content, { ...ANSWERS[kind], open });
}

/** On a low screen the last label may break off: then it lacks the key that ends the others. */
function withCutMark(rows: readonly MenuRow[]): readonly MenuRow[] {
  const endsInKey = ({ label }: MenuRow) => /\((?:\w|esc)\)$/.test(label);
  const last = rows.at(-1);
  const isCut = last && !endsInKey(last) && rows.slice(0, -1).every(endsInKey);
  return isCut ? [...rows.slice(0, -1), { ...last, label: `${last.label} …` }] : rows;
}

/** A block of the transcript, or the command line of a shell above the program. */
function endsBlock(text: string): boolean {
  return BLOCK.test(text) || isCommandLine(text);
}

/**
 * The diff or plan in question is the last block of the transcript; `…` stands for a first row that is
 * out of sight.
 */
function changesAbove(view: View, question: number): string[] {
  const start = findLineUp(view, question - 1, view.start, endsBlock);
  if (start === null || !BLOCK.test(lineAt(view, start)) || lineAt(view, start).startsWith("›"))
    return ["…", ...evidenceLines(view, (start ?? view.start - 1) + 1, question)];
  const lines = evidenceLines(view, start, question);
  // The mark blinks while the turn runs; it must not make another prompt of this one.
  return lines.map((line, i) => (i === 0 ? line.slice(2) : line));
}

/**
 * Three rows of each file are shown: too few for the lines that the heading counts, or the last one is
 * full and may go on.
 */
function isFolded(changes: readonly string[], width: number): boolean {
  const [, added, removed] = /\(\+(\d+)\s+-(\d+)\)/.exec(changes.join(" ")) ?? [];
  if (added === undefined) return false;
  const lines = changes.filter((line) => /^\s+\d+ [+-]/.test(line)).length;
  const isFull = (line: string, i: number) =>
    columnsOf(line) >= width - 1 && /^\s*(?:└ .*|\+ Show details)?$/u.test(changes[i + 1] ?? "x");
  return lines < Number(added) + Number(removed) || changes.some(isFull);
}

const MAX_PARAMETERS = 3;

/** Of a tool's parameters the first three are shown, each with 60 characters. */
function isShortened(parameters: readonly string[]): boolean {
  const named = parameters.filter((line) => /^\s*\S+: /.test(line));
  return named.length >= MAX_PARAMETERS || parameters.some((line) => line.endsWith("..."));
}

const TAB = { do: "key", key: "Tab" } as const;

/** Tab opens the field for notes of the option in focus. */
function textAsNote(row: MenuRow, _: Plan, menu: MenuRows): Plan | null {
  const moves = moveTo(menu, row);
  return moves && [...moves, VERIFY, TAB, { do: "open" }, ...TEXT_ENTER];
}

const ANSWERS: Readonly<Record<DialogKind, DialogKeys>> = {
  approval: { key: "takes", answerWithText: textAsMessage },
  question: { key: "takes", answerWithText: textAsNote },
  // A digit only moves.
  trust: { key: "nothing" },
  picker: { key: "takes", isField: noField },
};

const DIVIDER = "│";
const MIN_COLUMNS = 20;

/**
 * Since 0.171 a side conversation may stand beside the main one. The side with a dialog is the one to
 * read, since the dialog takes the keys wherever the focus was; without one it is the main side, the left.
 */
export function readAgentBSide(view: View): View {
  const column = dividerColumn(view);
  if (column === null) return view;
  const sides = [cutView(view, [0, column]), cutView(view, [column + 1, view.width])] as const;
  return sides.find((each) => findAgentBDialog(each, () => true) !== null) ?? sides[0];
}

/** The column that has a bar in every row of the screen. */
function dividerColumn(view: View): number | null {
  const top = view.end - view.height;
  if (top < view.start || !view.screen.lines[top]?.text.includes(DIVIDER)) return null;
  const [first = new Set<number>(), ...others] = view.screen.lines
    .slice(top, view.end)
    .map(({ text }) => barColumns(text));
  const isApart = (column: number) =>
    column >= MIN_COLUMNS &&
    column < view.width - MIN_COLUMNS &&
    others.every((o) => o.has(column));
  return [...first].find(isApart) ?? null;
}

function barColumns(text: string): Set<number> {
  const at = [...text.matchAll(/│/gu)].map(({ index }) => columnsOf(text.slice(0, index)));
  return new Set(at);
}
