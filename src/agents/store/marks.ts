import type { Database } from "bun:sqlite";
import type { TimelineEvent } from "../../protocol/agents.ts";

/** A person has seen a session's page (`visit`), or marked its card as reviewed. */
export type MarkKind = "visit" | "review";

/** Up to which snapshot; it may have been pruned since. */
export interface Mark {
  id: string;
  sequence: number;
  /** Epoch seconds of the snapshot; null once it was pruned. */
  at: number | null;
  markedAt: number;
}

/**
 * What was there before the store was is no news: sessions `s` whose last record is older count as
 * reviewed, unless they wait, failed or may stand in a pane.
 */
export const OLDER = `coalesce(json_extract(s.facts, '$.lastAt'), 1e300) <
    (SELECT value FROM facts WHERE name = 'began_at')
  AND json_extract(s.binding, '$.association') = 'unavailable'
  AND json_extract(s.public, '$.lifecycle') NOT IN ('waiting', 'error')
  AND json_extract(s.public, '$.pending_decisions_count') = 0`;

/** How far persons have looked at each session. */
export class MarkTable {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  get(agentId: string, kind: MarkKind): Mark | null {
    return this.#db
      .query<Mark, [string, MarkKind]>(
        `SELECT m.snapshot_id AS id, m.sequence, s.created_at AS at, m.marked_at AS markedAt
         FROM marks m LEFT JOIN snapshots s ON s.id = m.snapshot_id
         WHERE m.agent_id = ? AND m.kind = ?`,
      )
      .get(agentId, kind);
  }

  /** Never moves back; whether it moved. */
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

  /** Marks those, of which nobody has reviewed any, for good; which they are. */
  reviewOlder(now: number): string[] {
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
