import type { Database } from "bun:sqlite";
import { Table } from "../../store/table.ts";
import { LogTable } from "./logs.ts";

/** Rows that one transaction deletes: nobody waits longer than for these. */
const BATCH = 25;
/** Fewer: a session takes all of its rows along. */
const SESSION_BATCH = 4;

export class ExpiryTable {
  readonly #db: Database;
  readonly #sessionRows: Table<{ is_truncated: number; forgotten_until: number }>;
  readonly #facts: Table<{ name: string; value: number }>;
  readonly #logs: LogTable;
  readonly #touch: (agentId: string) => void;
  readonly #deleted: (agentId: string) => void;

  constructor(
    db: Database,
    on: { touch: (agentId: string) => void; deleted: (agentId: string) => void },
  ) {
    this.#db = db;
    this.#sessionRows = new Table(db, "sessions");
    this.#facts = new Table(db, "facts");
    this.#logs = new LogTable(db);
    this.#touch = on.touch;
    this.#deleted = on.deleted;
  }

  /**
   * Deletes one batch of rows before `until`, or deleted by a person; true when there may be more.
   * Open decisions stay, and so does a session in a pane.
   */
  expire(until: number): boolean {
    const ended = "status IN ('resolved', 'superseded')";
    const deleted = [
      // Rows left by a deletion that was cut short.
      this.#deleteForgotten("forgotten_until > 0"),
      this.#delete("snapshots", "snapshots t WHERE created_at < ?", until),
      this.#deleteMessages(until),
      this.#delete("decisions", `decisions t WHERE updated_at < ? AND ${ended}`, until),
    ];
    return deleted.includes(BATCH) || this.#deleteSessions(until) === SESSION_BATCH;
  }

  /**
   * Begins to delete a session's history: decisions and marks are gone at once, and older records
   * are not imported again. How far its logs were read stays.
   */
  forget(agentId: string, until: number): void {
    for (const table of ["decisions", "marks"])
      this.#db.query(`DELETE FROM ${table} WHERE agent_id = ?`).run(agentId);
    // Rows that a fast clock has dated in the future are history too.
    for (const table of ["messages", "snapshots"])
      this.#db
        .query(`UPDATE ${table} SET created_at = ?1 WHERE +agent_id = ?2 AND created_at > ?1`)
        .run(until, agentId);
    const forgotten = { forgotten_until: until, is_truncated: 1 };
    this.#sessionRows.update(forgotten, "WHERE id = ?", agentId);
  }

  /** Deletes one batch of a forgotten history; true when there may be more. */
  deleteForgotten(agentId: string): boolean {
    return this.#deleteForgotten("id = ?", agentId) === BATCH;
  }

  /** Records before `until` are never imported again. */
  setCleared(until: number): void {
    this.#facts.insert({ name: "cleared_until", value: until }, "INSERT OR REPLACE");
  }

  /** Epoch seconds up to which a person has deleted a session's records, or all of them. */
  forgottenUntil(agentId: string): number {
    const cleared = this.#facts.value<number>("value", "WHERE name = 'cleared_until'");
    const forgotten = this.#sessionRows.value<number>("forgotten_until", "WHERE id = ?", agentId);
    return Math.max(cleared ?? 0, forgotten ?? 0);
  }

  begin(now: number): void {
    this.#facts.insert({ name: "began_at", value: now }, "INSERT OR IGNORE");
  }

  /** Deletes one batch of a table's rows, called `t` in `from`. @returns how many */
  #delete(table: string, from: string, ...params: (string | number)[]): number {
    const batch = `SELECT t.rowid FROM ${from} LIMIT ${BATCH}`;
    return this.#db.query(`DELETE FROM ${table} WHERE rowid IN (${batch})`).run(...params).changes;
  }

  #deleteMessages(until: number): number {
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

  #deleteForgotten(sessions: string, ...params: string[]): number {
    const rowsOf = (table: "messages" | "snapshots") =>
      this.#delete(
        table,
        `sessions s CROSS JOIN ${table} t ON t.agent_id = s.id
           AND t.created_at <= s.forgotten_until WHERE s.${sessions}`,
        ...params,
      );
    return Math.max(rowsOf("messages"), rowsOf("snapshots"));
  }

  /** Sessions that are in no pane, and whose logs have no newer record. */
  #deleteSessions(until: number): number {
    const old = `WHERE coalesce(json_extract(facts, '$.lastAt'), created_at) < ?
      AND json_extract(binding, '$.paneId') IS NULL LIMIT ${SESSION_BATCH}`;
    const ended = this.#sessionRows.pick<{ id: string }>("id", old, until);
    for (const { id } of ended) {
      this.dropSession(id);
      this.#deleted(id);
    }
    return ended.length;
  }

  /** Its logs are not read until they grow. */
  dropSession(id: string): void {
    this.#logs.makeDormant(id);
    this.#sessionRows.delete("WHERE id = ?", id);
  }
}
