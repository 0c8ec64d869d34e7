import type { Database } from "bun:sqlite";
import type { ChatMessage, MessageRole, MessageStatus } from "../../protocol/agents.ts";
import { pageOf, parseCursor } from "../cursor.ts";
import type { MessageEvent } from "../events.ts";
import { uuidOf } from "../ids.ts";
import { isEcho, type StoredMessage, TWIN_SECONDS, verdictOf } from "../messages.ts";

interface Row {
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
  created_at: number;
  updated_at: number;
}

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

/** A message with where its record stands. */
export interface ReadMessage {
  event: MessageEvent;
  /** The text as a person may see it. */
  text: string;
  at: number;
  /** `path#generation` of the file. */
  generation: string;
  /** Byte offset of its record. */
  offset: number;
}

/** Messages of a session that a person sees, in the order of their time. */
export class MessageTable {
  readonly #db: Database;
  readonly #changed: (agentId: string, messageId: string) => void;

  constructor(db: Database, changed: (agentId: string, messageId: string) => void) {
    this.#db = db;
    this.#changed = changed;
  }

  get(id: string): ChatMessage | null {
    const row = this.#db.query<Row, [string]>("SELECT * FROM messages WHERE id = ?").get(id);
    return row ? publicOf(row) : null;
  }

  /** The newest page first, each page from oldest to newest. @throws AppError 400 */
  page(agentId: string, query: MessageQuery) {
    const key = parseCursor(query.cursor, ["number", "number"]);
    const at = Number(key?.[0] ?? Number.MAX_VALUE);
    const rows = this.#db
      .query<Row, (string | number | null)[]>(
        `SELECT * FROM messages
         WHERE agent_id = ?1 AND (created_at < ?2 OR (created_at = ?2 AND seq < ?3))
           AND (?4 IS NULL OR instr(coalesce(folded, lower(content)), ?4) > 0)
           AND (?5 IS NULL OR role = ?5)
           AND (?6 IS NULL OR created_at >= ?6) AND (?7 IS NULL OR created_at <= ?7)
         ORDER BY created_at DESC, seq DESC LIMIT ?8`,
      )
      .all(
        agentId,
        at,
        Number(key?.[1] ?? Number.MAX_SAFE_INTEGER),
        query.q === null ? null : query.q.toLowerCase(),
        query.role,
        query.after,
        query.before,
        query.limit + 1,
      );
    const page = pageOf(rows, query.limit, (row) => [row.created_at, row.seq]);
    return { messages: page.rows.map(publicOf).reverse(), next_cursor: page.next_cursor };
  }

  /** Times of the oldest and the newest message that is kept. */
  retained(agentId: string): { from: number | null; to: number | null } {
    const row = this.#db
      .query<{ a: number | null; b: number | null }, [string]>(
        "SELECT min(created_at) AS a, max(created_at) AS b FROM messages WHERE agent_id = ?",
      )
      .get(agentId);
    return { from: row?.a ?? null, to: row?.b ?? null };
  }

  /** What stands in the log of late, newest first, for looking for it on a screen. */
  latest(agentId: string, count: number): ChatMessage[] {
    return this.#db
      .query<Row, [string, number]>(
        `SELECT * FROM messages WHERE agent_id = ? AND status = 'observed'
         ORDER BY created_at DESC, seq DESC LIMIT ?`,
      )
      .all(agentId, count)
      .map(publicOf);
  }

  /**
   * One message of the log. False where nothing was added: it was read before, it is a twin, it
   * is what was sent from here, or another session said it first.
   */
  add(agentId: string, read: ReadMessage, now: number): boolean {
    const { event, text, at } = read;
    const key = event.nativeId ?? `${read.generation}:${read.offset}`;
    const id = uuidOf("message", agentId, event.source, key);
    const near = this.#near(agentId, event.role, text, at);
    const verdict = verdictOf(event, { id, generation: read.generation }, near);
    if (verdict.kind === "known" || this.get(id) !== null) return false;
    if (verdict.kind === "twin") return this.#join(verdict.id, event, near);
    if (event.role === "user" && this.#observe(agentId, read, now)) return false;
    this.#db
      .query(
        `INSERT INTO messages (id, agent_id, role, content, status, native_id, parent_id, ordinal,
           source, generation, is_fallback, folded, created_at, updated_at, observed_at)
         VALUES (?, ?, ?, ?, 'observed', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(
        id,
        agentId,
        event.role,
        text,
        event.nativeId,
        event.parentId,
        event.ordinal,
        event.source,
        read.generation,
        event.isFallback ? 1 : 0,
        foldedOf(text),
        at,
        now,
        at,
      );
    this.#changed(agentId, id);
    return true;
  }

  /** Another session that has the same record: one of the two is a copy. */
  findElsewhere(agentId: string, nativeId: string): string | null {
    const row = this.#db
      .query<{ agent_id: string }, [string, string]>(
        "SELECT agent_id FROM messages WHERE native_id = ? AND agent_id <> ? LIMIT 1",
      )
      .get(nativeId, agentId);
    return row?.agent_id ?? null;
  }

  dropNative(agentId: string, nativeId: string): void {
    this.#drop(agentId, "native_id = ?", nativeId);
  }

  /** Those of a session that a better source has made superfluous. */
  dropFallbacks(agentId: string): void {
    this.#drop(agentId, "is_fallback = ?", 1);
  }

  /** Messages of an earlier place that the conversation went back to. */
  dropFrom(agentId: string, from: { at: number; seq: number }, before: number): void {
    const rows = this.#db
      .query<{ id: string }, (string | number)[]>(
        `DELETE FROM messages WHERE agent_id = ?1 AND client_id IS NULL AND seq < ?4
           AND (created_at > ?2 OR (created_at = ?2 AND seq >= ?3)) RETURNING id`,
      )
      .all(agentId, from.at, from.seq, before);
    for (const { id } of rows) this.#changed(agentId, id);
  }

  dropOrdinals(agentId: string, from: number, before: number): void {
    const rows = this.#db
      .query<{ id: string }, (string | number)[]>(
        "DELETE FROM messages WHERE agent_id = ? AND ordinal >= ? AND ordinal < ? RETURNING id",
      )
      .all(agentId, from, before);
    for (const { id } of rows) this.#changed(agentId, id);
  }

  /** Prompts of a person, newest first. */
  prompts(agentId: string, count: number) {
    return this.#db
      .query<{ seq: number; at: number; parentId: string | null }, [string, number]>(
        `SELECT seq, created_at AS at, parent_id AS parentId FROM messages
         WHERE agent_id = ? AND role = 'user' ORDER BY created_at DESC, seq DESC LIMIT ?`,
      )
      .all(agentId, count);
  }

  /** A message on its way to the agent; the stored one where its id was used before. */
  reserve(
    agentId: string,
    sent: { id: string; text: string; clientId: string },
    now: number,
  ): { message: ChatMessage; isNew: boolean } {
    const known = this.findClient(agentId, sent.clientId);
    if (known) return { message: known, isNew: false };
    this.#db
      .query(
        `INSERT INTO messages (id, agent_id, role, content, status, client_id, source, generation,
           folded, created_at, updated_at) VALUES (?, ?, 'user', ?, 'submitting', ?, 'sent', '', ?, ?, ?)`,
      )
      .run(sent.id, agentId, sent.text, sent.clientId, foldedOf(sent.text), now, now);
    this.#changed(agentId, sent.id);
    const message = this.findClient(agentId, sent.clientId);
    if (message === null) throw new Error("a message is gone right after it was stored");
    return { message, isNew: true };
  }

  findClient(agentId: string, clientId: string): ChatMessage | null {
    const row = this.#db
      .query<Row, [string, string]>("SELECT * FROM messages WHERE agent_id = ? AND client_id = ?")
      .get(agentId, clientId);
    return row ? publicOf(row) : null;
  }

  /** Null where it was no longer in one of the states `from`. */
  setStatus(
    id: string,
    from: readonly MessageStatus[],
    to: MessageStatus,
    now: number,
  ): ChatMessage | null {
    const message = this.get(id);
    if (message === null || !from.includes(message.status)) return null;
    this.#db.query("UPDATE messages SET status = ?, updated_at = ? WHERE id = ?").run(to, now, id);
    this.#changed(message.agent_id, id);
    return this.get(id);
  }

  #near(agentId: string, role: MessageRole, text: string, at: number): StoredMessage[] {
    return this.#db
      .query<Row, [string, number, number, string, string]>(
        `SELECT * FROM messages WHERE agent_id = ? AND observed_at BETWEEN ? AND ?
           AND role = ? AND (content = ? OR client_id IS NOT NULL) ORDER BY created_at, seq`,
      )
      .all(agentId, at - TWIN_SECONDS, at + TWIN_SECONDS, role, text)
      .filter((row) => row.client_id === null || isEcho(row.content, text))
      .map((row) => ({
        id: row.id,
        sources: row.source.split(" "),
        generation: row.generation,
        isFallback: row.is_fallback === 1,
      }));
  }

  #join(id: string, event: MessageEvent, near: readonly StoredMessage[]): false {
    const before = near.find((each) => each.id === id);
    const sources = [...(before?.sources ?? []), event.source].join(" ");
    const isFallback = (before?.isFallback ?? false) && event.isFallback ? 1 : 0;
    this.#db
      .query(
        `UPDATE messages SET source = ?, is_fallback = ?, native_id = coalesce(native_id, ?),
           parent_id = coalesce(parent_id, ?), ordinal = coalesce(ordinal, ?) WHERE id = ?`,
      )
      .run(sources, isFallback, event.nativeId, event.parentId, event.ordinal, id);
    return false;
  }

  /** The words of a message that was sent from here, seen in the log. */
  #observe(agentId: string, { event, text, at, generation }: ReadMessage, now: number): boolean {
    const sent = this.#db
      .query<Row, [string]>(
        `SELECT * FROM messages WHERE agent_id = ? AND client_id IS NOT NULL AND native_id IS NULL
           AND status IN ('submitting', 'sent', 'unknown') ORDER BY created_at, seq`,
      )
      .all(agentId)
      .find((row) => isEcho(row.content, text));
    if (sent === undefined) return false;
    this.#db
      .query(
        `UPDATE messages SET status = 'observed', native_id = ?, parent_id = ?, ordinal = ?,
           source = ?, generation = ?, updated_at = ?, observed_at = ? WHERE id = ?`,
      )
      .run(
        event.nativeId ?? sent.id,
        event.parentId,
        event.ordinal,
        event.source,
        generation,
        now,
        at,
        sent.id,
      );
    this.#changed(agentId, sent.id);
    return true;
  }

  #drop(agentId: string, where: string, value: string | number): void {
    const rows = this.#db
      .query<{ id: string }, [string, string | number]>(
        `DELETE FROM messages WHERE agent_id = ? AND client_id IS NULL AND ${where} RETURNING id`,
      )
      .all(agentId, value);
    for (const { id } of rows) this.#changed(agentId, id);
  }
}

/**
 * The text for searching without regard to case, only where SQLite's own `lower`, which knows
 * ASCII alone, would say something else.
 */
function foldedOf(text: string): string | null {
  const folded = text.toLowerCase();
  return folded === text.replace(/[A-Z]+/g, (ascii) => ascii.toLowerCase()) ? null : folded;
}

function publicOf(row: Row): ChatMessage {
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
