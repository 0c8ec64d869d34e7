import type { Database } from "bun:sqlite";

/** Rows that one transaction deletes: others wait no longer than for this. */
const BATCH = 1000;

/** Deletes what is old, what a person wants gone, and nothing else. */
export class ExpiryTable {
  readonly #db: Database;
  readonly #touch: (agentId: string) => void;

  constructor(db: Database, touch: (agentId: string) => void) {
    this.#db = db;
    this.#touch = touch;
  }

  /**
   * One batch of what lies before `until`; true when there may be more. What waits for a person
   * and what is uncertain stays, and so does all of a session that a pane shows.
   */
  expire(until: number): boolean {
    const batches = [this.#snapshots(until), this.#messages(until), this.#decisions(until)];
    batches.push(this.#sessions(until));
    return batches.includes(BATCH);
  }

  /** Snapshots, messages, decisions, visit, review: all but the session and how far its logs were read. */
  deleteHistory(agentId: string): void {
    for (const table of ["snapshots", "messages", "decisions", "marks"]) {
      this.#db.query(`DELETE FROM ${table} WHERE agent_id = ?`).run(agentId);
    }
    this.#touch(agentId);
  }

  /** Everything; older records are never told again, whoever still has them. */
  clear(now: number): void {
    this.#db.run("DELETE FROM sessions");
    this.#db.run("DELETE FROM logs");
    this.#db
      .query("INSERT OR REPLACE INTO facts (name, value) VALUES ('cleared_until', ?)")
      .run(now);
  }

  clearedUntil(): number {
    return this.#fact("cleared_until");
  }

  /** When this store was made; a later call changes nothing. */
  begin(now: number): void {
    this.#db.query("INSERT OR IGNORE INTO facts (name, value) VALUES ('began_at', ?)").run(now);
  }

  beganAt(): number {
    return this.#fact("began_at");
  }

  #fact(name: string): number {
    const query = this.#db.query<{ value: number }, [string]>(
      "SELECT value FROM facts WHERE name = ?",
    );
    return query.get(name)?.value ?? 0;
  }

  #snapshots(until: number): number {
    const done = this.#db
      .query(
        `DELETE FROM snapshots WHERE rowid IN
           (SELECT rowid FROM snapshots WHERE created_at < ? LIMIT ${BATCH})`,
      )
      .run(until);
    return done.changes;
  }

  #messages(until: number): number {
    const rows = this.#db
      .query<{ agent_id: string }, [number]>(
        `DELETE FROM messages WHERE seq IN
           (SELECT seq FROM messages WHERE created_at < ? LIMIT ${BATCH}) RETURNING agent_id`,
      )
      .all(until);
    for (const id of new Set(rows.map(({ agent_id }) => agent_id))) {
      this.#db.query("UPDATE sessions SET is_truncated = 1 WHERE id = ?").run(id);
      this.#touch(id);
    }
    return rows.length;
  }

  #decisions(until: number): number {
    const done = this.#db
      .query(
        `DELETE FROM decisions WHERE id IN (SELECT id FROM decisions
           WHERE updated_at < ? AND status IN ('resolved', 'superseded') LIMIT ${BATCH})`,
      )
      .run(until);
    return done.changes;
  }

  /** Sessions that ended: no pane shows them, and their logs say nothing any more. */
  #sessions(until: number): number {
    const ended = `SELECT id FROM sessions
      WHERE coalesce(json_extract(facts, '$.lastAt'), created_at) < ?
        AND json_extract(binding, '$.paneId') IS NULL LIMIT ${BATCH}`;
    this.#db.query(`UPDATE logs SET is_dormant = 1 WHERE session_id IN (${ended})`).run(until);
    return this.#db.query(`DELETE FROM sessions WHERE id IN (${ended})`).run(until).changes;
  }
}
