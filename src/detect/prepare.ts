import { lazy } from "../lib/lazy.ts";
import type { Composer, DetectInput, Finding } from "./finding.ts";
import { detectKind, type KindFinding } from "./kind.ts";
import { statusRow } from "./programs.ts";
import { readView, type Screen, type ScreenLine, type View } from "./region.ts";
import { columnsOf } from "./text.ts";

/** An input made ready for rules. */
export interface Prepared {
  kind: KindFinding;
  folded: Folded;
  view: View;
  place: () => CursorPlace;
}

const PREPARED = new WeakMap<DetectInput, Prepared>();

/** The same object for the same input: what rules have read of its view is kept with it. */
export function prepare(o: DetectInput): Prepared {
  const known = PREPARED.get(o);
  if (known) return known;
  const folded = foldBlankRows(o);
  const place = lazy(() => foldPlace(placeOf(o), folded));
  const top = hasCleared(o) ? place().top : 0;
  const bottom = statusRow(folded.input) ?? undefined;
  const view = readView(folded.input.screen, o, { top, bottom });
  const prepared = { kind: detectKind(o), folded, place, view };
  PREPARED.set(o, prepared);
  return prepared;
}

/**
 * Lines above the screen, with rows free below the text: nothing was scrolled away to make room, so
 * they were cleared, and each redraw may move one more copy of a dialog there.
 */
function hasCleared(o: DetectInput): boolean {
  const { lines } = o.screen;
  const free = freeRows(o);
  if (free === 0) return false;
  return lines.length + free > o.height || lines.some(({ text }) => text.length > o.width);
}

/** Which lines of a capture the pane shows, and on which of them the cursor stands. */
export interface CursorPlace {
  /** Index of the first line that is at least partly visible; those before it are history. */
  top: number;
  /** `line` may lie behind the last one: below the text. Null when unknown. */
  cursor: { line: number; column: number; visible: boolean } | null;
}

/**
 * Rows of the screen below its text; 0 where nobody counted them, or where there are more than rows:
 * those of a pane that has another height by now.
 */
function freeRows({ screen: { blankRows = 0 }, height }: DetectInput): number {
  return blankRows < height ? blankRows : 0;
}

/** A capture is history and screen in one, wrapped lines joined: counted from its end. */
export function placeOf(o: DetectInput): CursorPlace {
  const { screen, width, height, cursor } = o;
  const { lines } = screen;
  const rowsOf = (index: number) => rowCount(lines[index]?.text ?? "", width);
  let free = height - freeRows(o);
  let top = lines.length;
  while (top > 0 && free > 0) free -= rowsOf(--top);
  if (!cursor) return { top, cursor: null };
  // Less than nothing is free where the upper rows of the first line are history.
  let { row } = cursor;
  row -= Math.min(0, free);
  let line = top;
  while (line < lines.length && row >= rowsOf(line)) row -= rowsOf(line++);
  const isInText = line < lines.length;
  const column = cursor.column + (isInText ? row * width : 0);
  return {
    top,
    cursor: { line: isInText ? line : line + row, column, visible: cursor.visible },
  };
}

function rowCount(text: string, width: number): number {
  // Most lines are short: no character takes more than two columns.
  if (width <= 0 || text.length * 2 <= width) return 1;
  return Math.max(1, Math.ceil(columnsOf(text) / width));
}

/**
 * Blank rows in a row that are looked at; no program sets parts of a dialog further apart. Panes
 * may be a thousand rows high, with a dialog at the top and a status panel at the bottom.
 */
const MAX_BLANK_ROWS = 40;

/** A screen without the rest of its long blank stretches, and where its lines were. */
interface Folded {
  input: DetectInput;
  /** Index in the whole screen of a line of the folded one. */
  lineOf(index: number): number;
  /** The same the other way; the next line that is left where it is not. */
  foldedLineOf(index: number): number;
}

function foldBlankRows(input: DetectInput): Folded {
  const { lines } = input.screen;
  const kept = keptRows(lines);
  if (kept === null) return { input, lineOf: same, foldedLineOf: same };
  const screen: Screen = { lines: kept.flatMap((index) => lines[index] ?? []) };
  return {
    input: { ...input, screen },
    lineOf: (index) => kept[index] ?? lines.length,
    foldedLineOf: (index) => {
      const at = kept.findIndex((line) => line >= index);
      return at < 0 ? kept.length + Math.max(0, index - lines.length) : at;
    },
  };
}

const same = (index: number) => index;

/** Null where all are. */
function keptRows(lines: readonly ScreenLine[]): number[] | null {
  // A stretch that is too long reaches over one of these.
  let at = MAX_BLANK_ROWS;
  while (at < lines.length && lines[at]?.text !== "") at += MAX_BLANK_ROWS + 1;
  if (at >= lines.length) return null;
  const kept: number[] = [];
  let blank = 0;
  for (let index = 0; index < lines.length; index++) {
    blank = lines[index]?.text === "" ? blank + 1 : 0;
    if (blank <= MAX_BLANK_ROWS) kept.push(index);
  }
  return kept.length < lines.length ? kept : null;
}

export function unfoldFinding(finding: Finding, { lineOf }: Folded): Finding {
  const lineOrNull = (line: number | null) => (line === null ? null : lineOf(line));
  const { prompt } = finding;
  const { rule, start, end } = finding.region;
  return {
    ...finding,
    line: lineOrNull(finding.line),
    prompt: prompt && { ...prompt, questionLine: lineOf(prompt.questionLine) },
    region: { rule, start: lineOf(start), end: end === 0 ? 0 : lineOf(end - 1) + 1 },
    ruledOut: finding.ruledOut.map((trace) => ({
      ...trace,
      line_index: lineOrNull(trace.line_index),
    })),
  };
}

function foldPlace({ top, cursor }: CursorPlace, { foldedLineOf }: Folded): CursorPlace {
  return {
    top: foldedLineOf(top),
    cursor: cursor && { ...cursor, line: foldedLineOf(cursor.line) },
  };
}

export function unfoldComposer(composer: Composer, { lineOf }: Folded): Composer {
  return { ...composer, line: lineOf(composer.line) };
}
