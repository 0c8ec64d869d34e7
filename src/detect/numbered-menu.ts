import { cursorRow, CURSORS, type ExtraRow, markedLines, type Menu } from "./menu.ts";
import { rowText, type RowLines } from "./option-text.ts";
import { firstText, lineAt, ruleAt, type View } from "./region.ts";
import { charCodes, hasRoom, indentOf } from "./text.ts";

/** Marks in the cursor's column that say: more rows this way. */
const SCROLL_MARKS = "↑↓▲▼⌃⌄";

/** Blank, wrapped and description lines between two options. */
export const MAX_GAP_LINES = 14;

/** What stands before the number, a mark in it, the number, and a check box before the label. */
const NUMBERED = new RegExp(
  `^(\\s*(?:([${CURSORS.any}${SCROLL_MARKS}])\\s*)?)(\\d{1,2})[.)]\\s+(?=\\S)(\\[.?\\])?`,
  "u",
);

const BEGINS = new Set(charCodes(`0123456789${CURSORS.any}${SCROLL_MARKS}`));

interface NumberedLine {
  number: number;
  column: number;
  hasCursor: boolean;
  /** A check box stands before its label. */
  hasBox: boolean;
  line: number;
}

export interface MenuSearch {
  /** Lines in which the whole block lies, `to` exclusive. */
  from: number;
  to: number;
  cursors?: string;
  /** Labels that are too long go on under their number. */
  runsUnder?: boolean;
}

/**
 * The lowest numbered list with a cursor in these lines, or null. Its numbers stand in one column
 * and follow each other, so numbered lines of evidence, diffs or plans above it are not options.
 */
export function readNumberedMenu(view: View, search: MenuSearch): Menu | null {
  const cursors = search.cursors ?? CURSORS.any;
  for (const i of markedLines(view, search)) {
    const focused = numberedLine(view, i, cursors);
    if (focused?.hasCursor) return menuAround(view, focused, search, cursors);
    if (!focused && cursorRow(lineAt(view, i), cursors) !== null) {
      // The lowest cursor is the live one: a numbered list further up is another dialog's.
      const near = numberedNear(view, i, search, cursors);
      return near && menuAround(view, near, search, cursors);
    }
  }
  return null;
}

export function numberedLine(view: View, index: number, cursors: string): NumberedLine | null {
  const line = lineAt(view, index);
  // Most lines begin with neither a digit nor a mark.
  if (!BEGINS.has(line.charCodeAt(indentOf(line)))) return null;
  const match = NUMBERED.exec(line);
  if (!match) return null;
  const [, before = "", mark = "", digits = "", box] = match;
  return {
    number: Number(digits),
    column: before.length,
    hasCursor: mark !== "" && cursors.includes(mark),
    hasBox: box !== undefined,
    line: index,
  };
}

/** The cursor is on an unnumbered row of the block ("Submit"): its nearest numbered neighbour. */
function numberedNear(
  view: View,
  at: number,
  search: MenuSearch,
  cursors: string,
): NumberedLine | null {
  for (let i = at - 1; i >= Math.max(search.from, at - MAX_GAP_LINES); i--) {
    const above = numberedLine(view, i, cursors);
    if (above) return above;
    const line = lineAt(view, i);
    if (line !== "" && indentOf(line) < 2 && ruleAt(view, i) === null) return null;
  }
  return null;
}

export function menuAround(
  view: View,
  anchor: NumberedLine,
  search: MenuSearch,
  cursors: string,
): Menu | null {
  const rows = { cursors, flush: search.runsUnder ? anchor.column : 0 };
  const found = [
    ...chain(view, anchor, { step: -1, limit: search.from, ...rows }).reverse(),
    anchor,
    ...chain(view, anchor, { step: 1, limit: search.to - 1, ...rows }),
  ];
  if (found.length < 2) return null;
  const end = blockEnd(view, found.at(-1) ?? anchor, { limit: search.to, ...rows });
  return build(view, found, end, cursors);
}

interface Rows {
  cursors: string;
  /** Column besides the left edge at which a label without room goes on. */
  flush: number;
}

interface Direction extends Rows {
  step: 1 | -1;
  limit: number;
}

function chain(view: View, anchor: NumberedLine, direction: Direction): NumberedLine[] {
  const { step, limit, cursors } = direction;
  const found: NumberedLine[] = [];
  let want = anchor.number + step;
  let gap = 0;
  let isBehindRule = false;
  let isBoxed = anchor.hasBox;
  for (let i = anchor.line + step; step * (limit - i) >= 0 && want >= 1; i += step) {
    const row = numberedLine(view, i, cursors);
    const isNext = row && (row.number === want || (isBehindRule && step * (row.number - want) > 0));
    if (isNext && isSameColumn(row, anchor)) {
      found.push(row);
      want = row.number + step;
      gap = 0;
      isBehindRule = false;
      isBoxed ||= row.hasBox;
      continue;
    }
    // On a low screen the rows before a rule are scrolled, and the row behind it stays.
    if (ruleAt(view, i) === "solid") isBehindRule = true;
    gap++;
    const isOfRow =
      belongsBetween(view, i, anchor, direction) || (isBoxed && isUnder(view, i, anchor));
    if (gap > MAX_GAP_LINES || !isOfRow) break;
  }
  return found;
}

// "9." and "10." may be aligned on the left or on the right.
function isSameColumn(a: NumberedLine, b: NumberedLine): boolean {
  return (
    a.column === b.column ||
    a.column + String(a.number).length === b.column + String(b.number).length
  );
}

function belongsBetween(
  view: View,
  i: number,
  anchor: NumberedLine,
  { cursors, flush }: Rows,
): boolean {
  const line = lineAt(view, i);
  if (line === "" || ruleAt(view, i) !== null) return true;
  if (indentOf(line) > anchor.column || isRunOver(view, i, flush)) return true;
  const cursor = cursorRow(line, cursors);
  return cursor !== null && cursor.column >= anchor.column;
}

/** Of check boxes the descriptions may stand under the number, left of the box. */
function isUnder(view: View, i: number, row: NumberedLine): boolean {
  return indentOf(lineAt(view, i)) === row.column;
}

/** Some programs go on at this column with a text for which the line above had no room. */
function isRunOver(view: View, i: number, flush: number): boolean {
  const [above, line] = [lineAt(view, i - 1), lineAt(view, i)];
  const isFlush = indentOf(line) === 0 || indentOf(line) === flush;
  if (above === "" || line === "" || !isFlush) return false;
  return !hasRoom(above, line, view.width);
}

/** Behind the last line that belongs to the last option or to an unnumbered row below it. */
function blockEnd(
  view: View,
  last: NumberedLine,
  { limit, cursors, flush }: Rows & { limit: number },
): number {
  let end = last.line + 1;
  while (end < limit) {
    const line = lineAt(view, end);
    if (line === "" || ruleAt(view, end) !== null) break;
    const cursor = cursorRow(line, cursors);
    const isOfLast = isRunOver(view, end, flush) || (last.hasBox && isUnder(view, end, last));
    const isLeftOf = indentOf(line) <= last.column && !isOfLast;
    if (isLeftOf && (cursor === null || cursor.column <= last.column)) break;
    end++;
  }
  return end;
}

function build(
  view: View,
  found: readonly NumberedLine[],
  end: number,
  cursors: string,
): Menu | null {
  const first = found[0];
  if (!first) return null;
  // A mark that stands before several rows is decoration, not a cursor.
  const hasFocus = found.filter((row) => row.hasCursor).length === 1;
  const blocks = found.map((row, k) =>
    block(view, row, { next: found[k + 1], end, cursors, hasFocus }),
  );
  const divider = blocks.find((b) => b.divider !== null)?.divider ?? dividerBelow(view, end);
  return {
    ...rowText(view, blocks),
    extras: [...blocks.flatMap((b) => b.extras), ...extraBelow(view, divider, end, cursors)],
    start: first.line,
    end,
    isNumbered: true,
    divider,
    isWhole: first.number === 1,
  };
}

interface Block extends RowLines {
  extras: ExtraRow[];
  divider: number | null;
}

interface Below {
  next: NumberedLine | undefined;
  end: number;
  cursors: string;
  hasFocus: boolean;
}

/** The lines of one option; an unnumbered row with a place of its own is kept apart. */
function block(view: View, row: NumberedLine, { next, end, cursors, hasFocus }: Below): Block {
  const text = lineAt(view, row.line);
  const labelColumn = text.indexOf(String(row.number), row.column) + String(row.number).length + 1;
  const start = labelColumn + indentOf(text.slice(labelColumn));
  // Without a cursor only what has a number can be taken.
  const isLastBox = cursors !== "" && row.hasBox && !next?.hasBox;
  const lines: number[] = [];
  const extras: ExtraRow[] = [];
  let divider: number | null = null;
  for (let i = row.line + 1; i < (next?.line ?? end); i++) {
    const line = lineAt(view, i);
    if (line === "") continue;
    if (ruleAt(view, i) !== null) {
      divider ??= i;
      continue;
    }
    const cursor = cursorRow(line, cursors);
    // Below the last check box stands the row that ends the choice, under the box or left of it.
    if (cursor) extras.push({ label: cursor.text, selected: true, line: i });
    else if (isLastBox && indentOf(line) <= start && !isUnder(view, i, row))
      extras.push({ label: line.trim(), selected: false, line: i });
    else if (divider === null && extras.length === 0) lines.push(i);
  }
  const selected = row.hasCursor && hasFocus;
  return { key: String(row.number), selected, first: row.line, start, lines, extras, divider };
}

function dividerBelow(view: View, end: number): number | null {
  const i = firstText(view, end, view.end);
  return i < view.end && ruleAt(view, i) === "solid" ? i : null;
}

/** The one unnumbered row below the divider ("Chat about this"). */
function extraBelow(view: View, divider: number | null, end: number, cursors: string): ExtraRow[] {
  if (divider === null || divider < end) return [];
  const line = lineAt(view, divider + 1);
  const cursor = cursorRow(line, cursors);
  if (line === "" || !/^(?:\s*[↑↓].*)?$/u.test(lineAt(view, divider + 2))) return [];
  return [{ label: cursor?.text ?? line.trim(), selected: cursor !== null, line: divider + 1 }];
}
