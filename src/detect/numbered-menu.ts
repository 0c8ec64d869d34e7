import {
  cursorRow,
  CURSORS,
  type ExtraRow,
  markedLines,
  type Menu,
  type MenuRow,
  plainRow,
} from "./menu.ts";
import { rowText, type RowLines } from "./option-text.ts";
import { firstText, lineAt, ruleAt, type View } from "./region.ts";
import { charCodes, hasRoom, indentOf } from "./text.ts";

/** Marks in the cursor's column that say: more rows this way. */
const SCROLL_MARKS = "↑↓▲▼⌃⌄";

/** Blank, wrapped and description lines between two options. */
const MAX_GAP_LINES = 14;

/** Groups: all before the number, the mark in it, the number, a check box. */
const NUMBERED_ROW = new RegExp(
  `^(\\s*(?:([${CURSORS.any}${SCROLL_MARKS}])\\s*)?)(\\d{1,2})[.)]\\s+(?=\\S)(\\[.?\\])?`,
  "u",
);

const FIRST_CODES = new Set(charCodes(`0123456789${CURSORS.any}${SCROLL_MARKS}`));

interface NumberedLine {
  number: number;
  column: number;
  hasCursor: boolean;
  hasBox: boolean;
  line: number;
}

export interface MenuSearch {
  /** Lines in which the whole block lies, `to` exclusive. */
  from: number;
  to: number;
  /** Marks that count as a cursor. */
  cursors: string;
  /** Labels that are too long go on under their number. */
  runsUnder?: boolean;
}

/**
 * The lowest numbered list with a cursor in these lines. Its numbers stand in one column and follow
 * each other, so that numbered lines of evidence, diffs or plans above it are not options.
 */
export function readNumberedMenu(view: View, search: MenuSearch): Menu | null {
  for (const i of markedLines(view, search)) {
    const focused = numberedLine(view, i, search.cursors);
    if (focused?.hasCursor) return menuAround(view, focused, search);
    if (!focused && cursorRow(lineAt(view, i), search.cursors) !== null) {
      // The lowest cursor is the live one: a numbered list further up is another dialog's.
      const above = numberedAbove(view, i, search);
      return above && menuAround(view, above, search);
    }
  }
  return null;
}

/** Another number to the right of an option. */
const COLUMNS = /\S\s{2,}\d{1,2}[.)]\s+\S/;

/** A numbered list without a cursor that ends right above `before`, as scripts print them. */
export function readPlainList(view: View, before: number, from: number): Menu | null {
  for (let i = before - 1; i >= Math.max(from, before - MAX_GAP_LINES); i--) {
    // The lowest number may stand in an option's description.
    const last = numberedLine(view, i, "");
    const menu = last && menuAround(view, last, { from, to: before, cursors: "" });
    if (!menu) continue;
    const isTable = view.lines.slice(menu.start, menu.end).some((line) => COLUMNS.test(line));
    return isTable ? readTable(view, menu) : menu;
  }
  return null;
}

/** The rows of all columns; null where a number is missing: a part of the choices is no choice. */
function readTable(view: View, menu: Menu): Menu | null {
  const rows: MenuRow[] = [];
  for (let line = menu.start; line < menu.end; line++)
    for (const cell of lineAt(view, line)
      .trim()
      .split(/\s{2,}/)) {
      const [, key, label = ""] = /^(\d{1,2})[.)](?:\s(.*))?$/.exec(cell) ?? [];
      const last = rows.at(-1);
      if (key) rows.push(plainRow(key, label, line));
      else if (last) last.label = `${last.label} ${cell}`.trim();
    }
  rows.sort((a, b) => Number(a.key) - Number(b.key));
  return rows.every((row, i) => Number(row.key) === i + 1) ? { ...menu, rows } : null;
}

function numberedLine(view: View, index: number, cursors: string): NumberedLine | null {
  const line = lineAt(view, index);
  if (!FIRST_CODES.has(line.charCodeAt(indentOf(line)))) return null;
  const match = NUMBERED_ROW.exec(line);
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

/** The numbered row above an unnumbered one with the cursor ("Submit"). */
function numberedAbove(view: View, at: number, search: MenuSearch): NumberedLine | null {
  const { from, cursors } = search;
  for (let i = at - 1; i >= Math.max(from, at - MAX_GAP_LINES); i--) {
    const above = numberedLine(view, i, cursors);
    if (above) return above;
    const line = lineAt(view, i);
    if (line !== "" && indentOf(line) < 2 && ruleAt(view, i) === null) return null;
  }
  return null;
}

function menuAround(view: View, anchor: NumberedLine, search: MenuSearch): Menu | null {
  const block = { ...search, flush: search.runsUnder ? anchor.column : 0 };
  const rows = [
    ...rowsFrom(view, anchor, -1, block).reverse(),
    anchor,
    ...rowsFrom(view, anchor, 1, block),
  ];
  if (rows.length < 2) return null;
  const end = blockEnd(view, rows.at(-1) ?? anchor, block);
  return buildMenu(view, rows, end, search.cursors);
}

interface BlockSearch extends MenuSearch {
  /** Column besides the left edge at which a label without room goes on. */
  flush: number;
}

/** The numbered rows above or below one, the nearest first. */
function rowsFrom(
  view: View,
  anchor: NumberedLine,
  step: 1 | -1,
  block: BlockSearch,
): NumberedLine[] {
  const limit = step < 0 ? block.from : block.to - 1;
  const rows: NumberedLine[] = [];
  let want = anchor.number + step;
  let gap = 0;
  let isBehindRule = false;
  let isBoxed = anchor.hasBox;
  for (let i = anchor.line + step; step * (limit - i) >= 0 && want >= 1; i += step) {
    const row = numberedLine(view, i, block.cursors);
    const isNext = row && (row.number === want || (isBehindRule && step * (row.number - want) > 0));
    if (isNext && isSameColumn(row, anchor, block.flush)) {
      rows.push(row);
      want = row.number + step;
      gap = 0;
      isBehindRule = false;
      isBoxed ||= row.hasBox;
      continue;
    }
    // On a low screen the rows before a rule are scrolled, and the row behind it stays.
    if (ruleAt(view, i) === "solid") isBehindRule = true;
    gap++;
    const isOfRow = belongsBetween(view, i, anchor, block) || (isBoxed && isUnder(view, i, anchor));
    if (gap > MAX_GAP_LINES || !isOfRow) break;
  }
  return rows;
}

/**
 * "9." and "10." may be aligned on the left or on the right, and a framed label that is too long may
 * begin one column further left.
 */
function isSameColumn(a: NumberedLine, b: NumberedLine, flush: number): boolean {
  if (flush > 0 && Math.abs(a.column - b.column) === 1) return true;
  return (
    a.column === b.column ||
    a.column + String(a.number).length === b.column + String(b.number).length
  );
}

function belongsBetween(
  view: View,
  i: number,
  anchor: NumberedLine,
  { cursors, flush }: BlockSearch,
): boolean {
  const line = lineAt(view, i);
  if (line === "" || ruleAt(view, i) !== null) return true;
  if (indentOf(line) > anchor.column || isRunOver(view, i, flush)) return true;
  const cursor = cursorRow(line, cursors);
  return cursor !== null && cursor.column >= anchor.column;
}

/** Descriptions of check boxes may stand under the number, left of the box. */
function isUnder(view: View, i: number, row: NumberedLine): boolean {
  return indentOf(lineAt(view, i)) === row.column;
}

/** Some programs wrap a text to the left edge, or to the column `flush`, with a blank before the frame. */
function isRunOver(view: View, i: number, flush: number): boolean {
  const [above, line] = [lineAt(view, i - 1), lineAt(view, i)];
  const isFlush = indentOf(line) === 0 || (flush > 0 && Math.abs(indentOf(line) - flush) <= 1);
  if (above === "" || line === "" || !isFlush) return false;
  return !hasRoom(above, line, flush > 0 ? view.width - 1 : view.width);
}

/** Behind the last line that belongs to the last option or to an unnumbered row below it. */
function blockEnd(view: View, last: NumberedLine, { to, cursors, flush }: BlockSearch): number {
  let end = last.line + 1;
  while (end < to) {
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

function buildMenu(
  view: View,
  rows: readonly NumberedLine[],
  end: number,
  cursors: string,
): Menu | null {
  const [first] = rows;
  if (!first) return null;
  // A mark that stands before several rows is decoration, not a cursor.
  const hasFocus = rows.filter((row) => row.hasCursor).length === 1;
  const blocks = rows.map((row, k) =>
    readRow(view, row, { next: rows[k + 1], end, cursors, hasFocus }),
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

interface RowBlock extends RowLines {
  extras: ExtraRow[];
  divider: number | null;
}

interface RowContext {
  next: NumberedLine | undefined;
  end: number;
  cursors: string;
  hasFocus: boolean;
}

/** The lines of one option, apart from the unnumbered rows below it. */
function readRow(
  view: View,
  row: NumberedLine,
  { next, end, cursors, hasFocus }: RowContext,
): RowBlock {
  const text = lineAt(view, row.line);
  const labelColumn = text.indexOf(String(row.number), row.column) + String(row.number).length + 1;
  const start = labelColumn + indentOf(text.slice(labelColumn));
  // In a list without a cursor only numbered rows can be taken.
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
