import type { Database } from "bun:sqlite";
import type { ChatMessage, MessageStatus } from "../../protocol/agents.ts";
import { isEcho } from "./twins.ts";
import { foldedOf, type MessageRow, messageOf, type ReadMessage } from "./message-row.ts";

/** The same words in a later record are somebody's own: what is sent is taken at once. */
const ECHO_SECONDS = 600;
/** A record may be a little older than the moment in which it was sent. */
const CLOCK_SECONDS = 5;

/** Messages that were sent from here, until the log shows them; rows of the same table. */
export class SentTable {
  readonly #db: Database;
  readonly #changed: (agentId: string, messageId: string) => void;

  constructor(db: Database, changed: (agentId: string, messageId: string) => void) {
    this.#db = db;
    this.#changed = changed;
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

  /** On their way when they were written last. */
  submitting(): ChatMessage[] {
    return this.#db
      .query<MessageRow, []>("SELECT * FROM messages WHERE status = 'submitting'")
      .all()
      .map(messageOf);
  }

  findClient(agentId: string, clientId: string): ChatMessage | null {
    const row = this.#db
      .query<MessageRow, [string, string]>(
        "SELECT * FROM messages WHERE agent_id = ? AND client_id = ?",
      )
      .get(agentId, clientId);
    return row ? messageOf(row) : null;
  }

  /** Null where it was no longer in one of the states `from`. */
  setStatus(
    id: string,
    from: readonly MessageStatus[],
    to: MessageStatus,
    now: number,
  ): ChatMessage | null {
    const message = this.#get(id);
    if (message === null || !from.includes(message.status)) return null;
    this.#db.query("UPDATE messages SET status = ?, updated_at = ? WHERE id = ?").run(to, now, id);
    this.#changed(message.agent_id, id);
    return this.#get(id);
  }

  /** The words of a message that was sent from here, seen in the log. */
  observe(agentId: string, { event, text, at, generation }: ReadMessage, now: number): boolean {
    const sent = this.#db
      .query<MessageRow, [string, number, number]>(
        `SELECT * FROM messages INDEXED BY messages_sent
         WHERE agent_id = ? AND client_id IS NOT NULL AND native_id IS NULL
           AND status IN ('submitting', 'sent', 'unknown') AND created_at BETWEEN ? AND ?
         ORDER BY created_at, seq`,
      )
      .all(agentId, at - ECHO_SECONDS, at + CLOCK_SECONDS)
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

  #get(id: string): ChatMessage | null {
    const row = this.#db.query<MessageRow, [string]>("SELECT * FROM messages WHERE id = ?").get(id);
    return row ? messageOf(row) : null;
  }
}
