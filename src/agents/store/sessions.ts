import type { Database } from "bun:sqlite";
import type {
  AgentLifecycle,
  AgentRuntime,
  AgentSession,
  ContextDecision,
} from "../../protocol/agents.ts";
import { logLifecycle, NOTHING_KNOWN, type SessionState } from "../logs/context.ts";
import { pageByTime } from "./cursor.ts";
import { isSameSession, renderSession, type SessionRecord } from "./public-session.ts";
import { uuidOf } from "../ids.ts";
import {
  type Binding,
  type KnownSession,
  type LiveCapabilities,
  type SessionFacts,
  UNBOUND,
} from "../known.ts";

interface Row {
  id: string;
  runtime: AgentRuntime;
  native_id: string;
  created_at: number;
  updated_at: number;
  revision: number;
  state: string;
  facts: string;
  binding: string;
  lifecycle: AgentLifecycle | null;
  live: string | null;
  lag: number | null;
  is_truncated: number;
  forgotten_until: number;
  last_sequence: number;
  public: string;
}

const NO_FACTS: SessionFacts = {
  cwd: null,
  version: null,
  firstAt: null,
  lastAt: null,
  startedAt: null,
  forkedFrom: null,
  isTyped: true,
  logs: [],
};

/** Sessions and, as JSON beside each, what a client is told of it. */
export class SessionTable {
  readonly #db: Database;
  readonly #touch: (agentId: string) => void;

  constructor(db: Database, touch: (agentId: string) => void) {
    this.#db = db;
    this.#touch = touch;
  }

  get(id: string): AgentSession | null {
    const row = this.#row(id);
    return row && row.public !== "" ? publicOf(row) : null;
  }

  known(id: string): KnownSession | null {
    const row = this.#row(id);
    return row && row.public !== "" ? knownOf(row) : null;
  }

  /** Also one that is not public yet. */
  findId(runtime: AgentRuntime, nativeId: string): string | null {
    return this.#native(runtime, nativeId)?.id ?? null;
  }

  /** All of them, for what weighs each against each. */
  all(): KnownSession[] {
    return this.#db
      .query<Row, []>("SELECT * FROM sessions WHERE public <> '' ORDER BY id")
      .all()
      .map(knownOf);
  }

  count(): number {
    return (
      this.#db
        .query<{ n: number }, []>("SELECT count(*) AS n FROM sessions WHERE public <> ''")
        .get()?.n ?? 0
    );
  }

  ids(): string[] {
    const rows = this.#db.query<{ id: string }, []>("SELECT id FROM sessions").all();
    return rows.map(({ id }) => id);
  }

  /** By `updated_at` descending, then id. @throws AppError 400 for a bad cursor */
  page(cursor: string | null, limit: number) {
    const page = pageByTime<"updated_at", Row>(
      this.#db,
      { select: "SELECT * FROM sessions WHERE public <> ''", time: "updated_at" },
      { cursor, limit },
    );
    return { agents: page.rows.map(publicOf), next_cursor: page.next_cursor };
  }

  /** The session of a log, public once something was observed of it; made when it is new. */
  ensure(runtime: AgentRuntime, nativeId: string, now: number): string {
    const id = uuidOf("session", runtime, nativeId);
    if (this.#row(id) !== null) return id;
    this.#db
      .query(
        `INSERT INTO sessions (id, runtime, native_id, created_at, updated_at, revision, state,
           facts, binding, public) VALUES (?, ?, ?, ?, ?, 0, ?, ?, ?, '')`,
      )
      .run(
        id,
        runtime,
        nativeId,
        now,
        now,
        JSON.stringify(NOTHING_KNOWN),
        JSON.stringify(NO_FACTS),
        JSON.stringify(UNBOUND),
      );
    return id;
  }

  state(id: string): SessionState {
    const row = this.#require(id);
    return JSON.parse(row.state) as SessionState;
  }

  facts(id: string): SessionFacts {
    return JSON.parse(this.#require(id).facts) as SessionFacts;
  }

  forgottenUntil(id: string): number {
    return this.#require(id).forgotten_until;
  }

  /** What the log told: the fold's state, facts and how far behind the reader was, in seconds. */
  observe(
    id: string,
    seen: { state: SessionState; facts: SessionFacts; lag: number | null; isNews: boolean },
  ): void {
    this.#db
      .query("UPDATE sessions SET state = ?, facts = ?, lag = coalesce(?, lag) WHERE id = ?")
      .run(JSON.stringify(seen.state), JSON.stringify(seen.facts), seen.lag, id);
    if (seen.isNews) this.#touch(id);
  }

  /** Changes what is known without a record of its own log. */
  setState(id: string, state: SessionState): void {
    this.#db.query("UPDATE sessions SET state = ? WHERE id = ?").run(JSON.stringify(state), id);
    this.#touch(id);
  }

  /** Sessions that say that they were forked from this one. */
  forksOf(id: string): string[] {
    return this.#db
      .query<{ id: string }, [string]>(
        `SELECT f.id FROM sessions f JOIN sessions s ON f.runtime = s.runtime
           AND json_extract(f.facts, '$.forkedFrom') = s.native_id WHERE s.id = ? AND f.id <> s.id`,
      )
      .all(id)
      .map((row) => row.id);
  }

  bind(id: string, binding: Binding): void {
    this.#db.query("UPDATE sessions SET binding = ? WHERE id = ?").run(JSON.stringify(binding), id);
    this.#touch(id);
  }

  /** What the live pane says; null where there is none and the log decides. */
  setLive(id: string, lifecycle: AgentLifecycle | null, live: LiveCapabilities | null): void {
    this.#db
      .query("UPDATE sessions SET lifecycle = ?, live = ? WHERE id = ?")
      .run(lifecycle, live ? JSON.stringify(live) : null, id);
    this.#touch(id);
  }

  setTruncated(id: string): void {
    const done = this.#db
      .query("UPDATE sessions SET is_truncated = 1 WHERE id = ? AND is_truncated = 0")
      .run(id);
    if (done.changes > 0) this.#touch(id);
  }

  /** What lies before is not told again; whoever asks for it tells of it once it is deleted. */
  forget(id: string, until: number): void {
    this.#db
      .query("UPDATE sessions SET forgotten_until = ?, is_truncated = 1 WHERE id = ?")
      .run(until, id);
  }

  nextSequence(id: string): number {
    this.#db.query("UPDATE sessions SET last_sequence = last_sequence + 1 WHERE id = ?").run(id);
    return this.#require(id).last_sequence;
  }

  /**
   * Writes what a client is told, when that has changed: null when it has not. Revisions count
   * the public changes.
   */
  publish(
    id: string,
    decisions: readonly ContextDecision[],
    now: number,
  ): { before: AgentSession | null; after: AgentSession } | null {
    const row = this.#row(id);
    if (row === null) return null;
    const before = row.public === "" ? null : publicOf(row);
    const after = renderSession(rowFacts(row), before, decisions, now);
    if (before !== null && isSameSession(before, after)) return null;
    this.#db
      .query("UPDATE sessions SET public = ?, revision = ?, updated_at = ? WHERE id = ?")
      .run(JSON.stringify(after), after.revision, after.updated_at, id);
    return { before, after };
  }

  #row(id: string): Row | null {
    return this.#db.query<Row, [string]>("SELECT * FROM sessions WHERE id = ?").get(id);
  }

  #native(runtime: AgentRuntime, nativeId: string): Row | null {
    return this.#db
      .query<Row, [string, string]>("SELECT * FROM sessions WHERE runtime = ? AND native_id = ?")
      .get(runtime, nativeId);
  }

  #require(id: string): Row {
    const row = this.#row(id);
    if (row === null) throw new Error(`cannot read session ${id}: it is not in the store`);
    return row;
  }
}

// The JSON columns are written by this file alone, in these very shapes.
function publicOf(row: Row): AgentSession {
  return JSON.parse(row.public) as AgentSession;
}

function knownOf(row: Row): KnownSession {
  const { facts, binding, state } = rowFacts(row);
  return { session: publicOf(row), facts, binding, logLifecycle: logLifecycle(state) };
}

function rowFacts(row: Row): SessionRecord {
  return {
    id: row.id,
    runtime: row.runtime,
    nativeId: row.native_id,
    createdAt: row.created_at,
    state: JSON.parse(row.state) as SessionState,
    facts: JSON.parse(row.facts) as SessionFacts,
    binding: JSON.parse(row.binding) as Binding,
    lifecycle: row.lifecycle,
    live: row.live === null ? null : (JSON.parse(row.live) as LiveCapabilities),
    lag: row.lag,
    isTruncated: row.is_truncated === 1,
  };
}
