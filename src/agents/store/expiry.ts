import type { Database } from "bun:sqlite";
import { Table } from "../../store/table.ts";
import { LogTable } from "./logs.ts";

/** Rows that one transaction deletes: others wait no longer than for this. */
const BATCH = 25;
/** A session takes all that is left of it along. */
const SESSION_BATCH = 4;

export class ExpiryTable {
  readonly #db: Database;
  readonly #sessionRows: Table<{ is_truncated: number; forgotten_until: number }>;
  readonly #facts: Table<{ name: string; value: number }>;
  readonly #logs: LogTable;
  readonly #touch: (agentId: string) => void;
  readonly #gone: (agentId: string) => void;

  constructor(
    db: Database,
    told: { touch: (agentId: string) => void; gone: (agentId: string) => void },
  ) {
    this.#db = db;
    this.#sessionRows = new Table(db, "sessions");
    this.#facts = new Table(db, "facts");
    this.#logs = new LogTable(db);
    this.#touch = told.touch;
    this.#gone = told.gone;
  }

  /**
   * One batch of what lies before `until`, or was deleted by a person; true when there may be more.
   * What waits for a person and what is uncertain stays, and so does all of a session that a pane
   * shows.
   */
  expire(until: number): boolean {
    const ended = "status IN ('resolved', 'superseded')";
    const gone = [
      // What is left where a deletion was cut short.
      this.#forgotten("forgotten_until > 0"),
      this.#delete("snapshots", "snapshots t WHERE created_at < ?", until),
      this.#messages(until),
      this.#delete("decisions", `decisions t WHERE updated_at < ? AND ${ended}`, until),
    ];
    return gone.includes(BATCH) || this.#sessions(until) === SESSION_BATCH;
  }

  /**
   * Begins the deletion of a session's past: what lies before is not told again, and what it asked and
   * who looked are gone at once. How far its logs were read stays.
   */
  forget(agentId: string, until: number): void {
    for (const table of ["decisions", "marks"])
      this.#db.query(`DELETE FROM ${table} WHERE agent_id = ?`).run(agentId);
    // What a clock that was ahead has dated later is of the past as well.
    for (const table of ["messages", "snapshots"])
      this.#db
        .query(`UPDATE ${table} SET created_at = ?1 WHERE +agent_id = ?2 AND created_at > ?1`)
        .run(until, agentId);
    const forgotten = { forgotten_until: until, is_truncated: 1 };
    this.#sessionRows.update(forgotten, "WHERE id = ?", agentId);
  }

  /** One batch of a past whose deletion has begun; true when there may be more. */
  forgotten(agentId: string): boolean {
    return this.#forgotten("id = ?", agentId) === BATCH;
  }

  /** Older records are never told again, whoever still has them. */
  setCleared(until: number): void {
    this.#facts.insert({ name: "cleared_until", value: until }, "INSERT OR REPLACE");
  }

  clearedUntil(): number {
    return this.#facts.value("value", "WHERE name = 'cleared_until'") ?? 0;
  }

  begin(now: number): void {
    this.#facts.insert({ name: "began_at", value: now }, "INSERT OR IGNORE");
  }

  /** One batch of a table's rows, called `t` in `from`; how many there were. */
  #delete(table: string, from: string, ...params: (string | number)[]): number {
    const batch = `SELECT t.rowid FROM ${from} LIMIT ${BATCH}`;
    return this.#db.query(`DELETE FROM ${table} WHERE rowid IN (${batch})`).run(...params).changes;
  }

  #messages(until: number): number {
    const batch = `SELECT seq FROM messages WHERE created_at < ? LIMIT ${BATCH}`;
    const rows = this.#db
      .query<{ agent_id: string }, [number]>(
        `DELETE FROM messages WHERE seq IN (${batch}) RETURNING agent_id`,
      )
      .all(until);
    for (const id of new Set(rows.map(({ agent_id }) => agent_id))) {
      this.#sessionRows.update({ is_truncated: 1 }, "WHERE id = ?", id);
      this.#touch(id);
    }
    return rows.length;
  }

  #forgotten(sessions: string, ...params: string[]): number {
    const rowsOf = (table: "messages" | "snapshots") =>
      this.#delete(
        table,
        `sessions s CROSS JOIN ${table} t ON t.agent_id = s.id
           AND t.created_at <= s.forgotten_until WHERE s.${sessions}`,
        ...params,
      );
    return Math.max(rowsOf("messages"), rowsOf("snapshots"));
  }

  /** Sessions that ended: no pane shows them, and their logs say nothing any more. */
  #sessions(until: number): number {
    const old = `WHERE coalesce(json_extract(facts, '$.lastAt'), created_at) < ?
      AND json_extract(binding, '$.paneId') IS NULL LIMIT ${SESSION_BATCH}`;
    const ended = this.#sessionRows.pick<{ id: string }>("id", old, until);
    for (const { id } of ended) {
      this.dropSession(id);
      this.#gone(id);
    }
    return ended.length;
  }

  /** Its logs are left alone until they grow. */
  dropSession(id: string): void {
    this.#logs.makeDormant(id);
    this.#sessionRows.delete("WHERE id = ?", id);
  }
}
