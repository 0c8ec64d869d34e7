import type { Composer } from "../finding.ts";
import { cursorRow, CURSORS, type Menu } from "../menu.ts";
import { type MenuSearch, readNumberedMenu } from "../numbered-menu.ts";
import {
  type Box,
  findLineUp,
  fold,
  indentOf,
  insideOf,
  lastLines,
  lineAt,
  perView,
  readLastBox,
  ruleAt,
  styleAt,
  type View,
} from "../region.ts";
import { isCommandLine, isShellPrompt } from "../programs.ts";
import { readTyped } from "../typed-text.ts";
import { readUnnumberedMenu } from "../unnumbered-menu.ts";

const MAX_DRAFT_LINES = 60;
const MAX_LINES_BELOW_COMPOSER = 40;
const MAX_LINES_BELOW_MENU = 12;
const MESSAGE = /^[●⏺✻]\s|^\s{0,2}⎿/u;

/** The input line in its place: between two rules, with only hints or a completion list below. */
export interface InputLine {
  top: number;
  bottom: number;
  /** A draft, or a placeholder. */
  text: string;
  /** Seen by its style: the cursor stands on its first character, the rest is dim. */
  isPlaceholder: boolean;
}

export const readComposer = perView((view): InputLine | null => {
  const rules = rulesFromBelow(view);
  const [bottom, top] = rules;
  if (bottom === undefined || top === undefined) return null;
  if (view.end - bottom > MAX_LINES_BELOW_COMPOSER || bottom - top > MAX_DRAFT_LINES) return null;
  // Of a draft that is scrolled the first line is out of sight, and its rule says so.
  const isScrolled = /^─+ ↑ \d+ more ─/u.test(lineAt(view, top));
  const prompted = isScrolled ? /^(.*)$/u : /^\s{0,3}[❯>!#&](?:\s+(.*))?$/u;
  const first = prompted.exec(lineAt(view, top + 1));
  if (!first) return null;
  if (hasDialogBelow(view, bottom)) return null;
  const rest = view.lines.slice(top + 2, bottom).map((line) => line.trim());
  const text = [first[1] ?? "", ...rest].join("\n").trim();
  const second = lineAt(view, top + 1).length - (first[1] ?? "").length + 1;
  const isPlaceholder = styleAt(view.screen.lines[top + 1], second).dim === true;
  return { top, bottom, text, isPlaceholder };
});

/** A person's own status line may look like anything, a shell's prompt included. */
function hasDialogBelow(view: View, bottom: number): boolean {
  const isAsking = dialogFooter(view) !== null;
  for (let i = bottom + 1; i < view.end; i++) {
    const cursor = cursorRow(lineAt(view, i), "❯");
    if (cursor && (isAsking || /^\d{1,2}\. /.test(cursor.text))) return true;
  }
  return false;
}

/** The last two solid rules, the lowest first. */
function rulesFromBelow(view: View): number[] {
  const found: number[] = [];
  const least = Math.max(view.start, view.end - MAX_LINES_BELOW_COMPOSER - MAX_DRAFT_LINES);
  for (let i = view.end - 1; i >= least && found.length < 2; i--)
    if (ruleAt(view, i) === "solid") found.push(i);
  return found;
}

export interface Dialog {
  /** The view of its lines: the inside of the frame that versions before 2.0 draw. */
  view: View;
  menu: Menu;
  top: number;
  /** The program's note about lines above that had no room; null where it shows all. */
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
  const isCut = box.top < view.start;
  // A list in the first row is typed into an input line.
  if ((menu.start === box.top + 1 && !isCut) || !isLive(view, menu)) return null;
  return { view, menu, top: box.top + 1, hidden: isCut ? "…" : null, isBoxed: true };
}

function openDialog(view: View): Dialog | null {
  const from = panelTop(view) ?? Math.max(view.start, view.end - Math.max(view.height, 10));
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

/** A cursor at the left edge, before a text without a number, is what a person has sent. */
function isMessage(view: View, menu: Menu): boolean {
  if (menu.isNumbered) return false;
  return menu.rows.some((row) => row.selected && isHistory(lineAt(view, row.line)));
}

/** Below a dialog stand its other rows and a footer, never a message or a shell's prompt. */
function isLive(view: View, menu: Menu): boolean {
  let count = 0;
  for (let i = menu.end; i < view.end; i++) {
    const line = lineAt(view, i);
    if (line === "") continue;
    count++;
    if (MESSAGE.test(line)) return false;
  }
  if (count > 0 && isShellPrompt(lineAt(view, view.end - 1))) return false;
  return count <= MAX_LINES_BELOW_MENU;
}

/** In place of a diff stands `…` until it is read. */
export function isUnread(view: View, { top, menu }: Dialog): boolean {
  const isDashed = (i: number) => ruleAt(view, i) === "dashed";
  for (let i = top + 1; i < menu.start - 1; i++)
    if (lineAt(view, i).trim() === "…" && isDashed(i - 1) && isDashed(i + 1)) return true;
  return false;
}

/** Between dashed rules, of which the lower one is not drawn yet, stands what is approved. */
function isInFrame(view: View, top: number, menu: Menu): boolean {
  const above = view.lines.slice(top, menu.start);
  return above.filter((_, i) => ruleAt(view, top + i) === "dashed").length % 2 === 1;
}

/** Between a dialog's rule and its options stands no message. */
function isQuoted(view: View, top: number, menu: Menu): boolean {
  if (ruleAt(view, top - 1) !== null) return false;
  const command = findLineUp(view, menu.start - 1, top, isCommandLine);
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
    // On the main screen a blank row follows the dialog: its first row is the one below.
    return first < menu.start && isHistory(lineAt(view, first)) ? first + 1 : first;
  }
  const isRule = (_: string, i: number) => ruleAt(view, i) === "solid";
  // A rule above the command that started it is another program's.
  const command = findLineUp(view, menu.start - 1, view.start, isCommandLine);
  const rule = findLineUp(view, menu.start - 1, command ?? view.start, isRule);
  if (rule === null && command !== null) return command + 1;
  if (rule === null) return Math.max(view.start, view.end - Math.max(view.height, 10));
  // Below the banner's box a dialog without a rule follows the command that opened it.
  const opened = findLineUp(view, menu.start - 1, rule + 1, /^❯ \/\w/u);
  return (opened ?? rule) + 1;
}

function isHistory(line: string): boolean {
  return MESSAGE.test(line) || /^❯ /u.test(line) || isCommandLine(line);
}

export function hasCursor(view: View): boolean {
  return cursorCount(view, panelTop(view) ?? view.end - Math.max(view.height, 10)) > 0;
}

export function cursorCount(view: View, top: number): number {
  const lines = view.lines.slice(Math.max(top, view.start), view.end);
  return lines.filter((line) => cursorRow(line, "❯") !== null).length;
}

/** A numbered row with the cursor: on a low screen the other options are scrolled out of sight. */
export function focusedRow(view: View): number | null {
  return findLineUp(view, view.end - 1, view.end - MAX_LINES_BELOW_MENU, /^\s+❯ \d{1,2}\. \S/u);
}

/** Below its own thick rule begins a panel that a person opened; boxes in it have other rules. */
export const panelTop = perView((view): number | undefined => {
  const rule = findLineUp(view, view.end, view.end - Math.max(view.height, 10), /^\s{0,3}▔{12,}/);
  return rule === null ? undefined : rule + 1;
});

/**
 * The last line of a dialog that has more text than the screen has rows: behind the lowest rule
 * stands neither an input line nor anything of the session.
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
 * Where a dialog begins whose options cannot be read: behind its rule, the first one below the
 * session, in which a clock may run.
 */
export function unreadTop(view: View, line: number): number | undefined {
  const from = Math.max(view.start, view.end - view.height);
  const isSession = (text: string) => isHistory(text) && !/^❯ \d{1,2}\. /u.test(text);
  const session = findLineUp(view, line - 1, from, isSession);
  for (let i = (session ?? from - 1) + 1; i < line; i++)
    if (ruleAt(view, i) === "solid") return i + 1;
  return undefined;
}

const CONFIRMS =
  /\b(?:enter|return) to (?:confirm|select|submit|save|continue|approve)\b|\bpress enter\b/i;
const TAKES = new RegExp(
  `${CONFIRMS.source}|\\besc(?:ape)? to (?:cancel|exit|go back|close|reject)\\b`,
  "i",
);
const LEAVES = /\besc to (?:close|go back)\b/i;

export function dialogFooter(view: View): number | null {
  return footerLine(view, TAKES);
}

export function confirmingFooter(view: View): number | null {
  return footerLine(view, CONFIRMS);
}

/** The line that tells how a panel is closed in which there is nothing to take. */
export function closingFooter(view: View): number | null {
  return footerLine(view, LEAVES);
}

/** The line below a search in old prompts: what is found goes into the input line. */
export function searchFooter(view: View): number | null {
  return footerLine(view, /\benter to use\b/i);
}

/** All footers name one of them. */
const FOOTER_KEY = /enter|return|esc/i;

/** Footers wrap: a line is read together with the one below it. */
function footerLine(view: View, pattern: RegExp): number | null {
  return footers(view).find(({ text }) => pattern.test(text))?.line ?? null;
}

const footers = perView((view) => {
  const near = lastLines(view, 4);
  const isNamed = (line: number) => FOOTER_KEY.test(lineAt(view, line));
  return near
    .filter((line) => isNamed(line) || isNamed(line + 1))
    .map((line) => ({ line, text: fold(`${lineAt(view, line)} ${lineAt(view, line + 1)}`) }));
});

/**
 * The activity line: a glyph of the spinner's class, what is done, `…`, and perhaps time and
 * tokens. It is the first line at the left edge above the composer; what it lists is indented.
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

/** Other marks than these stand for a shell command, a note to remember, a task in the background. */
const PROMPTED = /^\s{0,3}[❯>](?:\s|$)/u;

/** Claude Code's input line, between two rules; null where a dialog or the transcript covers it. */
export function readAgentAInput(view: View): Composer | null {
  const composer = readComposer(view);
  if (!composer) return null;
  const line = composer.top + 1;
  const mark = PROMPTED.exec(lineAt(view, line))?.[0];
  // Of a draft that is scrolled the first lines are out of sight, and its rule says so.
  if (mark === undefined || /↑ \d+ more/u.test(lineAt(view, composer.top)))
    return { line, holds: "unclear" };
  return { line, ...readTyped(view, { start: line, end: composer.bottom }, mark.length) };
}
