import type { Database } from "bun:sqlite";
import { randomUUID } from "node:crypto";
import type { Clock } from "../../lib/clock.ts";
import type { ChatMessage, MessageRole, MessageStatus } from "../../protocol/agents.ts";
import { uuidOf } from "../session.ts";
import type { MessageEvent } from "../logs/events.ts";
import { wordsOf } from "../logs/text.ts";
import { messageDigest, foldForSearch } from "./search-text.ts";
import { messageOf, MessagePages, type MessageRow, type MessageRecord } from "./message-pages.ts";

/** A later record with the same words was typed by a person: what is sent is logged at once. */
const ECHO_SECONDS = 600;
/** A record's time may lie a little before that of sending. */
const CLOCK_SECONDS = 5;

/** From the first letter typed until the program is known to have taken the message. */
const TYPING_SECONDS = 30;

interface SentMessage {
  text: string;
  clientId: string;
}

/** No program rewinds further in one step. */
const MAX_PROMPTS_BACK = 1000;

export class MessageTable extends MessagePages {
  readonly #changed: (agentId: string, messageId: string) => void;

  constructor(db: Database, changed: (agentId: string, messageId: string) => void, clock: Clock) {
    super(db, clock);
    this.#changed = changed;
  }

  get(id: string): ChatMessage | null {
    const row = this.rows.find("WHERE id = ?", id);
    return row && messageOf(row);
  }

  retained(agentId: string): { from: number | null; to: number | null } {
    // Two queries, each answered by one end of the index; a single one would read all of it.
    return {
      from: this.rows.value("min(created_at)", "WHERE agent_id = ?", agentId),
      to: this.rows.value("max(created_at)", "WHERE agent_id = ?", agentId),
    };
  }

  oldest(): number | null {
    return this.rows.value("min(created_at)", "");
  }

  /** Messages of the log, newest first. */
  latest(agentId: string, count: number): ChatMessage[] {
    const newest = `WHERE agent_id = ? AND status = 'observed'
      ORDER BY created_at DESC, seq DESC LIMIT ?`;
    return this.rows.all(newest, agentId, count).map(messageOf);
  }

  /**
   * Adds a message of the log.
   * @returns its `seq`; null where it was read before, is a twin, or was sent from here
   */
  add(agentId: string, read: MessageRecord, now: number): number | null {
    const { event, text, at } = read;
    const key = event.nativeId ?? `${read.generation}:${read.offset}`;
    const id = uuidOf("message", agentId, event.source, key);
    const near = this.#near(agentId, event.role, text, at);
    if (this.get(id) !== null || wasRead(near, id, read)) return null;
    const twin = near.find((row) => !sourcesOf(row).includes(event.source));
    if (twin) {
      this.#join(twin, event);
      return null;
    }
    if (event.role === "user" && this.#observe(agentId, read, now)) return null;
    const { role, parentId: parent_id, ordinal, source } = event;
    const seq = this.rows.insert({
      ...{ id, agent_id: agentId, role, content: text, status: "observed" },
      ...{ native_id: event.nativeId, parent_id, ordinal, source, generation: read.generation },
      ...{ is_fallback: Number(event.isFallback), folded: foldForSearch(text) },
      ...{ created_at: at, updated_at: now, observed_at: at, words: messageDigest(role, text) },
    });
    this.#changed(agentId, id);
    return seq;
  }

  /**
   * Stores a message before it is sent; where its client id was used before, gives that message.
   */
  reserve(
    agentId: string,
    { text, clientId: client_id }: SentMessage,
    now: number,
  ): { message: ChatMessage; isNew: boolean } {
    const known = this.findClient(agentId, client_id);
    if (known) return { message: known, isNew: false };
    const id = randomUUID();
    this.rows.insert({
      ...{ id, agent_id: agentId, role: "user", content: text, status: "submitting", client_id },
      ...{ source: "sent", generation: "", folded: foldForSearch(text) },
      ...{ created_at: now, updated_at: now },
    });
    this.#changed(agentId, id);
    const message = this.get(id);
    if (message === null) throw new Error("a message is gone right after it was stored");
    return { message, isNew: true };
  }

  /** Stores the client id of a message typed from the queue, whose record may be read already. */
  noteTyped(agentId: string, sent: SentMessage, now: number): void {
    const last = `WHERE agent_id = ? AND role = 'user' AND client_id IS NULL AND created_at >= ?
      ORDER BY created_at DESC, seq DESC LIMIT 5`;
    const record = this.rows
      .all(last, agentId, now - TYPING_SECONDS)
      .find(({ content }) => isEcho(sent.text, content));
    if (record === undefined) {
      const { message, isNew } = this.reserve(agentId, sent, now);
      if (isNew) this.noteSent(message.id, "sent", now);
      return;
    }
    this.rows.update({ client_id: sent.clientId, updated_at: now }, "WHERE id = ?", record.id);
    this.#changed(agentId, record.id);
  }

  submitting(): ChatMessage[] {
    return this.rows.all("WHERE status = 'submitting'").map(messageOf);
  }

  findClient(agentId: string, clientId: string): ChatMessage | null {
    const row = this.rows.find("WHERE agent_id = ? AND client_id = ?", agentId, clientId);
    return row && messageOf(row);
  }

  /** How a message was sent; one that a record has observed meanwhile stays so. */
  noteSent(id: string, status: MessageStatus, now: number): void {
    const message = this.get(id);
    if (message?.status !== "submitting") return;
    this.rows.update({ status, updated_at: now }, "WHERE id = ?", id);
    this.#changed(message.agent_id, id);
  }

  /** Another session with the same record: one of the two has a copy. */
  findElsewhere(agentId: string, nativeId: string): string | null {
    const others = "WHERE native_id = ? AND agent_id <> ? LIMIT 1";
    return this.rows.value("agent_id", others, nativeId, agentId);
  }

  dropNative(agentId: string, nativeId: string): void {
    this.#drop("agent_id = ? AND native_id = ?", agentId, nativeId);
  }

  /** The log has messages of a better source. */
  dropFallbacks(agentId: string): void {
    this.#drop("agent_id = ? AND client_id IS NULL AND is_fallback = 1", agentId);
  }

  /** Drops rewound messages: `seq` from `from` up to, and without, `to`, said since `at`. */
  dropPlaces(agentId: string, { at, from, to }: { at: number; from: number; to: number }): void {
    const places =
      "agent_id = ? AND client_id IS NULL AND created_at >= ? AND seq >= ? AND seq < ?";
    this.#drop(places, agentId, at, from, to);
  }

  /** Drops rewound messages by the runtime's count: from ordinal `from` on, said before `at`. */
  dropOrdinals(agentId: string, { from, at }: { from: number; at: number }): void {
    const places = "agent_id = ? AND client_id IS NULL AND ordinal >= ? AND +created_at < ?";
    this.#drop(places, agentId, from, at);
  }

  /** The first prompt after the same record: a later one rewinds it, or is a fork. */
  findSibling(agentId: string, parentId: string): { seq: number; at: number } | null {
    const first = `INDEXED BY messages_by_parent WHERE agent_id = ? AND parent_id = ?
      ORDER BY created_at, seq LIMIT 1`;
    return this.#place(first, agentId, parentId);
  }

  /** The prompt `count` prompts ago; null where there were fewer, or it is too far back. */
  findPrompt(agentId: string, count: number): { seq: number; at: number } | null {
    if (count > MAX_PROMPTS_BACK) return null;
    const last = `WHERE agent_id = ? AND role = 'user' AND status = 'observed'
      ORDER BY created_at DESC, seq DESC LIMIT 1 OFFSET ?`;
    return this.#place(last, agentId, Math.max(0, count - 1));
  }

  /** Marks a message that was sent from here as observed; false where it is none of those. */
  #observe(agentId: string, { event, text, at, generation }: MessageRecord, now: number): boolean {
    const open = `INDEXED BY messages_sent WHERE agent_id = ? AND client_id IS NOT NULL
      AND native_id IS NULL AND status IN ('submitting', 'sent', 'unknown')
      AND created_at BETWEEN ? AND ? ORDER BY created_at, seq`;
    const message = this.rows
      .all(open, agentId, at - ECHO_SECONDS, at + CLOCK_SECONDS)
      .find((row) => isEcho(row.content, text));
    if (message === undefined) return false;
    const { parentId: parent_id, ordinal, source } = event;
    const native_id = event.nativeId ?? message.id;
    const record = { native_id, parent_id, ordinal, source, generation };
    // One that was noted once it had been typed stands before the answer to it.
    const created_at = Math.min(message.created_at, at);
    const times = { created_at, updated_at: now, observed_at: at };
    this.rows.update({ status: "observed", ...record, ...times }, "WHERE id = ?", message.id);
    this.#changed(agentId, message.id);
    return true;
  }

  /** Equal messages around `at`, of each record type and file the first: there may be thousands. */
  #near(agentId: string, role: MessageRole, text: string, at: number): MessageRow[] {
    const words = messageDigest(role, text);
    const window = [at - TWIN_SECONDS, at + TWIN_SECONDS] as const;
    const own = `INDEXED BY messages_sent WHERE agent_id = ? AND client_id IS NOT NULL
      AND created_at BETWEEN ? AND ? AND observed_at BETWEEN ? AND ? AND role = ?`;
    const from = at - ECHO_SECONDS - TWIN_SECONDS;
    const to = at + CLOCK_SECONDS + TWIN_SECONDS;
    const sent = this.rows
      .all(own, agentId, from, to, ...window, role)
      .filter((row) => isEcho(row.content, text));
    const read: MessageRow[] = [];
    for (let kind = this.#nextKind(agentId, words, "", ""); kind !== null;) {
      const { source, generation } = kind;
      const equal = `INDEXED BY messages_by_words
        WHERE agent_id = ? AND words = ? AND source = ? AND generation = ?
          AND observed_at BETWEEN ? AND ? AND client_id IS NULL ORDER BY observed_at, seq LIMIT 1`;
      const first = this.rows.find(equal, agentId, words, source, generation, ...window);
      if (first) read.push(first);
      kind = this.#nextKind(agentId, words, source, generation);
    }
    return [...sent, ...read].toSorted((a, b) => a.created_at - b.created_at || a.seq - b.seq);
  }

  #nextKind(agentId: string, words: bigint, source: string, generation: string) {
    const next = `INDEXED BY messages_by_words WHERE agent_id = ? AND words = ?
      AND (source, generation) > (?, ?) ORDER BY source, generation LIMIT 1`;
    const values = [agentId, words, source, generation] as const;
    type Kind = Pick<MessageRow, "source" | "generation">;
    return this.rows.pick<Kind>("source, generation", next, ...values)[0] ?? null;
  }

  #join(twin: MessageRow, event: MessageEvent): void {
    const merged = {
      native_id: twin.native_id ?? event.nativeId,
      parent_id: twin.parent_id ?? event.parentId,
      ordinal: twin.ordinal ?? event.ordinal,
    };
    const source = `${twin.source} ${event.source}`;
    const is_fallback = Number(twin.is_fallback === 1 && event.isFallback);
    this.rows.update({ ...merged, source, is_fallback }, "WHERE id = ?", twin.id);
  }

  #place(rest: string, ...values: [string, string | number]) {
    const place = "seq, created_at AS at";
    return this.rows.pick<{ seq: number; at: number }>(place, rest, ...values)[0] ?? null;
  }

  #drop(where: string, ...params: (string | number)[]): void {
    type Gone = Pick<MessageRow, "id" | "agent_id">;
    const gone = this.rows.pick<Gone>("id, agent_id", `WHERE ${where}`, ...params);
    if (gone.length > 0) this.rows.delete(`WHERE ${where}`, ...params);
    for (const { id, agent_id } of gone) this.#changed(agent_id, id);
  }
}

/** Within this time equal records of different types are one message. */
const TWIN_SECONDS = 2;

const sourcesOf = ({ source }: MessageRow): string[] => source.split(" ");

/**
 * Two equal records of one type are two messages, unless the file is read anew or is a copy: then
 * the same records come again at the same times.
 *
 * @param id of the new message
 * @param near messages of the same role and text within `TWIN_SECONDS`
 */
function wasRead(near: readonly MessageRow[], id: string, read: MessageRecord): boolean {
  return near.some(
    (row) =>
      row.id === id ||
      (row.generation !== read.generation && sourcesOf(row).includes(read.event.source)),
  );
}

/** Whether a record has the words of a sent message: programs change blanks and marks. */
function isEcho(sent: string, observed: string): boolean {
  const words = wordsOf(sent);
  return words === "" ? sent.trim() === observed.trim() : words === wordsOf(observed);
}
