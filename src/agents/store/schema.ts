import type { Database } from "bun:sqlite";
import type { Migration } from "../../store/database.ts";
import { messageDigest } from "./search-text.ts";

/** Versions 1 to 8. */
const READ_NO_LONGER = Array.from({ length: 8 }, () => null);

/**
 * The store's tables, one script a version; a version that was released never changes.
 * Times are epoch seconds. `state`, `binding`, `facts`, `public` and `position` are JSON of
 * `session.ts`, `context.ts`, the wire contract and `logs.ts`.
 */
export const AGENT_MIGRATIONS: readonly Migration[] = [
  ...READ_NO_LONGER,
  `
  CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    runtime TEXT NOT NULL,
    native_id TEXT NOT NULL,
    created_at REAL NOT NULL,
    updated_at REAL NOT NULL,
    revision INTEGER NOT NULL,
    state TEXT NOT NULL,
    facts TEXT NOT NULL,
    binding TEXT NOT NULL,
    lifecycle TEXT,
    live TEXT,
    lag REAL,
    is_truncated INTEGER NOT NULL DEFAULT 0,
    forgotten_until REAL NOT NULL DEFAULT 0,
    last_sequence INTEGER NOT NULL DEFAULT 0,
    public TEXT NOT NULL,
    UNIQUE (runtime, native_id)
  ) STRICT;
  CREATE INDEX sessions_by_update ON sessions (updated_at DESC, id);

  CREATE TABLE logs (
    path TEXT PRIMARY KEY,
    session_id TEXT REFERENCES sessions (id) ON DELETE SET NULL,
    inode TEXT NOT NULL,
    position TEXT NOT NULL
  ) STRICT;
  CREATE INDEX logs_by_session ON logs (session_id);
  CREATE INDEX logs_by_inode ON logs (inode);

  CREATE TABLE messages (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    agent_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    role TEXT NOT NULL,
    content TEXT NOT NULL,
    status TEXT NOT NULL,
    native_id TEXT,
    client_id TEXT,
    parent_id TEXT,
    ordinal INTEGER,
    source TEXT NOT NULL,
    generation TEXT NOT NULL,
    is_fallback INTEGER NOT NULL DEFAULT 0,
    folded TEXT,
    created_at REAL NOT NULL,
    updated_at REAL NOT NULL,
    observed_at REAL,
    UNIQUE (agent_id, client_id)
  ) STRICT;
  CREATE INDEX messages_by_time ON messages (agent_id, created_at, seq);
  CREATE INDEX messages_by_parent ON messages (agent_id, parent_id, created_at, seq)
    WHERE parent_id IS NOT NULL;
  CREATE INDEX messages_sent ON messages (agent_id, created_at, seq) WHERE client_id IS NOT NULL;
  CREATE INDEX messages_by_record ON messages (agent_id, observed_at);
  CREATE INDEX messages_by_native ON messages (native_id) WHERE native_id IS NOT NULL;
  CREATE INDEX messages_by_moment ON messages (created_at);

  CREATE TABLE decisions (
    id TEXT PRIMARY KEY,
    agent_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    native_id TEXT NOT NULL,
    place INTEGER NOT NULL,
    status TEXT NOT NULL,
    is_shown INTEGER NOT NULL DEFAULT 0,
    created_at REAL NOT NULL,
    updated_at REAL NOT NULL,
    asked TEXT NOT NULL,
    public TEXT NOT NULL,
    UNIQUE (agent_id, native_id, place)
  ) STRICT;
  CREATE INDEX decisions_by_update ON decisions (updated_at DESC, id);
  CREATE INDEX decisions_by_agent ON decisions (agent_id, status);

  CREATE TABLE replies (
    key TEXT PRIMARY KEY,
    decision_id TEXT NOT NULL REFERENCES decisions (id) ON DELETE CASCADE,
    outcome TEXT,
    created_at REAL NOT NULL,
    asked TEXT NOT NULL DEFAULT ''
  ) STRICT;

  CREATE TABLE snapshots (
    id TEXT PRIMARY KEY,
    agent_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    sequence INTEGER NOT NULL,
    created_at REAL NOT NULL,
    occurred_at REAL NOT NULL,
    type TEXT NOT NULL,
    title TEXT NOT NULL,
    delta TEXT NOT NULL,
    context TEXT NOT NULL,
    UNIQUE (agent_id, sequence)
  ) STRICT;
  CREATE INDEX snapshots_by_time ON snapshots (created_at DESC, id);

  CREATE TABLE marks (
    agent_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    snapshot_id TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    marked_at REAL NOT NULL,
    PRIMARY KEY (agent_id, kind)
  ) STRICT;

  CREATE TABLE facts (name TEXT PRIMARY KEY, value REAL NOT NULL) STRICT;

  CREATE TABLE review_timer (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    interval_minutes INTEGER,
    next_due_at REAL,
    last_digest_at REAL,
    due_since REAL,
    urgent_pane_errors INTEGER
  ) STRICT;

  CREATE TABLE review_digests (
    window_at REAL PRIMARY KEY,
    created_at REAL NOT NULL,
    taken_at REAL
  ) STRICT;
  `,
  // Equal messages are found by their words, not among all of their moment.
  (database) => {
    database.run("ALTER TABLE messages ADD COLUMN words INTEGER");
    fillWords(database);
    database.run("DROP INDEX messages_by_record");
    database.run(`CREATE INDEX messages_by_words
      ON messages (agent_id, words, source, generation, observed_at) WHERE words IS NOT NULL`);
    database.run(`CREATE INDEX messages_by_ordinal ON messages (agent_id, ordinal)
      WHERE ordinal IS NOT NULL`);
  },
  // What a key was used for is in the ledger.
  "DROP TABLE replies",
  // What can be sent to a session follows from its binding, and its public form has its revision.
  `
  ALTER TABLE sessions DROP COLUMN live;
  ALTER TABLE sessions DROP COLUMN revision;
  `,
];

interface StoredMessage {
  seq: number;
  role: string;
  content: string;
}

/** In batches: there may be very many. */
function fillWords(database: Database): void {
  const query = database.query<StoredMessage, [number]>(
    `SELECT seq, role, content FROM messages WHERE seq > ? AND client_id IS NULL
     ORDER BY seq LIMIT 500`,
  );
  const write = database.query("UPDATE messages SET words = ? WHERE seq = ?");
  let some = query.all(0);
  for (let last = some.at(-1); last !== undefined; last = some.at(-1)) {
    for (const { seq, role, content } of some) write.run(messageDigest(role, content), seq);
    some = query.all(last.seq);
  }
}
