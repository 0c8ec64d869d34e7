import { z } from "zod";
import { AppError } from "../../errors.ts";
import { parseJson } from "../../lib/json.ts";
import type { Table } from "../../store/table.ts";

/** The sort key of a page's last item; with an offset, new items would shift the next page. */
type CursorKey = readonly (string | number)[];

export function renderCursor(key: CursorKey): string {
  return Buffer.from(JSON.stringify(key)).toString("base64url");
}

/** @throws AppError 400 for a cursor that no page gave */
export function parseCursor<Key>(cursor: string | null, schema: z.ZodType<Key>): Key | null {
  if (cursor === null) return null;
  const { success, data } = schema.safeParse(
    parseJson(Buffer.from(cursor, "base64url").toString()),
  );
  if (!success) throw new AppError("invalid", "bad cursor");
  return data;
}

export function pageOf<Row>(rows: readonly Row[], limit: number, keyOf: (row: Row) => CursorKey) {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const hasMore = rows.length > limit && last !== undefined;
  return { rows: page, next_cursor: hasMore ? renderCursor(keyOf(last)) : null };
}

const TIME_AND_ID = z.tuple([z.number(), z.string()]);

/**
 * One page of the rows where `where` holds, by `time` (or another number) descending, then id.
 * @param list.params from `?4` on
 * @throws AppError 400 for a bad cursor
 */
export function pageByTime<Time extends string, Row extends Record<Time, number> & { id: string }>(
  table: Table<Row>,
  list: { columns?: string; where: string; time: Time; params?: readonly (string | null)[] },
  { cursor, limit }: { cursor: string | null; limit: number },
) {
  const { columns = "*", where, time, params = [] } = list;
  const [at, id] = parseCursor(cursor, TIME_AND_ID) ?? [Number.MAX_VALUE, ""];
  const rows = table.pick<Row>(
    columns,
    `WHERE ${where} AND ${time} <= ?1 AND (${time} < ?1 OR id > ?2) ORDER BY ${time} DESC, id LIMIT ?3`,
    ...[at, id, limit + 1, ...params],
  );
  return pageOf(rows, limit, (row) => [row[time], row.id]);
}
