import type { Database } from "bun:sqlite";
import type { AgentRuntime } from "../../protocol/agents.ts";

/** How far one log was read, stored with what was read of it. */
export interface LogPosition {
  path: string;
  runtime: AgentRuntime;
  sessionId: string | null;
  /** A sub-agent's: known, so that it is not read again, and left out. */
  isAside: boolean;
  /** When the file was made, epoch seconds. */
  born: number;
  /** `device:inode`. */
  inode: string;
  /** Counts the times that the file was begun anew. */
  generation: number;
  /** Bytes of whole records that were read. */
  position: number;
  /** Digest of the last bytes before `position`: they differ where the file was rewritten. */
  anchor: string;
  /** Inside a record that is too long. */
  isSkipping: boolean;
  /** What was read of it was not its end: its session is not published as it now stands. */
  isBehind: boolean;
  /** Its session was deleted: it is left alone, and begun anew if it grows. */
  isDormant: boolean;
}

interface Row {
  position: string;
}

/** What is asked for by has a column; all of it is one JSON. */
export class LogTable {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  get(path: string): LogPosition | null {
    return positionOf(
      this.#db.query<Row, [string]>("SELECT position FROM logs WHERE path = ?").get(path),
    );
  }

  /** A file that has another name now keeps its place. */
  findInode(inode: string): LogPosition | null {
    return positionOf(
      this.#db.query<Row, [string]>("SELECT position FROM logs WHERE inode = ?").get(inode),
    );
  }

  put(log: LogPosition): void {
    this.#db
      .query(`INSERT OR REPLACE INTO logs (path, session_id, inode, position) VALUES (?, ?, ?, ?)`)
      .run(log.path, log.sessionId, log.inode, JSON.stringify(log));
  }

  /** The file has another name now. */
  rename(from: LogPosition, path: string): LogPosition {
    this.#db.query("DELETE FROM logs WHERE path = ?").run(from.path);
    const log = { ...from, path };
    this.put(log);
    return log;
  }

  /** Its session is gone: they are left alone until they grow. */
  leaveAlone(sessionId: string): void {
    this.#db
      .query(
        `UPDATE logs SET session_id = NULL,
           position = json_set(position, '$.isDormant', json('true'), '$.sessionId', NULL)
         WHERE session_id = ?`,
      )
      .run(sessionId);
  }

  /** Birth of the oldest log of a session: what has it earlier is no copy. */
  born(sessionId: string): number {
    const row = this.#db
      .query<{ born: number | null }, [string]>(
        "SELECT min(json_extract(position, '$.born')) AS born FROM logs WHERE session_id = ?",
      )
      .get(sessionId);
    return row?.born ?? Number.MAX_VALUE;
  }
}

// Written by this file alone, in this very shape.
function positionOf(row: Row | null): LogPosition | null {
  return row && (JSON.parse(row.position) as LogPosition);
}
