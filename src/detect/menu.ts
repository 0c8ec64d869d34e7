import { lineAt, perView, type View } from "./region.ts";
import { charCodes, indentOf } from "./text.ts";

/** Marks before the focused row, by who draws it; what else begins a line there is no cursor. */
export const CURSORS = {
  any: "❯›●▸▶➤→>»",
  /** In a program that nobody knows. */
  unknown: "❯›●▸▶➤→>",
  /** There, of rows without numbers: a dot is a message's, too. */
  unnumbered: "❯›▸▶➤→>",
  /** There, below a question: an arrow points at what follows. */
  selector: "❯›●▸▶➤>",
  /** Of a list that is searched, beside the line for the words. */
  searched: "→›▸▶➤",
  /** In agents: marks that begin neither messages nor the input line. */
  agent: "❯›▸▶➤",
  agent_a: "❯>",
  agent_b: "›>❯",
  agent_b_unframed: "❯▸▶➤",
} as const;

/** No program draws its cursor further right. */
const MAX_INDENT = 24;

/** Their codes; a star marks the row in some lists. */
const MARKS = new Set(charCodes(`${CURSORS.any}*`));

const allMarked = perView((view): number[] => {
  const found: number[] = [];
  for (let i = view.end - 1; i >= view.start; i--) {
    const line = lineAt(view, i);
    if (line !== "" && MARKS.has(line.charCodeAt(indentOf(line)))) found.push(i);
  }
  return found;
});

/** Those of these lines that begin with a mark of any cursor, the lowest first: few of a screen do. */
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

/** A row that is its label alone. */
export const plainRow = (key: string, label: string, line: number, selected = false): MenuRow => ({
  ...{ key, label, description: "", selected, checked: null, line },
});

/** A row of the same block that is no option by number: "Submit", "Chat about this". */
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
  /** A full-width rule stands between rows: before it, its line. */
  divider: number | null;
  /** The screen shows it from the first option on; rows below may still be out of sight. */
  isWhole: boolean;
}
