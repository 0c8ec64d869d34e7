import type { Database } from "bun:sqlite";
import type { MessageRole } from "../../protocol/agents.ts";
import { pageOf, parseCursor, renderCursor } from "./cursor.ts";
import { type MessageRow, messageOf } from "./message-row.ts";

/** Which messages of a session are asked for; null leaves a filter out. */
export interface MessageQuery {
  cursor: string | null;
  limit: number;
  q: string | null;
  role: MessageRole | null;
  /** Inclusive, epoch seconds. */
  after: number | null;
  before: number | null;
}

/** Messages that are searched between two looks at the clock. */
const SLICE = 200;
/** After so long a search answers with what it has: it holds up everything else meanwhile. */
const SEARCH_SECONDS = 0.005;

interface Place {
  created_at: number;
  seq: number;
}

const END: Place = { created_at: Number.MAX_VALUE, seq: Number.MAX_SAFE_INTEGER };

/**
 * Pages of a session's messages: the newest page first, each from oldest to newest.
 *
 * A search reads what it searches. An index of substrings would spare it that, but one out of which
 * deleted words really go takes 30 times as long to write, and milliseconds to delete a message. So
 * a search that takes too long ends its page early, and the cursor goes on where it stopped.
 */
export class MessagePages {
  readonly #db: Database;
  readonly #monotonic: () => number;

  /** @param monotonic seconds */
  constructor(db: Database, monotonic: () => number) {
    this.#db = db;
    this.#monotonic = monotonic;
  }

  /** @throws AppError 400 for a cursor that no page gave */
  page(agentId: string, query: MessageQuery) {
    const { rows, next_cursor } = this.#find(agentId, query, placeOf(query.cursor));
    return { messages: rows.map(messageOf).reverse(), next_cursor };
  }

  #find(agentId: string, query: MessageQuery, start: Place) {
    const until = this.#monotonic() + SEARCH_SECONDS;
    const rows: MessageRow[] = [];
    let place = start;
    for (;;) {
      const end = query.q === null ? null : this.#endOfSlice(agentId, query.after, place);
      rows.push(...this.#slice(agentId, query, place, end, query.limit + 1 - rows.length));
      if (end === null || rows.length > query.limit) return pageOf(rows, query.limit, keyOf);
      if (this.#monotonic() >= until) return { rows, next_cursor: renderCursor(keyOf(end)) };
      place = end;
    }
  }

  /** The last message of the slice before `place`; null where nothing that may be asked for follows. */
  #endOfSlice(agentId: string, after: number | null, place: Place): Place | null {
    return this.#db
      .query<Place, (string | number | null)[]>(
        `SELECT created_at, seq FROM messages
         WHERE agent_id = ?1 AND (created_at, seq) < (?2, ?3) AND created_at >= ?4
         ORDER BY created_at DESC, seq DESC LIMIT 1 OFFSET ${SLICE - 1}`,
      )
      .get(agentId, place.created_at, place.seq, after ?? -Number.MAX_VALUE);
  }

  #slice(agentId: string, query: MessageQuery, place: Place, end: Place | null, limit: number) {
    return this.#db
      .query<MessageRow, (string | number | null)[]>(
        `SELECT * FROM messages
         WHERE agent_id = ?1 AND (created_at, seq) < (?2, ?3) AND (created_at, seq) >= (?4, ?5)
           AND (?6 IS NULL OR instr(coalesce(folded, lower(content)), ?6) > 0)
           AND (?7 IS NULL OR role = ?7)
           AND (?8 IS NULL OR created_at >= ?8) AND (?9 IS NULL OR created_at <= ?9)
         ORDER BY created_at DESC, seq DESC LIMIT ?10`,
      )
      .all(
        agentId,
        place.created_at,
        place.seq,
        end?.created_at ?? -Number.MAX_VALUE,
        end?.seq ?? 0,
        query.q === null ? null : query.q.toLowerCase(),
        query.role,
        query.after,
        query.before,
        limit,
      );
  }
}

function placeOf(cursor: string | null): Place {
  const key = parseCursor(cursor, ["number", "number"]);
  return key === null ? END : { created_at: Number(key[0]), seq: Number(key[1]) };
}

function keyOf({ created_at, seq }: Place) {
  return [created_at, seq];
}
