import type { Database } from "bun:sqlite";
import { z } from "zod";
import type { Clock } from "../../lib/clock.ts";
import type { MessagesQuery } from "../../protocol/agent-replies.ts";
import type { ChatMessage, MessageRole, MessageStatus } from "../../protocol/agents.ts";
import { Table } from "../../store/table.ts";
import type { MessageEvent } from "../logs/events.ts";
import { pageOf, parseCursor, renderCursor } from "./cursor.ts";
import { foldCase } from "./search-text.ts";

/** Null leaves a filter out. */
type MessageQuery = Omit<MessagesQuery, "around" | "newer" | "role"> & { role: MessageRole | null };

/** Messages that are searched before the time is checked. */
const SLICE = 200;
/** A search then ends its page early: everything else waits for it. */
const SEARCH_SECONDS = 0.005;

const UNFILTERED = { cursor: null, q: null, role: null, after: null, before: null };

interface Place {
  created_at: number;
  seq: number;
}

const PLACE = "created_at, seq";

const TIME_AND_SEQ = z.tuple([z.number(), z.number()]);

const END: Place = { created_at: Number.MAX_VALUE, seq: Number.MAX_SAFE_INTEGER };

/**
 * Pages of messages: of a session the newest page first, each from oldest to newest.
 * A search reads every message. An index of substrings from which deleted words really go would
 * take 30 times as long to write, and milliseconds to delete a message. So a search that takes too
 * long ends its page early, and the cursor goes on where it stopped.
 */
export class MessagePages {
  protected readonly rows: Table<MessageRow>;
  readonly #clock: Pick<Clock, "monotonic">;

  constructor(db: Database, clock: Pick<Clock, "monotonic">) {
    this.rows = new Table(db, "messages");
    this.#clock = clock;
  }

  /** @throws AppError 400 for a cursor that no page gave */
  page(agentId: string, query: MessageQuery) {
    const { messages, next_cursor } = this.search(agentId, query);
    return { messages: messages.reverse(), next_cursor };
  }

  /** Newest first; `agentId` null for all sessions. @throws AppError 400 for a cursor that no page gave */
  search(agentId: string | null, query: MessageQuery) {
    const { rows, next_cursor } = this.#find(agentId, query, placeOf(query.cursor));
    return { messages: rows.map(messageOf), next_cursor };
  }

  /** Half of `limit` before and half after one message; null where the session does not have it. */
  around(agentId: string, id: string, limit: number) {
    const [place] = this.rows.pick<Place>(PLACE, "WHERE agent_id = ? AND id = ?", agentId, id);
    if (!place) return null;
    const newer = this.#newer(agentId, place, Math.floor((limit - 1) / 2));
    const start = { ...place, seq: place.seq + 1 };
    const query = { ...UNFILTERED, limit: limit - newer.rows.length };
    const older = this.#find(agentId, query, start);
    return {
      messages: [...older.rows.toReversed(), ...newer.rows].map(messageOf),
      next_cursor: older.next_cursor,
      newer_cursor: newer.next_cursor,
    };
  }

  /** From `newer_cursor` on. @throws AppError 400 for a cursor that no page gave */
  newer(agentId: string, cursor: string, limit: number) {
    const { rows, next_cursor } = this.#newer(agentId, placeOf(cursor), limit);
    const oldest = rows[0];
    return {
      messages: rows.map(messageOf),
      // The message of the cursor lies before the page.
      next_cursor: oldest ? renderCursor(keyOf(oldest)) : null,
      newer_cursor: next_cursor,
    };
  }

  #newer(agentId: string, place: Place, limit: number) {
    const behind =
      "WHERE agent_id = ? AND (created_at, seq) > (?, ?) ORDER BY created_at, seq LIMIT ?";
    const rows = this.rows.all(behind, agentId, place.created_at, place.seq, limit + 1);
    if (limit > 0) return pageOf(rows, limit, keyOf);
    return { rows: [], next_cursor: rows.length > 0 ? renderCursor(keyOf(place)) : null };
  }

  /** @param agentId null for all sessions */
  #find(agentId: string | null, query: MessageQuery, start: Place) {
    const until = this.#clock.monotonic() + SEARCH_SECONDS;
    const rows: MessageRow[] = [];
    let place = start;
    for (;;) {
      const end = query.q === null ? null : this.#endOfSlice(agentId, query.after, place);
      rows.push(...this.#slice(agentId, query, place, end, query.limit + 1 - rows.length));
      if (end === null || rows.length > query.limit) return pageOf(rows, query.limit, keyOf);
      if (this.#clock.monotonic() >= until) return { rows, next_cursor: renderCursor(keyOf(end)) };
      place = end;
    }
  }

  /** The last message of the slice before `place`; null where that slice is the last. */
  #endOfSlice(agentId: string | null, after: number | null, place: Place): Place | null {
    const before = `WHERE ${scopeOf(agentId)} AND (created_at, seq) < (?2, ?3) AND created_at >= ?4
      ORDER BY created_at DESC, seq DESC LIMIT 1 OFFSET ${SLICE - 1}`;
    const values = [agentId, place.created_at, place.seq, after ?? -Number.MAX_VALUE];
    return this.rows.pick<Place>(PLACE, before, ...values)[0] ?? null;
  }

  #slice(
    agentId: string | null,
    query: MessageQuery,
    place: Place,
    end: Place | null,
    limit: number,
  ) {
    return this.rows.all(
      `WHERE ${scopeOf(agentId)} AND (created_at, seq) < (?2, ?3) AND (created_at, seq) >= (?4, ?5)
           AND (?6 IS NULL OR instr(coalesce(folded, lower(content)), ?6) > 0)
           AND (?7 IS NULL OR role = ?7)
           AND (?8 IS NULL OR created_at >= ?8) AND (?9 IS NULL OR created_at <= ?9)
         ORDER BY created_at DESC, seq DESC LIMIT ?10`,
      agentId,
      place.created_at,
      place.seq,
      end?.created_at ?? -Number.MAX_VALUE,
      end?.seq ?? 0,
      query.q === null ? null : foldCase(query.q),
      query.role,
      query.after,
      query.before,
      limit,
    );
  }
}

/** Two conditions, each with its index; a single one for both would use none. */
function scopeOf(agentId: string | null): string {
  return agentId === null ? "?1 IS NULL" : "agent_id = ?1";
}

function placeOf(cursor: string | null): Place {
  const [created_at, seq] = parseCursor(cursor, TIME_AND_SEQ) ?? [];
  return created_at === undefined || seq === undefined ? END : { created_at, seq };
}

function keyOf({ created_at, seq }: Place) {
  return [created_at, seq];
}

export interface MessageRow {
  seq: number;
  id: string;
  agent_id: string;
  role: MessageRole;
  content: string;
  status: MessageStatus;
  native_id: string | null;
  client_id: string | null;
  parent_id: string | null;
  ordinal: number | null;
  source: string;
  generation: string;
  is_fallback: number;
  folded: string | null;
  created_at: number;
  updated_at: number;
  observed_at: number | null;
  words: bigint | number | null;
}

export interface MessageRecord {
  event: MessageEvent;
  text: string;
  at: number;
  /** `path#generation` of the file. */
  generation: string;
  offset: number;
}

export function messageOf(row: MessageRow): ChatMessage {
  return {
    id: row.id,
    agent_id: row.agent_id,
    role: row.role,
    content: row.content,
    status: row.status,
    native_event_id: row.native_id,
    client_message_id: row.client_id,
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}
