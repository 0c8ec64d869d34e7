import type { Database } from "bun:sqlite";
import { randomUUID } from "node:crypto";
import type { AgentContext, TimelineEvent } from "../../protocol/agents.ts";
import type { ReviewGroup } from "../../protocol/review.ts";
import { Table } from "../../store/table.ts";
import type { Mark, MarkKind } from "../session.ts";
import { pageByTime } from "./cursor.ts";
import { deltaOf } from "./timeline.ts";

/** A context is stored whenever a person would have seen a change. */
export class SnapshotTable {
  readonly #rows: Table<TimelineEvent>;

  constructor(db: Database) {
    this.#rows = new Table(db, "snapshots", ["delta", "context"]);
  }

  get(id: string): TimelineEvent | null {
    return this.#rows.find("WHERE id = ?", id);
  }

  latest(agentId: string): TimelineEvent | null {
    return this.#first(agentId, "DESC");
  }

  oldest(agentId: string): TimelineEvent | null {
    return this.#first(agentId, "ASC");
  }

  add(snapshot: Omit<TimelineEvent, "id">): string {
    const id = randomUUID();
    this.#rows.insert({ id, ...snapshot });
    return id;
  }

  /**
   * Replaces the newest snapshot where it only tells of another text and no mark is on it: an agent
   * that talks would store a whole context for every text. @returns its id, or null
   */
  replaceLatest(
    agentId: string,
    { title, context }: Pick<TimelineEvent, "title" | "context">,
  ): string | null {
    const id = this.#rows.value<string>(
      "id",
      `WHERE agent_id = ?1 AND type = 'activity' AND delta = '{}'
         AND sequence = (SELECT max(sequence) FROM snapshots WHERE agent_id = ?1)
         AND NOT EXISTS (SELECT 1 FROM marks WHERE snapshot_id = snapshots.id)`,
      agentId,
    );
    if (id !== null) this.#rows.update({ title, context }, "WHERE id = ?", id);
    return id;
  }

  /** Of one session, by sequence descending, with contexts. @throws AppError 400 */
  page(agentId: string, cursor: string | null, limit: number) {
    const list = { where: "agent_id = ?4", time: "sequence", params: [agentId] } as const;
    const { rows: events, next_cursor } = pageByTime(this.#rows, list, { cursor, limit });
    return { events, next_cursor };
  }

  /**
   * Of all sessions, by `created_at` descending, then id; without contexts. @throws AppError 400
   */
  global(cursor: string | null, limit: number) {
    const columns =
      "id, agent_id, sequence, created_at, occurred_at, type, title, delta, 'null' AS context";
    const list = { columns, where: "TRUE", time: "created_at" } as const;
    const { rows: events, next_cursor } = pageByTime(this.#rows, list, { cursor, limit });
    return { events, next_cursor };
  }

  #first(agentId: string, order: "ASC" | "DESC"): TimelineEvent | null {
    return this.#rows.find(`WHERE agent_id = ? ORDER BY sequence ${order} LIMIT 1`, agentId);
  }
}

/**
 * Sessions `s` whose last record is older than the store are no news: they count as reviewed,
 * unless they wait, failed or may be in a pane.
 */
const OLDER = `coalesce(json_extract(s.facts, '$.lastAt'), 1e300) <
    (SELECT value FROM facts WHERE name = 'began_at')
  AND json_extract(s.binding, '$.association') = 'unavailable'
  AND json_extract(s.public, '$.lifecycle') NOT IN ('waiting', 'error')
  AND json_extract(s.public, '$.pending_decisions_count') = 0`;

export class MarkTable {
  readonly #db: Database;
  readonly #rows: Table<object>;

  constructor(db: Database) {
    this.#db = db;
    this.#rows = new Table(db, "marks");
  }

  get(agentId: string, kind: MarkKind): Mark | null {
    const columns = `m.snapshot_id, m.sequence AS snapshot_sequence, s.created_at AS snapshot_at,
      m.marked_at`;
    const mark = `m LEFT JOIN snapshots s ON s.id = m.snapshot_id
      WHERE m.agent_id = ? AND m.kind = ?`;
    return this.#rows.pick<Mark>(columns, mark, agentId, kind)[0] ?? null;
  }

  /** Never moves back. @returns whether it moved */
  advance(kind: MarkKind, snapshot: TimelineEvent, now: number): boolean {
    const { changes } = this.#db
      .query(
        `INSERT INTO marks (agent_id, kind, snapshot_id, sequence, marked_at)
         VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT (agent_id, kind) DO UPDATE SET snapshot_id = ?3, sequence = ?4, marked_at = ?5
         WHERE ?4 > sequence`,
      )
      .run(snapshot.agent_id, kind, snapshot.id, snapshot.sequence, now);
    return changes > 0;
  }

  /** Marks `OLDER` sessions without a mark for good. @returns their ids */
  markOlderReviewed(now: number): string[] {
    return this.#db
      .query<{ agent_id: string }, [number]>(
        `INSERT OR IGNORE INTO marks (agent_id, kind, snapshot_id, sequence, marked_at)
         SELECT s.id, 'review', n.id, n.sequence, ?1 FROM sessions s
           JOIN snapshots n ON n.agent_id = s.id AND n.sequence = s.last_sequence
         WHERE s.public <> '' AND ${OLDER} RETURNING agent_id`,
      )
      .all(now)
      .map(({ agent_id }) => agent_id);
  }
}

/** What there is to review of a session, in the words of the wire. */
export interface UnreviewedChange extends Pick<
  ReviewGroup,
  | "agent"
  | "as_of_snapshot_sequence"
  | "reviewed_snapshot_id"
  | "reviewed_snapshot_sequence"
  | "reviewed_snapshot_at"
  | "reviewed_at"
  | "changes"
> {
  as_of_snapshot_id: string;
  as_of_snapshot_at: number;
  /** Time of the oldest snapshot after the reviewed one; null where there is none. */
  first_unreviewed_at: number | null;
}

/** Sessions with snapshots after the mark, or with open decisions. */
const UNREVIEWED = `s.public AS agent, new.id AS as_of_snapshot_id,
    new.sequence AS as_of_snapshot_sequence, new.created_at AS as_of_snapshot_at,
    m.snapshot_id AS reviewed_snapshot_id, coalesce(m.sequence, 0) AS reviewed_snapshot_sequence,
    base.created_at AS reviewed_snapshot_at, m.marked_at AS reviewed_at, new.context,
    coalesce(base.context, CASE WHEN m.snapshot_id IS NOT NULL THEN (SELECT context FROM snapshots
      WHERE agent_id = s.id ORDER BY sequence LIMIT 1) END) AS before,
    (SELECT created_at FROM snapshots WHERE agent_id = s.id
      AND sequence > coalesce(m.sequence, 0) ORDER BY sequence LIMIT 1) AS first_unreviewed_at`;
const BEHIND = `s LEFT JOIN marks m ON m.agent_id = s.id AND m.kind = 'review'
    LEFT JOIN snapshots base ON base.id = m.snapshot_id
    JOIN snapshots new ON new.agent_id = s.id AND new.sequence =
      (SELECT max(sequence) FROM snapshots WHERE agent_id = s.id)
  WHERE s.public <> '' AND NOT (m.snapshot_id IS NULL AND ${OLDER}) AND (s.last_sequence > coalesce(m.sequence, 0)
  OR EXISTS (SELECT 1 FROM decisions d WHERE d.agent_id = s.id AND d.is_shown = 1
    AND d.status IN ('pending', 'submitting', 'unknown')))`;

/** The changes are those since the reviewed snapshot or, where that is gone, since the oldest. */
export function unreviewed(db: Database): UnreviewedChange[] {
  type Row = UnreviewedChange & { context: AgentContext; before: AgentContext | null };
  const sessions = new Table<Row>(db, "sessions", ["agent", "context", "before"]);
  return sessions
    .pick<Omit<Row, "changes">>(UNREVIEWED, BEHIND)
    .map(({ context, before, ...row }) => ({ ...row, changes: deltaOf(before, context) }));
}
