import type { Database } from "bun:sqlite";
import { randomUUID } from "node:crypto";
import type {
  AgentContext,
  ContextDelta,
  TimelineEvent,
  TimelineType,
} from "../../protocol/agents.ts";
import { type Json, parseColumn, Table } from "../../store/table.ts";
import { pageByTime, pageOf, parseCursor } from "./cursor.ts";

interface Row {
  id: string;
  agent_id: string;
  sequence: number;
  created_at: number;
  occurred_at: number;
  type: TimelineType;
  title: string;
  delta: Json<ContextDelta>;
  context: Json<AgentContext | null>;
}

/** What a snapshot says beside its place. */
interface SnapshotDraft {
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
  readonly #rows: Table<Row>;

  constructor(db: Database) {
    this.#db = db;
    this.#rows = new Table(db, "snapshots");
  }

  get(id: string): TimelineEvent | null {
    const row = this.#rows.find("WHERE id = ?", id);
    return row && publicOf(row);
  }

  latest(agentId: string): TimelineEvent | null {
    return this.#first(agentId, "DESC");
  }

  oldest(agentId: string): TimelineEvent | null {
    return this.#first(agentId, "ASC");
  }

  add(agentId: string, draft: SnapshotDraft, now: number): string {
    const id = randomUUID();
    const { occurredAt, ...rest } = draft;
    const times = { created_at: now, occurred_at: occurredAt };
    this.#rows.insert({ id, agent_id: agentId, ...times, ...rest });
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
    const before = "WHERE agent_id = ? AND sequence < ? ORDER BY sequence DESC LIMIT ?";
    const start = key?.[0] ?? Number.MAX_SAFE_INTEGER;
    const rows = this.#rows.all(before, agentId, start, limit + 1);
    const page = pageOf(rows, limit, (row) => [row.sequence]);
    return { events: page.rows.map(publicOf), next_cursor: page.next_cursor };
  }

  /** Across sessions, by `created_at` descending, then id; without contexts. @throws AppError 400 */
  global(cursor: string | null, limit: number) {
    const columns =
      "id, agent_id, sequence, created_at, occurred_at, type, title, delta, 'null' AS context";
    const list = { columns, where: "TRUE", time: "created_at" } as const;
    const page = pageByTime(this.#rows, list, { cursor, limit });
    return { events: page.rows.map(publicOf), next_cursor: page.next_cursor };
  }

  #first(agentId: string, order: "ASC" | "DESC"): TimelineEvent | null {
    const row = this.#rows.find(`WHERE agent_id = ? ORDER BY sequence ${order} LIMIT 1`, agentId);
    return row && publicOf(row);
  }
}

function publicOf({ delta, context, ...row }: Row): TimelineEvent {
  return { ...row, delta: parseColumn(delta), context: parseColumn(context) };
}
