import { lazy } from "../lib/lazy.ts";
import type { CursorPlace, DetectInput } from "./finding.ts";
import { detectKind, type KindFinding } from "./kind.ts";
import { statusRow } from "./programs.ts";
import { readView, type View } from "./region.ts";
import { readAgentBSide } from "./rules/agent-b-dialog.ts";
import { columnsOf } from "./text.ts";

export interface PreparedInput {
  kind: KindFinding;
  view: View;
  place: () => CursorPlace;
}

const CACHE = new WeakMap<DetectInput, PreparedInput>();

/** The same object for the same input, so that the readings cached with its view are shared. */
export function prepare(o: DetectInput): PreparedInput {
  const cached = CACHE.get(o);
  if (cached) return cached;
  const place = lazy(() => placeOf(o));
  const top = hasCleared(o) ? place().top : 0;
  const whole = readView(o.screen, o, { top, bottom: statusRow(o) ?? undefined });
  const kind = detectKind(o, whole);
  const view = kind.agent?.id === "agent_b" ? readAgentBSide(whole) : whole;
  const prepared = { kind, place, view };
  CACHE.set(o, prepared);
  return prepared;
}

/**
 * Lines of history above a screen that has free rows: they did not scroll away but were cleared, and
 * each redraw may add another copy of a dialog to them.
 */
function hasCleared(o: DetectInput): boolean {
  const { lines } = o.screen;
  const free = freeRows(o);
  if (free === 0) return false;
  return lines.length + free > o.height || lines.some(({ text }) => text.length > o.width);
}

/**
 * Rows of the screen below its text; 0 where nobody counted them, and where the pane has lost height
 * since the capture.
 */
function freeRows({ screen: { blankRows = 0 }, height }: DetectInput): number {
  return blankRows < height ? blankRows : 0;
}

/** Counted from the end: a capture is history and screen in one, with wrapped lines joined. */
export function placeOf(o: DetectInput): CursorPlace {
  const { screen, width, height, cursor } = o;
  const { lines } = screen;
  const rowsOf = (index: number) => rowCount(lines[index]?.text ?? "", width);
  let free = height - freeRows(o);
  let top = lines.length;
  while (top > 0 && free > 0) free -= rowsOf(--top);
  if (!cursor) return { top, cursor: null };
  // `free` is negative where the upper rows of the first line are history.
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
  return width <= 0 ? 1 : Math.max(1, Math.ceil(columnsOf(text) / width));
}
