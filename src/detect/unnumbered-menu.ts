import { cursorRow, markedLines, type Menu } from "./menu.ts";
import type { MenuSearch } from "./numbered-menu.ts";
import { isWrapped, rowText } from "./option-text.ts";
import { hasStyle, lineAt, ruleAt, type View } from "./region.ts";
import { indentOf } from "./text.ts";

const MAX_ROWS = 20;
/** `↓ 3 more`: a mark that the list goes on, not one of its rows. */
const SCROLL_MARK = /^\s*[↑↓] \d+ more\b/u;

/**
 * Rows without numbers around the lowest cursor in these lines: adjoining lines whose text begins in
 * one column. Deeper lines belong to the row above them. Null where the cursor stands before a number:
 * the other lines of a numbered list are no rows.
 */
export function readUnnumberedMenu(view: View, search: MenuSearch): Menu | null {
  for (const i of markedLines(view, search)) {
    const cursor = cursorRow(lineAt(view, i), search.cursors);
    if (!cursor) continue;
    if (/^\d{1,2}[.)] /.test(cursor.text)) return null;
    const column = boxColumn(view, i, search) ?? cursor.column + markLength(cursor.text);
    return rowsAround(view, i, column, search);
  }
  return null;
}

function rowsAround(view: View, focused: number, column: number, search: MenuSearch): Menu | null {
  const belongs = (i: number) => {
    const line = lineAt(view, i);
    const isRow = line !== "" && !SCROLL_MARK.test(line) && ruleAt(view, i) === null;
    return isRow && textColumn(line) >= column;
  };
  let start = focused;
  while (start > search.from && belongs(start - 1)) start--;
  let end = focused + 1;
  while (end < search.to && belongs(end)) end++;
  if (isGroupBeyond(view, start - 1, -1, column, search)) return null;
  if (isGroupBeyond(view, end, 1, column, search)) return null;
  // A deeper line describes the row above it: the block cannot begin with one.
  while (start < focused && textColumn(lineAt(view, start)) > column) start++;

  const firsts: number[] = [];
  const fold = { room: view.width - 2, isStyled: hasStyle(view) };
  const isFirst = (i: number) =>
    textColumn(lineAt(view, i)) === column &&
    (i === start || !isWrapped(view, { above: i - 1, below: i, ...fold }));
  for (let i = start; i < end; i++)
    if (i === focused || isFirst(i) || endsBoxes(view, i, end, column)) firsts.push(i);
  if (firsts.length < 2 || firsts.length > MAX_ROWS) return null;

  const blocks = firsts.map((first, k) => {
    const next = firsts[k + 1] ?? end;
    const lines = Array.from({ length: next - first - 1 }, (_, j) => first + 1 + j);
    return { key: String(k + 1), selected: first === focused, first, start: column, lines };
  });
  const block = { extras: [], start, end, isNumbered: false, divider: null, isWhole: true };
  return { ...block, ...rowText(view, blocks) };
}

/**
 * Behind the blank lines that begin here: more lines in the same column, or the mark that the list
 * goes on. Of a list in groups nobody knows which lines are options.
 */
function isGroupBeyond(
  view: View,
  blank: number,
  step: 1 | -1,
  column: number,
  { from, to }: { from: number; to: number },
): boolean {
  const isIn = (i: number) => i >= from && i < to;
  let i = blank;
  while (isIn(i) && lineAt(view, i) === "") i += step;
  const line = lineAt(view, i);
  if (i === blank || !isIn(i) || ruleAt(view, i) !== null) return false;
  return indentOf(line) > 0 && textColumn(line) === column;
}

/** `[?] Which one?` is a question. */
const BOX = /^\s*(?:\S )?\s*\[[^?]?\] /u;

/** Column of the check boxes at or above the cursor; null where there are none. */
function boxColumn(
  view: View,
  focused: number,
  { from, to }: { from: number; to: number },
): number | null {
  const isRow = (i: number) => i >= from && i < to && lineAt(view, i) !== "";
  for (let i = focused; isRow(i); i--)
    if (BOX.test(lineAt(view, i))) return lineAt(view, i).indexOf("[");
  return null;
}

/** Below the last check box stands the row that ends the choice, a little deeper. */
function endsBoxes(view: View, line: number, end: number, column: number): boolean {
  const isLast = line === end - 1 && !BOX.test(lineAt(view, line));
  return isLast && lineAt(view, line - 1)[column] === "[" && BOX.test(lineAt(view, line - 1));
}

/** Column of a row's label, behind the tick of the current value. */
function textColumn(line: string): number {
  const indent = indentOf(line);
  return indent + markLength(line.slice(indent));
}

function markLength(text: string): number {
  return /^[✔✓]\s+/u.exec(text)?.[0].length ?? 0;
}
