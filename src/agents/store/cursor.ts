import { AppError } from "../../errors.ts";

/** The sort key of the last item of a page: not an offset, so that nothing is skipped or repeated. */
export type CursorKey = readonly (string | number)[];

export function renderCursor(key: CursorKey): string {
  return Buffer.from(JSON.stringify(key)).toString("base64url");
}

/**
 * @param shape one `"string"` or `"number"` for each part of the key
 * @throws AppError 400 for what no page of this list gave
 */
export function parseCursor(
  cursor: string | null,
  shape: readonly ("string" | "number")[],
): CursorKey | null {
  if (cursor === null) return null;
  try {
    const key: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString());
    if (isKey(key, shape)) return key;
  } catch {
    // Falls through to the one answer for all that is no cursor.
  }
  throw new AppError("invalid", "bad cursor");
}

function isKey(key: unknown, shape: readonly string[]): key is CursorKey {
  if (!Array.isArray(key) || key.length !== shape.length) return false;
  return key.every((part, i) => typeof part === shape[i] && part === part);
}

/** One page out of one row more than the page holds. */
export function pageOf<Row>(rows: readonly Row[], limit: number, keyOf: (row: Row) => CursorKey) {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const hasMore = rows.length > limit && last !== undefined;
  return { rows: page, next_cursor: hasMore ? renderCursor(keyOf(last)) : null };
}
