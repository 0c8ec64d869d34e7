import { indentOf } from "./region.ts";

/** Marks that programs put before the focused row. */
export const CURSORS = "❯›●▸▶➤→>»";

/** No program draws its cursor further right. */
const MAX_INDENT = 24;

/** The text of a row with a cursor and its column, or null. */
export function cursorRow(
  line: string,
  cursors: string = CURSORS,
): { column: number; text: string } | null {
  const at = indentOf(line);
  const mark = line[at];
  if (mark === undefined || at >= MAX_INDENT || !cursors.includes(mark)) return null;
  const rest = line.slice(at + 1);
  if (!/^\s+\S/.test(rest)) return null;
  return { column: at + 1 + indentOf(rest), text: rest.trim() };
}
