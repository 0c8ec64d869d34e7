import { AppError } from "../../errors.ts";
import type { Table } from "../../store/table.ts";

/** The sort key of the last item of a page: not an offset, so that nothing is skipped or repeated. */
type CursorKey = readonly (string | number)[];

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

export function pageOf<Row>(rows: readonly Row[], limit: number, keyOf: (row: Row) => CursorKey) {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const hasMore = rows.length > limit && last !== undefined;
  return { rows: page, next_cursor: hasMore ? renderCursor(keyOf(last)) : null };
}

/**
 * One page of the rows where `where` holds, by `time` descending, then id.
 * @param list.params from `?4` on
 * @throws AppError 400 for a bad cursor
 */
export function pageByTime<Time extends string, Row extends Record<Time, number> & { id: string }>(
  table: Table<Row>,
  list: { columns?: string; where: string; time: Time; params?: readonly (string | null)[] },
  { cursor, limit }: { cursor: string | null; limit: number },
) {
  const { columns = "*", where, time, params = [] } = list;
  const [at, id] = parseCursor(cursor, ["number", "string"]) ?? [Number.MAX_VALUE, ""];
  const rows = table.pick<Row>(
    columns,
    `WHERE ${where} AND ${time} <= ?1 AND (${time} < ?1 OR id > ?2) ORDER BY ${time} DESC, id LIMIT ?3`,
    ...[at ?? null, id ?? null, limit + 1, ...params],
  );
  return pageOf(rows, limit, (row) => [row[time], row.id]);
}
