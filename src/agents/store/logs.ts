import type { Database } from "bun:sqlite";
import { Table } from "../../store/table.ts";
import type { AgentRuntime } from "../../protocol/agents.ts";

export interface LogPosition {
  path: string;
  runtime: AgentRuntime;
  sessionId: string | null;
  /** Its log belongs to no session. */
  isAside: boolean;
  /** When the file was made, epoch seconds. */
  born: number;
  /** `device:inode`. */
  inode: string;
  generation: number;
  /** Bytes of whole records that were read. */
  position: number;
  /** Digest of the last bytes before `position`, by which a rewritten file is noticed. */
  anchor: string;
  /** Inside a record that is too long. */
  isSkipping: boolean;
  /** Not read to its end: its session has changes that are not published. */
  isBehind: boolean;
  /** Its session was deleted: it is not read until it grows, and then from its start. */
  isDormant: boolean;
}

interface Row {
  path: string;
  session_id: string | null;
  inode: string;
  position: LogPosition;
}

/** Members that are queried have a column; all of them are in one JSON. */
export class LogTable {
  readonly #rows: Table<Row>;

  constructor(db: Database) {
    this.#rows = new Table(db, "logs", ["position"]);
  }

  get(path: string): LogPosition | null {
    return this.#rows.find("WHERE path = ?", path)?.position ?? null;
  }

  findInode(inode: string): LogPosition | null {
    return this.#rows.find("WHERE inode = ?", inode)?.position ?? null;
  }

  /** Oldest first. */
  ofSession(sessionId: string): LogPosition[] {
    const byAge = "WHERE session_id = ? ORDER BY json_extract(position, '$.born'), path";
    return this.#rows.all(byAge, sessionId).map(({ position }) => position);
  }

  put(log: LogPosition): void {
    const { path, sessionId, inode } = log;
    this.#rows.insert({ path, session_id: sessionId, inode, position: log }, "INSERT OR REPLACE");
  }

  rename(from: LogPosition, path: string): LogPosition {
    this.#rows.delete("WHERE path = ?", from.path);
    const log = { ...from, path };
    this.put(log);
    return log;
  }

  makeDormant(sessionId: string): void {
    for (const log of this.ofSession(sessionId))
      this.put({ ...log, sessionId: null, isDormant: true });
  }

  /** Birth of a session's oldest log, epoch seconds; of two sessions the younger has the copies. */
  born(sessionId: string): number {
    return this.ofSession(sessionId)[0]?.born ?? Number.MAX_VALUE;
  }
}
