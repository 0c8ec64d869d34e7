import type { Prompt } from "./finding.ts";
import { CURSORS, type Menu } from "./menu.ts";
import { readNumberedMenu } from "./numbered-menu.ts";
import { isCommandLine } from "./programs.ts";
import { evidenceLines, prompt, withoutMotion } from "./prompt.ts";
import { lastLines, lineAt, normalise, perView, ruleAt, type Span, type View } from "./region.ts";
import { charCodes, indentOf, isEdge, ruleLine, withoutFrame } from "./text.ts";

/** Lines of a footer or of status bars below a dialog. */
const MAX_BELOW = 4;

export interface Box {
  top: number;
  bottom: number;
  right: number;
  /** Its upper part has left the screen. */
  isCut: boolean;
}

/** Rows that a program keeps at the top of the screen: names of its views and a blank one. */
export const FIXED_ROWS = 2;

const [TOPS, SIDES, BOTTOMS] = [charCodes("╭┌╔┏"), charCodes("│┃║"), charCodes("╰└╚┗")];

/** The box that ends the screen: below its bottom stands neither a rule nor an input line. */
export const readLastBox = perView((view): Box | null => {
  const near = lastLines(view, MAX_BELOW + 1);
  const bottom = near.find((i) => {
    const line = lineAt(view, i);
    return BOTTOMS.includes(line.charCodeAt(indentOf(line)));
  });
  // Of any width: on a screen that has grown, a box keeps its old width for a while.
  if (bottom === undefined || ruleLine(lineAt(view, bottom).trim(), 0) === null) return null;
  const indent = indentOf(lineAt(view, bottom));
  const isInput = (line: string) => /^ {0,3}[>❯›*!](?: |$)/.test(line) || isCommandLine(line);
  for (let i = bottom + 1; i < view.end; i++)
    if (ruleAt(view, i) !== null || isInput(lineAt(view, i))) return null;
  for (let top = bottom - 1; ; top--) {
    const text = view.screen.lines[top]?.text ?? "";
    const mark = text.charCodeAt(indent);
    const isTop = TOPS.includes(mark) && indentOf(text) === indent;
    const isSide = !isTop && SIDES.includes(mark);
    const isCut =
      top < view.start || (!isTop && !isSide && top < view.end - view.height + FIXED_ROWS);
    if (isTop || isCut) return { top, bottom, right: lineAt(view, bottom).length - 1, isCut };
    if (!isSide) return null;
  }
});

/**
 * The view from the box on, without its frame; lines below the box stay. The upper edge becomes a
 * rule, and the edges of an inner frame become dashed rules, which elsewhere enclose evidence too.
 */
export function insideOf(view: View, box: Box): View {
  const left = lineAt(view, box.bottom).search(/\S/);
  const blank = " ".repeat(left + 1);
  const width = box.right;
  const edge = (mark: string) => blank + mark.repeat(Math.max(12, width - left - 1));
  const inside = (i: number) => {
    const raw = (view.screen.lines[i]?.text ?? "").trimEnd();
    const text = (blank + raw.slice(left + 1).replace(/[│┃║]$/u, "")).trimEnd();
    return isEdge(text) ? edge("╌") : normalise(text);
  };
  const lines = view.lines.map((line, i) => {
    if (i === box.top) return edge("─");
    if (i < box.top || i === box.bottom) return "";
    return i > box.bottom ? line : inside(i);
  });
  return { ...view, lines, start: Math.max(view.start, box.top), width };
}

export interface LiveMenu {
  menu: Menu;
  /** The view of its lines: the inside of its frame where it has one. */
  view: View;
  /** The first line that may belong to it; null where nothing begins it. */
  top: number | null;
  /** Its upper part has left the screen. */
  isCut?: boolean;
}

export const readLiveMenu = perView((view): LiveMenu | null => {
  const box = readLastBox(view);
  return (box && readBoxedMenu(view, box)) ?? readOpenMenu(view, CURSORS.unknown);
});

/** A box without it, such as that of an input line or a message, holds no menu. */
const NUMBER = /\d[.)]\s/;

export function readBoxedMenu(view: View, box: Box): LiveMenu | null {
  const content = view.screen.lines.slice(box.top + 1, box.bottom);
  if (!content.some(({ text }) => NUMBER.test(text))) return null;
  const inside = insideOf(view, box);
  const lines = { from: box.top + 1, to: box.bottom, cursors: CURSORS.unknown, runsUnder: true };
  const menu = readNumberedMenu(inside, lines);
  if (!menu || !hasFocus(menu)) return null;
  return { menu, view: inside, top: box.top + 1, isCut: box.isCut };
}

export function readOpenMenu(view: View, cursors: string): LiveMenu | null {
  const menu = readNumberedMenu(view, { ...liveEnd(view), cursors });
  return menu && hasFocus(menu) && isLast(view, menu.end) ? { menu, view, top: null } : null;
}

function hasFocus({ rows }: Menu): boolean {
  return rows.some((row) => row.selected);
}

/** Lines in which a dialog may stand, `to` exclusive. */
export function liveEnd(view: View): { from: number; to: number } {
  return { from: Math.max(view.start, view.end - Math.max(view.height, 10)), to: view.end };
}

/** Below a live menu stands at most a short footer. */
export function isLast(view: View, end: number): boolean {
  return isLastBut(view, end, MAX_BELOW, isCommandLine);
}

/** At most `most` lines follow, none of which shows that the program has gone on. */
export function isLastBut(
  view: View,
  end: number,
  most: number,
  hasGoneOn: (line: string, index: number) => boolean,
): boolean {
  let count = 0;
  for (let i = end; i < view.end; i++) {
    const line = lineAt(view, i);
    if (line === "") continue;
    if (hasGoneOn(line, i)) return false;
    count++;
  }
  return count <= most;
}

const MAX_BLOCK_LINES = 40;
const MAX_INPUT_LINES = 5;

/** The dialog around a line: the inside of the last box, or the lines between two rules. */
export function blockAround(view: View, line: number): Span {
  const box = readLastBox(view);
  if (box && line > box.top && line < box.bottom) return { start: box.top + 1, end: box.bottom };
  const isSide = (i: number) => ruleAt(view, i) === "solid";
  const least = Math.max(view.start, view.end - view.height, line - MAX_BLOCK_LINES);
  let start = line;
  while (start > least && !isSide(start - 1) && !isCommandLine(lineAt(view, start - 1))) start--;
  let end = line + 1;
  while (end < view.end && !isSide(end)) end++;
  return { start, end };
}

/** Below a dialog stands an input line where the dialog is quoted, or over. */
const MARKED_INPUT = /^\s*(?:[│┃]\s*)?[>❯›](?:\s|$)/u;

/** Only an edge and a status bar follow. */
export function endsScreen(view: View, { end }: Span): boolean {
  let count = 0;
  for (let i = end; i < view.end; i++) {
    const line = lineAt(view, i);
    if (isCommandLine(line) || MARKED_INPUT.test(line)) return false;
    if (line !== "" && !isEdge(line)) count++;
  }
  return count <= MAX_BELOW;
}

const INPUT = /^\s*(?:[│┃]\s*)?(?:[>❯›*!●$](?:\s.*)?)?[│┃]?$/u;
/** The search field of a list. */
const SEARCH = /\b(?:search|filter)\b|\btype to\b/i;

/**
 * The input line between two edges near the end of the screen; null where the last edges hold
 * something else.
 */
export const readInputLine = perView((view): Span | null => {
  const near = lastLines(view, MAX_BELOW + 1 + MAX_INPUT_LINES + 1);
  const isLong = (line: string) => line.trim().length >= Math.min(30, view.width / 2);
  const bottom = near.find((i) => isEdge(lineAt(view, i)) && isLong(lineAt(view, i)));
  if (bottom === undefined || near.indexOf(bottom) > MAX_BELOW) return null;
  let top = bottom - 1;
  while (top >= bottom - 1 - MAX_INPUT_LINES && !isEdge(lineAt(view, top))) top--;
  if (top < view.start || !isEdge(lineAt(view, top)) || top === bottom - 1) return null;
  const first = view.screen.lines[top + 1]?.text ?? "";
  if (SEARCH.test(first) || !INPUT.test(first)) return null;
  return { start: top + 1, end: bottom };
});

/** A dialog whose options cannot be read for sure; its evidence leaves out what is animated. */
export function blockPrompt(view: View, block: Span, parser: string): Prompt {
  const lines = evidenceLines(view, block.start, block.end).filter(
    (line) => withoutMotion(line) === line,
  );
  const find = (sign: RegExp) => lines.find((line) => sign.test(line));
  // A mark may also begin the name of the tool that asks.
  const question = find(/[?？]\s*$/u) ?? find(/^\s*[◆?]\s+\S/u) ?? find(/[\p{L}\p{N}]/u) ?? "";
  const text = withoutFrame(question);
  const start = Math.max(block.start, view.lines.indexOf(question, block.start));
  return prompt(parser, { text, start }, lines);
}
