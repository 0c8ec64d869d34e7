import {
  findLast,
  findLineUp,
  firstText,
  lastLines,
  lineAt,
  ruleAt,
  type Span,
  styleAt,
  type View,
} from "../region.ts";
import { hasRoom, indentOf } from "../text.ts";
import { composerOf } from "../composer.ts";
import { cursorRow, CURSORS, markedLines, type Menu, type MenuRow } from "../menu.ts";
import {
  blockAround,
  blockPrompt,
  endsScreen,
  isLast,
  liveEnd,
  readInputLine,
  readLastBox,
  readLiveMenu,
} from "../live-menu.ts";
import { menuPrompt, unreadPrompt } from "../generic-prompt.ts";
import { drawsInline, isPrinted, readerOf } from "../last-line.ts";
import { isAsker, isCommandLine } from "../programs.ts";
import type { Prompt } from "../finding.ts";
import { rule, type Context, type Match, type Rule } from "../rule.ts";
import { readUnnumberedMenu } from "../unnumbered-menu.ts";

const ARROW_HINT = /[↑↓⇅⇆]|←\/→|\barrow[ -]keys?\b|\bj\/k\b|\bctrl-n\b/i;
const ENTER_HINT =
  /(?:\b(?:enter|return|space|tab)\b|[⏎↵]).{0,12}\b(?:select|confirm|submit|choose|accept|toggle|continue|pick|save)|[([]use arrow keys\b|<space> to (?:select|toggle)/i;
const ESCAPE_HINT =
  /\besc(?:ape)?\b.{0,10}\b(?:cancel|close|exit|back|reject|deny|dismiss|quit|later|skip)\b/i;
/** Lines from the end in which hints end a dialog, and in which they may begin one. */
const HINT_LINES = 3;
const BLOCK_LINES = 20;

/** `[y] Approve   [n] Deny`: keys with what they do, one of them to agree and one to refuse. */
const KEY_CHOICE =
  /^(?=[^\])>]*[\])>])\W*(?:[[(<](?:\w|esc|enter|tab)[\])>]\s?\w[\w' ]{0,30}[\s·|,/]*){2,6}$/i;
const BUTTONS =
  /^\W*<\s{0,8}(?:ok|yes|no|cancel|continue|finish|back|go back)\s{0,8}>(?:\s+<[^<>]{1,20}>){0,3}\W*$/i;
/** `● Yes / ○ No`, one of them chosen. */
const SWITCH = /^[\s│┃]{0,24}[●◉○◯]\s\S[^/]{0,30}(?:\s\/\s[●◉○◯]\s\S[^/]{0,30}){1,3}$/u;
const AGREES = /\b(?:yes|approve|allow|accept|confirm|proceed|continue|run|trust|ok)\b/i;
const REFUSES = /\b(?:no|deny|reject|refuse|cancel|abort|decline|skip|exit|quit)\b/i;

/** Dialogs of unknown programs, by their shape; only a status bar may stand below them. */
export const dialogRules: readonly Rule[] = [
  rule("generic.menu", "needs_input", (view, context) => {
    const live = readLiveMenu(view);
    if (!live || !isLive(context, live.menu.end - 1)) return null;
    return { line: live.menu.start, prompt: menuPrompt(live, "generic.menu", context.agent) };
  }),
  rule("generic.selector", "needs_input", findSelector),
  rule("generic.keys", "needs_input", (_, context) => {
    const isChoice = (text: string) =>
      KEY_CHOICE.test(text) && AGREES.test(text) && REFUSES.test(text);
    const line = findBelowInput(context, 8, isChoice);
    return line === null ? null : blockMatch(context, line, "generic.keys");
  }),
  rule("generic.rows", "needs_input", findRows),
  rule("generic.search", "needs_input", findSearch),
  rule("generic.asker", "needs_input", (view, { input, place }) => {
    if (!isAsker(input) || view.end === view.start) return null;
    const asked = unreadPrompt(view, view.end - 1, "generic.asker");
    // fzf asks on the row of the cursor, beside its counter; any other row with words may be an item.
    const line = place().cursor?.line ?? -1;
    const isAsked = [line - 1, line + 1].some((i) => /^\s*\d+\/\d+\b/.test(lineAt(view, i)));
    return isAsked ? { ...asked, question: lineAt(view, line) } : asked;
  }),
  rule("generic.buttons", "needs_input", (view, context) => {
    const isAsked = (i: number) => /[?？]$/u.test(lineAt(view, i - 1));
    const isRow = (text: string, i: number) =>
      BUTTONS.test(text) || (SWITCH.test(text) && text.split(/[●◉]/u).length === 2 && isAsked(i));
    const line = findBelowInput(context, 8, isRow);
    if (line === null || !isLive(context, line)) return null;
    return unreadPrompt(view, line, "generic.buttons");
  }),
];

/**
 * The first line that may be of a dialog. Lines above the agent's own input line are quoted or history,
 * and a draft in it may read like any dialog.
 */
function belowInput({ view, agent }: Context): number {
  const input = composerOf(agent, view);
  return input === null ? view.start : input.line + (input.holds === "draft" ? 1 : 0);
}

/** As `findLast`, but not above the agent's own input line. */
function findBelowInput(
  context: Context,
  count: number,
  test: (line: string, index: number) => boolean,
): number | null {
  const least = belowInput(context);
  return findLast(context.view, count, (line, i) => i >= least && test(line, i));
}

/** Whether the line is on the visible screen, and the program has not gone on below it. */
function isLive(context: Context, line: number): boolean {
  const { view } = context;
  const isOver = findLineUp(view, view.end - 1, line + 1, isCommandLine) !== null;
  return line >= context.place().top && !isOver && !isPrinted(context);
}

function blockMatch(context: Context, line: number, parser: string): Match | null {
  const { view } = context;
  const block = blockAround(view, line);
  if (!endsScreen(view, block) || !isLive(context, line)) return null;
  return { line, prompt: blockPrompt(view, block, parser) };
}

function findSelector(view: View, context: Context): Match | Prompt | null {
  // Above an input line nothing asks.
  const top = readInputLine(view)?.end ?? view.start;
  const isBelow = (_: string, i: number) => i >= top && isHint(view, i);
  const hint = findBelowInput(context, BLOCK_LINES, isBelow);
  if (hint !== null && isLive(context, hint)) {
    const block = blockAround(view, hint);
    const isEnd = lastLines(view, HINT_LINES).includes(hintEnd(view, hint) - 1);
    const isAlone = block.end - block.start === 1;
    if (isEnd && isAlone) return unreadPrompt(view, hint, "generic.selector");
    if (isEnd || (endsScreen(view, block) && hasCursorRow(view, block)))
      return { line: hint, prompt: blockPrompt(view, block, "generic.selector") };
  }
  const header = barredHeader(view);
  if (header !== null && isLive(context, header))
    return unreadPrompt(view, header, "generic.selector", header);
  const { from, to } = liveEnd(view);
  const below = { from: Math.max(from, belowInput(context)), to, cursors: CURSORS.selector };
  const menu = readUnnumberedMenu(view, below);
  if (!menu || !isLast(view, menu.end) || !isLive(context, menu.start)) return null;
  const above = lineAt(view, menu.start - 1);
  if (!/^\s*[?◆◇]\s+\S/u.test(above) && !(ARROW_HINT.test(above) || ENTER_HINT.test(above)))
    return null;
  const line = menu.start - 1;
  return unreadPrompt(view, line, "generic.selector", line);
}

const KEY = /[↑↓⇅⇆⏎↵]|\b(?:enter|return|space|tab|esc|arrow|j\/k|ctrl-n)/i;

/** Behind the last of the lines to which a narrow screen wraps the hints that begin in this one. */
function hintEnd(view: View, start: number): number {
  let end = start + 1;
  while (end < view.end && !hasRoom(lineAt(view, end - 1), lineAt(view, end), view.width)) end++;
  return end;
}

function isHint(view: View, i: number): boolean {
  if (!KEY.test(lineAt(view, i)) || isCommandLine(lineAt(view, i))) return false;
  const line = view.lines.slice(i, hintEnd(view, i)).join(" ");
  const takes = ENTER_HINT.test(line);
  const moves = ARROW_HINT.test(line);
  if (takes && (moves || isBelowRows(view, i))) return true;
  if (!ESCAPE_HINT.test(line) || !endsScreen(view, { start: i, end: i + 1 })) return false;
  // Hints of an input line stand right below it, or below its status.
  if (takes) return lineAt(view, i - 1) === "";
  const block = blockAround(view, i);
  const isAsked = view.lines.slice(block.start, i).some((text) => /[?？]$/u.test(text));
  return moves && isAsked && hasCursorRow(view, block);
}

/**
 * The hint ends check boxes, or rows with a cursor, which stand right below a text, unlike an input
 * line.
 */
function isBelowRows(view: View, hint: number): boolean {
  const boxes = lastLines(view, 2, hint).filter((i) => /^\s*\[[^?]?\] \S/.test(lineAt(view, i)));
  if (boxes.length === 2) return isLast(view, hint);
  const menu = readUnnumberedMenu(view, {
    from: liveEnd(view).from,
    to: hint,
    cursors: CURSORS.selector,
  });
  if (!menu || !/[\p{L}]/u.test(lineAt(view, menu.start - 1))) return false;
  return view.lines.slice(menu.end, hint).every((line) => line === "") && isLast(view, hint);
}

function hasCursorRow(view: View, { start, end }: Span): boolean {
  const rows = markedLines(view, { from: start, to: end });
  return rows.some((i) => cursorRow(lineAt(view, i)) !== null);
}

/** `◆  Question` with marked rows along a bar below it, down to the end of the screen. */
function barredHeader(view: View): number | null {
  for (let i = view.end - 1; i >= liveEnd(view).from; i--) {
    const line = lineAt(view, i);
    if (/^\s*◆\s+\S/u.test(line)) return i < view.end - 2 ? i : null;
    if (!/^\s*(?:│|└|├|╰)/u.test(line) && line !== "") return null;
  }
  return null;
}

const SEARCH_LINE = /^\s*[>❯›/](?:\s|$)/u;

function findSearch(view: View, context: Context): Match | null {
  const last = findLast(view, 6, (_, i) => ruleAt(view, i) === "solid");
  if (last === null || readInputLine(view)) return null;
  const block = blockAround(view, last - 1);
  if (block.start === view.start || block.end !== last) return null;
  const lines = view.lines.slice(block.start, block.end);
  const isChosen = (line: string) => cursorRow(line, CURSORS.searched) !== null;
  const words = lines.findIndex((line) => SEARCH_LINE.test(line) && !isChosen(line));
  if (words < 0 || !lines.some((line, i) => i > words && isChosen(line))) return null;
  return blockMatch(context, block.start + words, "generic.search");
}

/** Other labels stand above tasks and tables, of which a mark shows one. */
const CHOOSE = /[?？]$|\b(?:which|choose|select|pick)\b.*:$/iu;

function findRows(view: View, context: Context): Match | null {
  const boxed = boxedRow(view);
  if (boxed !== null) return blockMatch(context, boxed, "generic.rows");
  if (readInputLine(view)) return null;
  const isKeyRead = readerOf(context.input) === "key";
  const menu =
    readUnnumberedMenu(view, { ...liveEnd(view), cursors: CURSORS.unnumbered }) ??
    (isKeyRead ? starredMenu(context) : null);
  const focused = menu?.rows.find((row) => row.selected);
  // A bar ends an empty input line, with another conversation to its right.
  const isOther = ({ label }: MenuRow) => /^[/@│]|.{60}/u.test(label);
  if (!menu || !focused || menu.rows.some(isOther)) return null;
  const block = blockAround(view, focused.line);
  const hasText = view.lines.slice(block.start, menu.start).some((line) => /[\p{L}]/u.test(line));
  if (!(hasText || isKeyRead) || !endsScreen(view, { ...block, end: menu.end })) return null;
  const isForm = view.screen.lines[focused.line]?.text.startsWith("┃") === true;
  const isAsked = drawsInline(context) && (isForm || CHOOSE.test(lineAt(view, menu.start - 1)));
  const isList = isKeyRead || isAsked || isInked(view, menu, focused.line);
  return isList ? blockMatch(context, focused.line, "generic.rows") : null;
}

/** Rows of which a star marks one. A star also begins items of texts: the cursor must be there. */
function starredMenu({ view, place }: Context): Menu | null {
  const menu = readUnnumberedMenu(view, { ...liveEnd(view), cursors: "*" });
  const at = place().cursor?.line ?? -1;
  return menu && at >= menu.start && at <= menu.end ? menu : null;
}

/** In the last box a row with a cursor below a text, and two more rows at its indent. */
function boxedRow(view: View): number | null {
  const box = readLastBox(view);
  if (!box) return null;
  const { start, end } = blockAround(view, box.bottom - 1);
  const first = firstText(view, start, end);
  for (let i = first + 1; i < end; i++) {
    const row = cursorRow(lineAt(view, i), CURSORS.agent);
    if (!row) continue;
    const more = view.lines.slice(i + 1, end).filter((line) => indentOf(line) === row.column);
    return more.length > 1 ? i : null;
  }
  return null;
}

/** The row with the cursor differs in colour or weight from the other rows. */
function isInked(view: View, menu: Menu, line: number): boolean {
  const inkAt = (at: number) => {
    const text = lineAt(view, at);
    const label = text.search(/[\p{L}\p{N}]/u);
    const { fg, bold, inverse, bg } = styleAt(
      view.screen.lines[at],
      Math.max(label, indentOf(text)),
    );
    return [fg, bold, inverse, bg].join();
  };
  return menu.rows.every((row) => row.line === line || inkAt(row.line) !== inkAt(line));
}
