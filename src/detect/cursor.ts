import { indentOf } from "./region.ts";

/** Marks that programs put before the focused row. */
export const CURSORS = "❯›●▸▶➤→>»";

/** The text of a row with a cursor and its column, or null. */
export function cursorRow(
  line: string,
  cursors: string = CURSORS,
): { column: number; text: string } | null {
  const lead = line.slice(0, 24).trimStart();
  const mark = lead[0];
  if (mark === undefined || !cursors.includes(mark)) return null;
  const at = line.indexOf(mark);
  const rest = line.slice(at + 1);
  if (!/^\s+\S/.test(rest)) return null;
  return { column: at + 1 + indentOf(rest), text: rest.trim() };
}
