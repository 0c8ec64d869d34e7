import type { WirePane } from "./parse.ts";

/** The server lowers every larger number to this. */
const MAX_LINES = 1000;
const LEAST_LINES = 200;
/** Colours may change where no character does: so often the display is read all the same. */
const DISPLAY_LASTS_MS = 5000;

/** What was last read of one pane. */
export interface PaneScreens {
  /** What detectors read: the screen, each row a line. */
  detection: string;
  /** What people are shown; null where that is the detection buffer. */
  display: string | null;
  /** Rows that were asked for. */
  lines: number;
  /** Monotonic milliseconds of the last read of the display. */
  displayAtMs: number;
  /** What tells that rows have left the screen although it looks as before. */
  scrolled: string;
  /** Columns of the widest row since the pane had this height: a terminal's width is not told. */
  columns: number;
  rows: number;
}

/**
 * Rows to ask for so that `wanted` lines come: they are counted from the bottom of the screen, blank
 * rows included, before wrapped rows are joined.
 */
export function rowsFor(wanted: number, { scroll }: WirePane): number {
  return Math.min(MAX_LINES, Math.max(LEAST_LINES, wanted + (scroll?.viewport_rows ?? 0)));
}

export function scrolledKey({ scroll }: WirePane): string {
  return scroll ? `${scroll.max_offset_from_bottom}/${scroll.viewport_rows}` : "";
}

export interface Due {
  detection: string;
  wire: WirePane;
  lines: number;
  nowMs: number;
}

/** Whether the display has to be read again behind this detection buffer. */
export function isDisplayDue(
  before: PaneScreens | null,
  { detection, wire, lines, nowMs }: Due,
): boolean {
  if (!before || before.detection !== detection || before.lines < lines) return true;
  if (before.scrolled !== scrolledKey(wire)) return true;
  // The focus of a dialog may move by colour alone.
  if (wire.agent_status === "blocked") return true;
  return nowMs - before.displayAtMs >= DISPLAY_LASTS_MS;
}

/** A full-screen program has no history: its display may be empty. */
export function displayOf(text: string): string | null {
  return text.trim() === "" ? null : text.replaceAll("\r\n", "\n");
}

export function columnsOf(
  before: PaneScreens | null,
  detection: string,
  { scroll }: WirePane,
): number {
  if (before?.detection === detection) return before.columns;
  const isSameHeight = before !== null && before.rows === (scroll?.viewport_rows ?? 0);
  let columns = isSameHeight ? before.columns : 0;
  for (const line of detection.split("\n")) columns = Math.max(columns, Bun.stringWidth(line));
  return columns;
}
