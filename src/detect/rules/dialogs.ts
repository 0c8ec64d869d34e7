import { CURSORS, cursorRow } from "../cursor.ts";
import { blockAround, blockPrompt, endsScreen, readInputLine } from "../dialog-block.ts";
import { menuPrompt, unreadPrompt } from "../generic-prompt.ts";
import { isPrinted, readerOf } from "../last-line.ts";
import { isLast, liveEnd, readLiveMenu } from "../live-menu.ts";
import type { Menu } from "../menu.ts";
import { isAsker } from "../programs.ts";
import { findLast, indentOf, lastLines, lineAt, ruleLine, styleAt, type View } from "../region.ts";
import type { Context, Match, Rule } from "../rule.ts";
import { isCommandLine } from "../shell-prompt.ts";
import { readUnnumberedMenu } from "../unnumbered-menu.ts";

const ARROWS = /[↑↓⇅⇆]|\barrow[ -]keys?\b|\bj\/k\b|\bctrl-n\b/i;
const TAKES =
  /(?:\b(?:enter|return|space|tab)\b|[⏎↵]).{0,12}\b(?:select|confirm|submit|choose|accept|toggle|continue|pick|save)|\buse arrow keys\b|<space> to (?:select|toggle)/i;
const LEAVES =
  /\besc(?:ape)?\b.{0,10}\b(?:cancel|close|exit|back|reject|deny|dismiss|quit|later|skip)\b/i;
/** Lines from the end in which hints end a dialog, and in which they may begin one. */
const HINT_LINES = 3;
const BLOCK_LINES = 20;

/** `[y] Approve   [n] Deny`: keys with what they do, one of them to agree and one to refuse. */
const KEY_CHOICE = /^\W*(?:[[(<](?:\w|esc|enter|tab)[\])>]\s?\w[\w' ]{0,30}[\s·|,/]*){2,6}$/i;
const BUTTONS =
  /^\W*<\s?(?:ok|yes|no|cancel|continue|finish|back|go back)\s?>(?:\s+<[^<>]{1,20}>){0,3}\W*$/i;
const AGREES = /\b(?:yes|approve|allow|accept|confirm|proceed|continue|run|trust|ok)\b/i;
const REFUSES = /\b(?:no|deny|reject|refuse|cancel|abort|decline|skip|exit|quit)\b/i;

/** Dialogs of programs that nobody knows, by their shape; they end the screen, a status bar aside. */
export const dialogRules: readonly Rule[] = [
  {
    id: "generic.menu",
    about:
      "Numbered options in one column, exactly one with a cursor, at the end of the screen, in a box or not.",
    why: "Only a program that waits for a choice draws a cursor; the literal and Enter answer it, in an agent the arrow keys.",
    means: "needs_input",
    find: (context) => {
      const live = readLiveMenu(context.view);
      if (!live || !isLive(context, live.menu.end - 1)) return null;
      return { line: live.menu.start, prompt: menuPrompt(live, "generic.menu", context.agent) };
    },
  },
  {
    id: "generic.selector",
    about:
      "Hints for arrow keys and Enter below a dialog, or above rows with a cursor; or such rows below a `? question` line.",
    why: "An unknown dialog waits too; its rows are not numbered, so no option is offered.",
    means: "needs_input",
    find: (context) => findSelector(context),
  },
  {
    id: "generic.keys",
    about:
      "A row of keys in brackets, one that agrees and one that refuses: `[y] Approve  [n] Deny`.",
    why: "Only a dialog offers both; whether Enter has to follow is not known, so none is offered.",
    means: "needs_input",
    find: (context) => {
      const { view } = context;
      const isChoice = (text: string) =>
        AGREES.test(text) && REFUSES.test(text) && KEY_CHOICE.test(text);
      const line = findLast(view, 8, isChoice);
      return line === null ? null : blockMatch(context, line, "generic.keys");
    },
  },
  {
    id: "generic.rows",
    about:
      "Rows in one column below a text, one with a cursor and a colour of its own, or where a key is read; no input line.",
    why: "A list to choose from without numbers and hints looks like this, and a draft does not.",
    means: "needs_input",
    find: (context) => findRows(context),
  },
  {
    id: "generic.search",
    about:
      "A panel between two rules that ends the screen, with a line for words and a row with a cursor.",
    why: "A list that is searched by typing takes the input line's place; no option can be told for sure.",
    means: "needs_input",
    find: (context) => findSearch(context),
  },
  {
    id: "generic.asker",
    about: "The program's name: fzf, gum, whiptail, dialog and the like, also behind a pipe.",
    why: "Such programs run only to ask; how they draw differs from version to version.",
    means: "needs_input",
    find: ({ view, input }) => {
      if (!isAsker(input) || view.end === view.start) return null;
      const line = view.end - 1;
      return { line, prompt: unreadPrompt(view, line, "generic.asker") };
    },
  },
  {
    id: "generic.buttons",
    about: "A row of `<Ok>` `<Cancel>` buttons in a box.",
    why: "Installers draw such dialogs in their own process.",
    means: "needs_input",
    find: (context) => {
      const { view } = context;
      const line = findLast(view, 8, BUTTONS);
      if (line === null || !isLive(context, line)) return null;
      return { line, prompt: unreadPrompt(view, line, "generic.buttons") };
    },
  },
];

/** Whether the line is on the visible screen, and the program has not gone on below it. */
function isLive(context: Context, line: number): boolean {
  return line >= context.place().top && !isPrinted(context);
}

function blockMatch(context: Context, line: number, parser: string): Match | null {
  const { view } = context;
  const block = blockAround(view, line);
  if (!endsScreen(view, block) || !isLive(context, line)) return null;
  return { line, prompt: blockPrompt(view, block, parser) };
}

function findSelector(context: Context): Match | null {
  const { view } = context;
  // Above an input line nothing asks.
  const top = readInputLine(view)?.end ?? view.start;
  const hint = findLast(view, BLOCK_LINES, (_, i) => i >= top && isHint(view, i));
  if (hint !== null && isLive(context, hint)) {
    const block = blockAround(view, hint);
    const isEnd = lastLines(view, HINT_LINES).includes(hint);
    const isAlone = block.end - block.start === 1;
    if (isEnd && isAlone)
      return { line: hint, prompt: unreadPrompt(view, hint, "generic.selector") };
    if (isEnd || (endsScreen(view, block) && hasCursorRow(view, block)))
      return { line: hint, prompt: blockPrompt(view, block, "generic.selector") };
  }
  const header = barredHeader(view);
  if (header !== null && isLive(context, header))
    return { line: header, prompt: unreadPrompt(view, header, "generic.selector", header) };
  const menu = readUnnumberedMenu(view, { ...liveEnd(view), cursors: CURSORS.selector });
  if (!menu || !isLast(view, menu.end) || !isLive(context, menu.start)) return null;
  const above = lineAt(view, menu.start - 1);
  if (!/^\s*[?◆◇]\s+\S/u.test(above) && !(ARROWS.test(above) || TAKES.test(above))) return null;
  const line = menu.start - 1;
  return { line, prompt: unreadPrompt(view, line, "generic.selector", line) };
}

const KEY = /[↑↓⇅⇆⏎↵]|\b(?:enter|return|space|tab|esc|arrow|j\/k|ctrl-n)/i;

/** Two of three: how to move, how to take, how to leave. */
function isHint(view: View, i: number): boolean {
  const line = lineAt(view, i);
  if (!KEY.test(line) || isCommandLine(line)) return false;
  const [moves, takes, leaves] = [ARROWS, TAKES, LEAVES].map((sign) => sign.test(line));
  if (takes && moves) return true;
  if (!leaves || !endsScreen(view, { start: i, end: i + 1 })) return false;
  const block = blockAround(view, i);
  // Hints of an input line stand right below it, or below its status.
  if (takes) return lineAt(view, i - 1) === "";
  const isAsked = view.lines.slice(block.start, i).some((text) => /[?？]$/u.test(text));
  return moves === true && isAsked && hasCursorRow(view, block);
}

function hasCursorRow(view: View, { start, end }: { start: number; end: number }): boolean {
  return view.lines.slice(start, end).some((line) => cursorRow(line) !== null);
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

const WORDS = /^\s*[>❯›/](?:\s|$)/u;

function findSearch(context: Context): Match | null {
  const { view } = context;
  const last = findLast(view, 6, (line) => ruleLine(line, view.width) === "solid");
  if (last === null || readInputLine(view)) return null;
  const block = blockAround(view, last - 1);
  if (block.start === view.start || block.end !== last) return null;
  const lines = view.lines.slice(block.start, block.end);
  const isChosen = (line: string) => cursorRow(line, CURSORS.searched) !== null;
  const words = lines.findIndex((line) => WORDS.test(line) && !isChosen(line));
  if (words < 0 || !lines.some((line, i) => i > words && isChosen(line))) return null;
  return blockMatch(context, block.start + words, "generic.search");
}

function findRows(context: Context): Match | null {
  const { view } = context;
  if (readInputLine(view)) return null;
  const menu = readUnnumberedMenu(view, { ...liveEnd(view), cursors: CURSORS.unnumbered });
  const focused = menu?.rows.find((row) => row.selected);
  if (!menu || !focused || menu.rows.some(({ label }) => /^[/@]|.{60}/.test(label))) return null;
  const block = blockAround(view, focused.line);
  const hasText = view.lines.slice(block.start, menu.start).some((line) => /[\p{L}]/u.test(line));
  if (!hasText || !endsScreen(view, { ...block, end: menu.end })) return null;
  const isList = readerOf(context.input) === "key" || isInked(view, menu, focused.line);
  return isList ? blockMatch(context, focused.line, "generic.rows") : null;
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
