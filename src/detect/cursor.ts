import { indentOf } from "./region.ts";

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

/** The text of a row with a cursor and its column, or null. */
export function cursorRow(
  line: string,
  cursors: string = CURSORS.any,
): { column: number; text: string } | null {
  const at = indentOf(line);
  const mark = line[at];
  if (mark === undefined || at >= MAX_INDENT || !cursors.includes(mark)) return null;
  const rest = line.slice(at + 1);
  if (!/^\s+\S/.test(rest)) return null;
  return { column: at + 1 + indentOf(rest), text: rest.trim() };
}
