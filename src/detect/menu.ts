import { lineAt, perView, type View } from "./region.ts";
import { charCodes, indentOf } from "./text.ts";

/** Marks of a cursor before the focused row, by program and form of list. */
export const CURSORS = {
  any: "❯›●▸▶➤→>»",
  /** In a program that nobody knows. */
  unknown: "❯›●▸▶➤→>",
  /** There, of rows without numbers: a dot may begin a message. */
  unnumbered: "❯›▸▶➤→>",
  /** There, below a question: an arrow may point at text. */
  selector: "❯›●▸▶➤>",
  /** Of a list with a search field. */
  searched: "→›▸▶➤",
  /** In agents: none that begins a message or the input line. */
  agent: "❯›▸▶➤",
  agent_a: "❯>",
  agent_b: "›>❯",
  agent_b_unframed: "❯▸▶➤",
} as const;

/** No program draws its cursor further right. */
const MAX_INDENT = 24;

/** Codes of all of them; some lists mark the row with a star. */
const MARKS = new Set(charCodes(`${CURSORS.any}*`));

const allMarked = perView((view): number[] => {
  const lines: number[] = [];
  for (let i = view.end - 1; i >= view.start; i--) {
    const line = lineAt(view, i);
    if (line !== "" && MARKS.has(line.charCodeAt(indentOf(line)))) lines.push(i);
  }
  return lines;
});

/** Lines that begin with the mark of any cursor, the lowest first. */
export function markedLines(view: View, { from, to }: { from: number; to: number }): number[] {
  return allMarked(view).filter((line) => line >= from && line < to);
}

/** Null for a row without a cursor. */
export function cursorRow(
  line: string,
  cursors: string = CURSORS.any,
): { column: number; text: string } | null {
  const at = indentOf(line);
  if (at >= MAX_INDENT || !cursors.includes(line[at] ?? " ")) return null;
  const rest = line.slice(at + 1);
  const gap = indentOf(rest);
  if (gap === 0 || gap === rest.length) return null;
  return { column: at + 1 + gap, text: rest.trim() };
}

export interface MenuRow {
  key: string;
  label: string;
  description: string;
  selected: boolean;
  /** Ticked or not; null where the row is no toggle. */
  checked: boolean | null;
  line: number;
}

export const plainRow = (key: string, label: string, line: number, selected = false): MenuRow => ({
  ...{ key, label, description: "", selected, checked: null, line },
});

/** A row of the block that has no number: "Submit", "Chat about this". */
export interface ExtraRow {
  label: string;
  selected: boolean;
  line: number;
}

export interface Menu {
  rows: readonly MenuRow[];
  extras: readonly ExtraRow[];
  /** Lines of the whole block, `end` exclusive. */
  start: number;
  end: number;
  isNumbered: boolean;
  /** The rows share their lines with a preview box on the right. */
  hasPreview: boolean;
  /** Line of the full-width rule between or below the rows. */
  divider: number | null;
  /** It begins with its first option; the last ones may still be out of sight. */
  isWhole: boolean;
}
