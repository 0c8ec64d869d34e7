import { type Box, insideOf, isLastBut, liveEnd, readLastBox } from "../live-menu.ts";
import { cursorRow, CURSORS, markedLines, type Menu } from "../menu.ts";
import { type MenuSearch, readNumberedMenu } from "../numbered-menu.ts";
import { findLineUp, lineAt, perView, ruleAt, type View } from "../region.ts";
import { indentOf } from "../text.ts";
import { isCommandLine, isShellPrompt } from "../programs.ts";
import { readUnnumberedMenu } from "../unnumbered-menu.ts";
import { readComposer } from "./agent-a-composer.ts";

const MAX_LINES_BELOW_MENU = 12;
const MESSAGE = /^[●⏺✻]\s|^\s{0,2}⎿/u;

export interface Dialog {
  /** The view of its lines: the inside of the frame that versions before 2.0 draw. */
  view: View;
  menu: Menu;
  top: number;
  /** The program's note about hidden lines; null where it shows all. */
  hidden: string | null;
  isBoxed: boolean;
}

export const readDialog = perView((view): Dialog | null => {
  if (readComposer(view)) return null;
  const box = readLastBox(view);
  const inside = box && insideOf(view, box);
  const menu =
    box && inside && readMenu(inside, { from: box.top + 1, to: box.bottom, runsUnder: true });
  return menu ? boxedDialog(inside, box, menu) : openDialog(view);
});

function boxedDialog(view: View, box: Box, menu: Menu): Dialog | null {
  // A list in the first row is typed into an input line.
  if ((menu.start === box.top + 1 && !box.isCut) || !isLive(view, menu)) return null;
  return { view, menu, top: box.top + 1, hidden: box.isCut ? "…" : null, isBoxed: true };
}

function openDialog(view: View): Dialog | null {
  const from = panelTop(view) ?? liveEnd(view).from;
  const menu = readMenu(view, { from, to: view.end });
  if (!menu || !isLive(view, menu) || isMessage(view, menu)) return null;
  const hidden = hiddenLines(view, menu);
  const top = dialogTop(view, menu, hidden !== null);
  const isPart = isInFrame(view, top, menu) || isQuoted(view, top, menu);
  return hidden === null && isPart ? null : { view, menu, top, hidden, isBoxed: false };
}

function readMenu(view: View, lines: Omit<MenuSearch, "cursors">): Menu | null {
  const search = { ...lines, cursors: CURSORS.agent_a };
  return readNumberedMenu(view, search) ?? readUnnumberedMenu(view, search);
}

/** A cursor at the left edge, before a text without a number, marks a message of the person. */
function isMessage(view: View, menu: Menu): boolean {
  if (menu.isNumbered) return false;
  return menu.rows.some((row) => row.selected && isHistory(lineAt(view, row.line)));
}

/** Neither a message nor a shell's prompt stands below a live dialog. */
function isLive(view: View, menu: Menu): boolean {
  return isLastBut(
    view,
    menu.end,
    MAX_LINES_BELOW_MENU,
    (line, i) => MESSAGE.test(line) || (i === view.end - 1 && isShellPrompt(line)),
  );
}

/** `…` stands in place of a diff until it is loaded. */
export function isLoading(view: View, { top, menu }: Dialog): boolean {
  const isDashed = (i: number) => ruleAt(view, i) === "dashed";
  for (let i = top + 1; i < menu.start - 1; i++)
    if (lineAt(view, i).trim() === "…" && isDashed(i - 1) && isDashed(i + 1)) return true;
  return false;
}

/** The evidence stands between dashed rules, and the lower one is not drawn yet. */
function isInFrame(view: View, top: number, menu: Menu): boolean {
  const above = view.lines.slice(top, menu.start);
  return above.filter((_, i) => ruleAt(view, top + i) === "dashed").length % 2 === 1;
}

/** A message between a dialog's rule and its options means that these are quoted. */
function isQuoted(view: View, top: number, menu: Menu): boolean {
  if (ruleAt(view, top - 1) !== null) return false;
  const command = findLineUp(view, menu.start - 1, top, isTypedCommand);
  return view.lines.slice(command === null ? top : command + 1, menu.start).some(isHistory);
}

/** `↑ 6 more lines` below the options or in a rule above them: the dialog begins further up. */
function hiddenLines(view: View, menu: Menu): string | null {
  for (let i = view.end - 1; i >= Math.max(view.start, view.end - view.height); i--) {
    if (!lineAt(view, i).includes("↑")) continue;
    const [, text, dashes] = /^\s*(↑ \d+ more lines?)( [╌╍┄┅┈┉]+)?$/u.exec(lineAt(view, i)) ?? [];
    if (text !== undefined && (dashes !== undefined || i >= menu.end)) return text;
  }
  return null;
}

function dialogTop(view: View, menu: Menu, isCut: boolean): number {
  if (isCut) {
    const first = Math.max(view.start, view.end - view.height);
    // On the main screen a blank row follows the dialog, and the first row is still a message.
    return first < menu.start && isHistory(lineAt(view, first)) ? first + 1 : first;
  }
  const isRule = (_: string, i: number) => isOwnRule(view, i);
  // A rule above the command that started the program is another program's.
  const command = findLineUp(view, menu.start - 1, view.start, isTypedCommand);
  const rule = findLineUp(view, menu.start - 1, command ?? view.start, isRule);
  if (rule === null && command !== null) return command + 1;
  if (rule === null) return liveEnd(view).from;
  // Below the banner's box a dialog without a rule follows the command that opened it.
  const opened = findLineUp(view, menu.start - 1, rule + 1, /^❯ \/\w/u);
  return (opened ?? rule) + 1;
}

/**
 * The program's own rules begin at the left edge, or below a plan two columns from it. Evidence, which
 * may hold such lines too, begins one column or three from it.
 */
export function isOwnRule(view: View, index: number): boolean {
  return ruleAt(view, index) === "solid" && /^(?: {2})?\S/.test(lineAt(view, index));
}

function isTypedCommand(line: string): boolean {
  return !line.startsWith(" ") && isCommandLine(line);
}

function isHistory(line: string): boolean {
  return MESSAGE.test(line) || /^❯ /u.test(line) || isTypedCommand(line);
}

export function cursorCount(view: View, top: number): number {
  const rows = markedLines(view, { from: top, to: view.end });
  return rows.filter((i) => cursorRow(lineAt(view, i), "❯") !== null).length;
}

/** The only row of a list that a low screen shows. */
export function focusedRow(view: View): number | null {
  return findLineUp(view, view.end - 1, view.end - MAX_LINES_BELOW_MENU, /^\s+❯ \d{1,2}\. \S/u);
}

const THICK_RULE = "▔".repeat(12);

/** A thick rule begins a panel that a person opened; boxes in it have other rules. */
export const panelTop = perView((view): number | undefined => {
  const isThick = (line: string) => line.startsWith(THICK_RULE);
  const rule = findLineUp(view, view.end, liveEnd(view).from, isThick);
  return rule === null ? undefined : rule + 1;
});

/**
 * The last line of a dialog with more text than the screen has rows: below the lowest rule stands
 * neither an input line nor anything of the session.
 */
export function cutDialog(view: View): number | null {
  const from = Math.max(view.start, view.end - view.height);
  const rule = findLineUp(view, view.end - 1, from, /^─{12,}$/u);
  if (rule === null || ruleAt(view, rule) === null) return null;
  const below = view.lines.slice(rule + 1, view.end);
  const isText = below.every((line) => line === "" || /^ {1,3}\S|^ {4}/.test(line));
  return isText && lineAt(view, rule + 1) !== "" && !below.some(isHistory) ? view.end - 1 : null;
}

/**
 * The first line of a dialog whose options cannot be read: below the first rule under the session. Its
 * evidence must hold nothing of the session, in which a clock may run.
 */
export function unreadTop(view: View, line: number): number | undefined {
  const from = Math.max(view.start, view.end - view.height);
  const isSession = (text: string) => isHistory(text) && !/^❯ \d{1,2}\. /u.test(text);
  const session = findLineUp(view, line - 1, from, isSession);
  for (let i = (session ?? from - 1) + 1; i < line; i++)
    if (ruleAt(view, i) === "solid") return i + 1;
  return undefined;
}

/**
 * A glyph of the spinner, words, `…`, and perhaps time and tokens, in the first line at the left edge
 * above the composer.
 */
export function activityLine(view: View, before: number): number | null {
  for (let i = before - 1; i >= Math.max(view.start, before - 40); i--) {
    const line = lineAt(view, i);
    if (line === "" || indentOf(line) > 1) continue;
    return isActivity(line) ? i : null;
  }
  return null;
}

function isActivity(line: string): boolean {
  const glyph = /^\s?([·•✢✣✤✥✦✧✱✲✳✴✵✶✷✸✹✺✻✼✽✾❋*∗+◐◓◑◒\u2800-\u28ff])\s+(\S.*)$/u.exec(line);
  if (!glyph) return false;
  const text = glyph[2] ?? "";
  return /…(?:\s*\(.*)?$|…\s+·\s/u.test(text) || /\bretrying in \d/i.test(text);
}
