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
  path: string;
  runtime: AgentRuntime;
  session_id: string | null;
  is_aside: number;
  born: number;
  inode: string;
  generation: number;
  position: number;
  anchor: string;
  is_skipping: number;
  is_behind: number;
  is_dormant: number;
}

export class LogTable {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  get(path: string): LogPosition | null {
    const row = this.#db.query<Row, [string]>("SELECT * FROM logs WHERE path = ?").get(path);
    return row ? positionOf(row) : null;
  }

  /** A file that has another name now keeps its place. */
  findInode(inode: string): LogPosition | null {
    const row = this.#db.query<Row, [string]>("SELECT * FROM logs WHERE inode = ?").get(inode);
    return row ? positionOf(row) : null;
  }

  put(log: LogPosition): void {
    this.#db
      .query(
        `INSERT OR REPLACE INTO logs (path, runtime, session_id, is_aside, born, inode, generation,
           position, anchor, is_skipping, is_behind, is_dormant)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(
        log.path,
        log.runtime,
        log.sessionId,
        log.isAside ? 1 : 0,
        log.born,
        log.inode,
        log.generation,
        log.position,
        log.anchor,
        log.isSkipping ? 1 : 0,
        log.isBehind ? 1 : 0,
        log.isDormant ? 1 : 0,
      );
  }

  /** The file has another name now. */
  rename(from: string, to: string): void {
    this.#db.query("UPDATE logs SET path = ? WHERE path = ?").run(to, from);
  }

  /** Birth of the oldest log of a session: what has it earlier is no copy. */
  born(sessionId: string): number {
    const row = this.#db
      .query<{ born: number | null }, [string]>(
        "SELECT min(born) AS born FROM logs WHERE session_id = ?",
      )
      .get(sessionId);
    return row?.born ?? Number.MAX_VALUE;
  }
}

function positionOf(row: Row): LogPosition {
  return {
    path: row.path,
    runtime: row.runtime,
    sessionId: row.session_id,
    isAside: row.is_aside === 1,
    born: row.born,
    inode: row.inode,
    generation: row.generation,
    position: row.position,
    anchor: row.anchor,
    isSkipping: row.is_skipping === 1,
    isBehind: row.is_behind === 1,
    isDormant: row.is_dormant === 1,
  };
}
