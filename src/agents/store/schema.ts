import type { Database } from "bun:sqlite";
import type { Migration } from "../../store/database.ts";
import { messageDigest, foldForSearch } from "./search-text.ts";

/**
 * The store's tables, one script a version; a version that was released never changes.
 * Times are epoch seconds. `state`, `binding`, `facts` and `public` are JSON of `session.ts`,
 * `context.ts` and the wire contract.
 */
export const AGENT_MIGRATIONS: readonly Migration[] = [
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
    health TEXT NOT NULL DEFAULT 'ok',
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
    runtime TEXT NOT NULL,
    session_id TEXT REFERENCES sessions (id) ON DELETE SET NULL,
    is_aside INTEGER NOT NULL DEFAULT 0,
    born REAL NOT NULL,
    inode TEXT NOT NULL,
    generation INTEGER NOT NULL DEFAULT 0,
    position INTEGER NOT NULL DEFAULT 0,
    anchor TEXT NOT NULL DEFAULT '',
    is_skipping INTEGER NOT NULL DEFAULT 0,
    is_behind INTEGER NOT NULL DEFAULT 0,
    is_dormant INTEGER NOT NULL DEFAULT 0
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
    created_at REAL NOT NULL
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

  CREATE TABLE visits (
    agent_id TEXT PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
    snapshot_id TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    visited_at REAL NOT NULL
  ) STRICT;

  CREATE TABLE facts (name TEXT PRIMARY KEY, value REAL NOT NULL) STRICT;
  `,
  `
  CREATE TABLE review_baselines (
    agent_id TEXT PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
    snapshot_id TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    reviewed_at REAL NOT NULL
  ) STRICT;

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
  // What each key was used for; empty where a key was used before this was kept.
  "ALTER TABLE replies ADD COLUMN asked TEXT NOT NULL DEFAULT ''",
  // What a person said of a pane is kept beside what holds now.
  `
  UPDATE sessions SET binding = json_set(binding, '$.left', json('[]'), '$.newestMessage', NULL,
    '$.hand', json(CASE json_extract(binding, '$.source')
      WHEN 'hand' THEN
        json_object('kind', 'bound', 'incarnation', json_extract(binding, '$.incarnation'))
      WHEN 'released' THEN
        json_object('kind', 'released', 'incarnation', json_extract(binding, '$.incarnation'))
      ELSE 'null' END));
  `,
  // How far persons have looked, by whatever they looked at.
  `
  CREATE TABLE marks (
    agent_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    snapshot_id TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    marked_at REAL NOT NULL,
    PRIMARY KEY (agent_id, kind)
  ) STRICT;
  INSERT INTO marks SELECT agent_id, 'visit', snapshot_id, sequence, visited_at FROM visits;
  INSERT INTO marks SELECT agent_id, 'review', snapshot_id, sequence, reviewed_at
    FROM review_baselines;
  DROP TABLE visits;
  DROP TABLE review_baselines;
  `,
  // What could not be read is said by the state of the log.
  `
  UPDATE sessions SET state = json_set(state, '$.loss',
    CASE health WHEN 'ok' THEN NULL ELSE 'before_turn' END);
  ALTER TABLE sessions DROP COLUMN health;
  `,
  // What a log is asked for by has a column, the rest is one JSON.
  `
  CREATE TABLE positions (
    path TEXT PRIMARY KEY,
    session_id TEXT REFERENCES sessions (id) ON DELETE SET NULL,
    inode TEXT NOT NULL,
    position TEXT NOT NULL
  ) STRICT;
  INSERT INTO positions SELECT path, session_id, inode, json_object('path', path,
    'runtime', runtime, 'sessionId', session_id, 'isAside', json(iif(is_aside, 'true', 'false')),
    'born', born, 'inode', inode, 'generation', generation, 'position', position, 'anchor', anchor,
    'isSkipping', json(iif(is_skipping, 'true', 'false')),
    'isBehind', json(iif(is_behind, 'true', 'false')),
    'isDormant', json(iif(is_dormant, 'true', 'false'))) FROM logs;
  DROP TABLE logs;
  ALTER TABLE positions RENAME TO logs;
  CREATE INDEX logs_by_session ON logs (session_id);
  CREATE INDEX logs_by_inode ON logs (inode);
  `,
  // A store that was there before this was kept began with its first session.
  `
  INSERT OR IGNORE INTO facts (name, value)
    SELECT 'began_at', min(created_at) FROM sessions HAVING count(*) > 0;
  `,
  // All sessions are searched by time, and accents are ignored.
  (database) => {
    database.run("CREATE INDEX messages_by_moment ON messages (created_at)");
    const where = "length(content) < length(CAST(content AS BLOB))";
    rewrite(database, { column: "folded", where }, ({ content }) => foldForSearch(content));
  },
  // Equal messages are found by their words, not among all of their moment.
  (database) => {
    database.run("ALTER TABLE messages ADD COLUMN words INTEGER");
    const list = { column: "words", where: "client_id IS NULL" } as const;
    rewrite(database, list, ({ role, content }) => messageDigest(role, content));
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

/** Fills a column of messages in batches: there may be very many. */
function rewrite(
  database: Database,
  { column, where }: { column: "folded" | "words"; where: string },
  valueOf: (message: StoredMessage) => bigint | string | null,
): void {
  const query = database.query<StoredMessage, [number]>(
    `SELECT seq, role, content FROM messages WHERE seq > ? AND ${where} ORDER BY seq LIMIT 500`,
  );
  const write = database.query(`UPDATE messages SET ${column} = ? WHERE seq = ?`);
  let some = query.all(0);
  for (let last = some.at(-1); last !== undefined; last = some.at(-1)) {
    for (const message of some) write.run(valueOf(message), message.seq);
    some = query.all(last.seq);
  }
}
