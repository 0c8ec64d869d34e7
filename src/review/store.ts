import type { Database } from "bun:sqlite";
import type { Baseline, SnapshotMark } from "./rank.ts";
import { claim, TIMER_OFF, type Timer } from "./schedule.ts";

interface TimerRow {
  interval_minutes: number | null;
  next_due_at: number | null;
  last_digest_at: number | null;
  due_since: number | null;
  urgent_pane_errors: number | null;
}

interface BaselineRow {
  agent_id: string;
  snapshot_id: string;
  sequence: number;
  snapshot_at: number | null;
  reviewed_at: number;
}

const BASELINES = `
  SELECT r.agent_id, r.snapshot_id, r.sequence, r.reviewed_at, s.created_at AS snapshot_at
  FROM review_baselines r LEFT JOIN snapshots s ON s.id = r.snapshot_id`;

/** What was reviewed, the timer, and the digests of its windows. */
export class ReviewStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** By agent. */
  baselines(): ReadonlyMap<string, Baseline> {
    const rows = this.#database.query<BaselineRow, []>(BASELINES).all();
    return new Map(rows.map((row) => [row.agent_id, baselineOf(row)]));
  }

  baseline(agentId: string): Baseline | null {
    const query = this.#database.query<BaselineRow, [string]>(`${BASELINES} WHERE r.agent_id = ?`);
    const row = query.get(agentId);
    return row && baselineOf(row);
  }

  /**
   * Moves an agent's baseline forward, and begins the next window of a timer that runs. An older
   * snapshot, or the same again, changes nothing.
   */
  acknowledge(
    agentId: string,
    { id, sequence, at }: SnapshotMark,
    advance: { now: number; timer: (timer: Timer) => Timer },
  ): { baseline: Baseline; advanced: boolean } {
    const step = this.#database.transaction(() => {
      const known = this.baseline(agentId);
      if (known && known.sequence >= sequence) return { baseline: known, advanced: false };
      this.#database
        .query(
          `INSERT INTO review_baselines (agent_id, snapshot_id, sequence, reviewed_at)
           VALUES (?, ?, ?, ?)
           ON CONFLICT (agent_id) DO UPDATE SET snapshot_id = excluded.snapshot_id,
             sequence = excluded.sequence, reviewed_at = excluded.reviewed_at`,
        )
        .run(agentId, id, sequence, advance.now);
      this.#write(advance.timer(this.timer()));
      return { baseline: { id, sequence, at, reviewedAt: advance.now }, advanced: true };
    });
    return step.immediate();
  }

  timer(): Timer {
    const row = this.#database.query<TimerRow, []>("SELECT * FROM review_timer").get();
    if (!row) return TIMER_OFF;
    return {
      intervalMinutes: row.interval_minutes,
      nextDueAt: row.next_due_at,
      lastDigestAt: row.last_digest_at,
      dueSince: row.due_since,
      urgentPaneErrors: row.urgent_pane_errors === null ? null : row.urgent_pane_errors === 1,
    };
  }

  /** Changes the timer in one transaction; the result is the new one. */
  change(next: (timer: Timer) => Timer): Timer {
    const step = this.#database.transaction(() => this.#write(next(this.timer())));
    return step.immediate();
  }

  /**
   * Ends a window that was reached and writes its digest in the same transaction: of two openers
   * one gets it, and a restart in between loses none.
   * @returns whether the timer changed
   */
  claim(now: number, hasWork: boolean): boolean {
    const step = this.#database.transaction(() => {
      const before = this.timer();
      const { timer, window, isDigestDue } = claim(before, now, hasWork);
      if (timer === before) return false;
      this.#write(timer);
      if (isDigestDue && window !== null)
        this.#database
          .query("INSERT OR IGNORE INTO review_digests (window_at, created_at) VALUES (?, ?)")
          .run(window, now);
      return true;
    });
    return step.immediate();
  }

  /**
   * Takes the digests that nobody has taken; each is given out once. Those written before `since`
   * come too late to be of use: they are taken and left out.
   */
  takeDigests(now: number, since: number): number {
    const taken = this.#database
      .query<{ created_at: number }, [number]>(
        "UPDATE review_digests SET taken_at = ? WHERE taken_at IS NULL RETURNING created_at",
      )
      .all(now);
    this.#database.query("DELETE FROM review_digests WHERE created_at < ?").run(since);
    return taken.filter(({ created_at }) => created_at >= since).length;
  }

  #write(timer: Timer): Timer {
    this.#database
      .query(
        `INSERT OR REPLACE INTO review_timer
           (id, interval_minutes, next_due_at, last_digest_at, due_since, urgent_pane_errors)
         VALUES (1, ?, ?, ?, ?, ?)`,
      )
      .run(
        timer.intervalMinutes,
        timer.nextDueAt,
        timer.lastDigestAt,
        timer.dueSince,
        timer.urgentPaneErrors === null ? null : Number(timer.urgentPaneErrors),
      );
    return timer;
  }
}

function baselineOf(row: BaselineRow): Baseline {
  return {
    id: row.snapshot_id,
    sequence: row.sequence,
    at: row.snapshot_at,
    reviewedAt: row.reviewed_at,
  };
}
