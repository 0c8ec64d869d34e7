import type { Database } from "bun:sqlite";
import { randomUUID } from "node:crypto";
import type {
  AgentContext,
  ContextDelta,
  TimelineEvent,
  TimelineType,
} from "../../protocol/agents.ts";
import { pageByTime, pageOf, parseCursor } from "./cursor.ts";

interface Row {
  id: string;
  agent_id: string;
  sequence: number;
  created_at: number;
  occurred_at: number;
  type: TimelineType;
  title: string;
  delta: string;
  context: string;
}

/** What a snapshot says beside its place. */
export interface SnapshotDraft {
  sequence: number;
  occurredAt: number;
  type: TimelineType;
  title: string;
  delta: ContextDelta;
  context: AgentContext;
}

/** Contexts as they were when a person would have seen a change. */
export class SnapshotTable {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  get(id: string): TimelineEvent | null {
    const row = this.#db.query<Row, [string]>("SELECT * FROM snapshots WHERE id = ?").get(id);
    return row ? publicOf(row) : null;
  }

  latest(agentId: string): TimelineEvent | null {
    return this.#first(agentId, "DESC");
  }

  oldest(agentId: string): TimelineEvent | null {
    return this.#first(agentId, "ASC");
  }

  add(agentId: string, draft: SnapshotDraft, now: number): string {
    const id = randomUUID();
    this.#db
      .query(
        `INSERT INTO snapshots (id, agent_id, sequence, created_at, occurred_at, type, title,
           delta, context) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(
        id,
        agentId,
        draft.sequence,
        now,
        draft.occurredAt,
        draft.type,
        draft.title,
        JSON.stringify(draft.delta),
        JSON.stringify(draft.context),
      );
    return id;
  }

  /**
   * The newest snapshot says what was said last, where it says nothing else and nobody has marked
   * it: an agent that talks would write a whole context for every text. Its id, or null.
   */
  retell(
    agentId: string,
    { title, context }: Pick<SnapshotDraft, "title" | "context">,
  ): string | null {
    const row = this.#db
      .query<{ id: string }, [string, string, string]>(
        `UPDATE snapshots SET title = ?2, context = ?3
         WHERE agent_id = ?1 AND type = 'activity' AND delta = '{}'
           AND sequence = (SELECT max(sequence) FROM snapshots WHERE agent_id = ?1)
           AND NOT EXISTS (SELECT 1 FROM marks WHERE snapshot_id = snapshots.id)
         RETURNING id`,
      )
      .get(agentId, title, JSON.stringify(context));
    return row?.id ?? null;
  }

  /** Of one session, by sequence descending, with contexts. @throws AppError 400 */
  page(agentId: string, cursor: string | null, limit: number) {
    const key = parseCursor(cursor, ["number"]);
    const rows = this.#db
      .query<Row, [string, number, number]>(
        `SELECT * FROM snapshots WHERE agent_id = ? AND sequence < ?
         ORDER BY sequence DESC LIMIT ?`,
      )
      .all(agentId, Number(key?.[0] ?? Number.MAX_SAFE_INTEGER), limit + 1);
    const page = pageOf(rows, limit, (row) => [row.sequence]);
    return { events: page.rows.map(publicOf), next_cursor: page.next_cursor };
  }

  /** Across sessions, by `created_at` descending, then id; without contexts. @throws AppError 400 */
  global(cursor: string | null, limit: number) {
    const select = `SELECT id, agent_id, sequence, created_at, occurred_at, type, title, delta,
      'null' AS context FROM snapshots WHERE TRUE`;
    const list = { select, time: "created_at" } as const;
    const page = pageByTime<"created_at", Row>(this.#db, list, { cursor, limit });
    return { events: page.rows.map(publicOf), next_cursor: page.next_cursor };
  }

  #first(agentId: string, order: "ASC" | "DESC"): TimelineEvent | null {
    const row = this.#db
      .query<Row, [string]>(
        `SELECT * FROM snapshots WHERE agent_id = ? ORDER BY sequence ${order} LIMIT 1`,
      )
      .get(agentId);
    return row ? publicOf(row) : null;
  }
}

// Both JSON columns are written by this file alone, in these very shapes.
function publicOf(row: Row): TimelineEvent {
  return {
    id: row.id,
    agent_id: row.agent_id,
    sequence: row.sequence,
    created_at: row.created_at,
    occurred_at: row.occurred_at,
    delta: JSON.parse(row.delta) as ContextDelta,
    context: JSON.parse(row.context) as AgentContext | null,
    type: row.type,
    title: row.title,
  };
}
