import type { Database } from "bun:sqlite";
import type { AgentContext, AgentSession, ContextDelta } from "../../protocol/agents.ts";
import { type Json, parseColumn } from "../../store/table.ts";
import { type Mark, OLDER } from "./marks.ts";
import { deltaOf } from "./timeline.ts";

/** What there is to review of a session. Times are epoch seconds. */
export interface Change {
  agent: AgentSession;
  /** The newest snapshot; without one there is no card. */
  current: { id: string; sequence: number; at: number } | null;
  baseline: Mark | null;
  changes: ContextDelta;
  /** The marked snapshot is gone: the change counts from the oldest one that is kept. */
  historyTruncated: boolean;
  /** Of the oldest snapshot behind the baseline; null where there is none. */
  firstUnreviewedAt: number | null;
}

interface Row {
  public: Json<AgentSession>;
  mark_id: string | null;
  mark_sequence: number;
  mark_at: number | null;
  marked_at: number;
  id: string;
  sequence: number;
  at: number;
  context: Json<AgentContext>;
  before: Json<AgentContext> | null;
  first_at: number | null;
}

/** Sessions with snapshots that the mark does not reach, or with decisions that have no end. */
const UNREVIEWED = `
  SELECT s.public, m.snapshot_id AS mark_id, m.sequence AS mark_sequence, m.marked_at,
    base.created_at AS mark_at, new.id, new.sequence, new.created_at AS at, new.context,
    coalesce(base.context, CASE WHEN m.snapshot_id IS NOT NULL THEN (SELECT context FROM snapshots
      WHERE agent_id = s.id ORDER BY sequence LIMIT 1) END) AS before,
    (SELECT created_at FROM snapshots WHERE agent_id = s.id
      AND sequence > coalesce(m.sequence, 0) ORDER BY sequence LIMIT 1) AS first_at
  FROM sessions s
    LEFT JOIN marks m ON m.agent_id = s.id AND m.kind = 'review'
    LEFT JOIN snapshots base ON base.id = m.snapshot_id
    JOIN snapshots new ON new.agent_id = s.id AND new.sequence =
      (SELECT max(sequence) FROM snapshots WHERE agent_id = s.id)
  WHERE s.public <> '' AND NOT (m.snapshot_id IS NULL AND ${OLDER}) AND (s.last_sequence > coalesce(m.sequence, 0)
  OR EXISTS (SELECT 1 FROM decisions d WHERE d.agent_id = s.id AND d.is_shown = 1
    AND d.status IN ('pending', 'submitting', 'unknown')))`;

export function unreviewed(db: Database): Change[] {
  return db.query<Row, []>(UNREVIEWED).all().map(changeOf);
}

function changeOf(row: Row): Change {
  const { id, sequence, at, mark_id } = row;
  const before = row.before && parseColumn(row.before);
  const baseline =
    mark_id === null
      ? null
      : { id: mark_id, sequence: row.mark_sequence, at: row.mark_at, markedAt: row.marked_at };
  const isMarked = baseline !== null && baseline.sequence >= sequence;
  return {
    agent: parseColumn(row.public),
    current: { id, sequence, at },
    baseline,
    changes: isMarked ? {} : deltaOf(before, parseColumn(row.context)),
    historyTruncated: !isMarked && baseline !== null && baseline.at === null,
    firstUnreviewedAt: row.first_at,
  };
}
