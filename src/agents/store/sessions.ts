import type { Database } from "bun:sqlite";
import type {
  AgentContext,
  AgentLifecycle,
  AgentRuntime,
  AgentSession,
  ContextDecision,
} from "../../protocol/agents.ts";
import { Table } from "../../store/table.ts";
import { type Binding, type KnownSession, type SessionFacts, UNBOUND, uuidOf } from "../session.ts";
import {
  contextOf,
  healthOf,
  logLifecycle,
  NOTHING_KNOWN,
  type SessionState,
} from "../logs/context.ts";
import { pageByTime } from "./cursor.ts";

interface Row {
  id: string;
  runtime: AgentRuntime;
  native_id: string;
  created_at: number;
  updated_at: number;
  state: SessionState;
  facts: SessionFacts;
  binding: Binding;
  lifecycle: AgentLifecycle | null;
  lag: number | null;
  is_truncated: number;
  forgotten_until: number;
  last_sequence: number;
  /** Empty until something was observed. */
  public: AgentSession | "" | null;
}

type SessionChange = Partial<Pick<Row, "state" | "facts" | "lag" | "binding" | "lifecycle">>;

const IS_PUBLIC = "public <> ''";

const NO_FACTS: SessionFacts = {
  cwd: null,
  firstAt: null,
  lastAt: null,
  startedAt: null,
  forkedFrom: null,
  isTyped: true,
};

export class SessionTable {
  readonly #rows: Table<Row>;
  readonly #touch: (agentId: string) => void;

  constructor(db: Database, touch: (agentId: string) => void) {
    this.#rows = new Table(db, "sessions", ["state", "facts", "binding", "public"]);
    this.#touch = touch;
  }

  get(id: string): AgentSession | null {
    const [row] = this.#rows.pick<Pick<Row, "public">>("public", "WHERE id = ?", id);
    return row?.public || null;
  }

  find(id: string): KnownSession | null {
    const row = this.#row(id);
    return row && knownOf(row);
  }

  findId(runtime: AgentRuntime, nativeId: string): string | null {
    return this.#rows.value("id", "WHERE runtime = ? AND native_id = ?", runtime, nativeId);
  }

  count(): number {
    return this.#rows.value("count(*)", `WHERE ${IS_PUBLIC}`) ?? 0;
  }

  /** Epoch seconds of the newest record of any log. */
  lastRecordAt(): number | null {
    return this.#rows.value("max(json_extract(facts, '$.lastAt'))", `WHERE ${IS_PUBLIC}`);
  }

  ids(): string[] {
    return this.#rows.pick<{ id: string }>("id", "").map(({ id }) => id);
  }

  /** By `updated_at` descending, then id. @throws AppError 400 for a bad cursor */
  page(cursor: string | null, limit: number) {
    const columns = "id, updated_at, public";
    const list = { columns, where: IS_PUBLIC, time: "updated_at" } as const;
    const { rows, next_cursor } = pageByTime(this.#rows, list, { cursor, limit });
    return { agents: rows.flatMap((row) => row.public || []), next_cursor };
  }

  /** Finds or creates the session of a log; it is public once something was observed. */
  ensure(runtime: AgentRuntime, nativeId: string, now: number): string {
    const id = uuidOf("session", runtime, nativeId);
    if (this.#row(id) !== null) return id;
    this.#rows.insert({
      ...{ id, runtime, native_id: nativeId, created_at: now, updated_at: now },
      ...{ state: NOTHING_KNOWN, facts: NO_FACTS, binding: UNBOUND, public: "" },
    });
    return id;
  }

  state(id: string): SessionState {
    return this.#column(id, "state");
  }

  facts(id: string): SessionFacts {
    return this.#column(id, "facts");
  }

  forksOf(id: string): string[] {
    const forks = `WHERE id <> ?1 AND (runtime, json_extract(facts, '$.forkedFrom')) =
      (SELECT runtime, native_id FROM sessions WHERE id = ?1)`;
    return this.#rows.pick<{ id: string }>("id", forks, id).map((row) => row.id);
  }

  /**
   * @param change `lag`: how far the reader was behind, in seconds; `lifecycle`: that of the live
   *   pane, null where the log decides
   * @param isNews published with the transaction
   */
  set(id: string, change: SessionChange, isNews = true): void {
    this.#rows.update(change, "WHERE id = ?", id);
    if (isNews) this.#touch(id);
  }

  setTruncated(id: string): void {
    const changes = this.#rows.update({ is_truncated: 1 }, "WHERE id = ? AND is_truncated = 0", id);
    if (changes > 0) this.#touch(id);
  }

  nextSequence(id: string): number {
    const last_sequence = this.#column(id, "last_sequence") + 1;
    this.#rows.update({ last_sequence }, "WHERE id = ?", id);
    return last_sequence;
  }

  /** Stores the public form; null when it has not changed. Revisions count its changes. */
  publish(
    id: string,
    decisions: ContextDecision[],
    now: number,
  ): { before: AgentSession | null; after: AgentSession } | null {
    const row = this.#row(id);
    if (row === null) return null;
    const before = row.public || null;
    const after = renderSession(row, before, decisions, now);
    if (before !== null && isSameSession(before, after)) return null;
    const { updated_at } = after;
    this.#rows.update({ public: after, updated_at }, "WHERE id = ?", id);
    return { before, after };
  }

  #row(id: string): Row | null {
    return this.#rows.find("WHERE id = ?", id);
  }

  #column<Column extends keyof Row>(id: string, column: Column): Row[Column] {
    const [row] = this.#rows.pick<Pick<Row, Column>>(column, "WHERE id = ?", id);
    if (row === undefined) throw new Error(`cannot read session ${id}: it is not in the store`);
    return row[column];
  }
}

/** Null until something was observed. */
function knownOf({ public: session, facts, binding, state }: Row): KnownSession | null {
  return session ? { session, facts, binding, logLifecycle: logLifecycle(state) } : null;
}

/** Of the readers: raised when they read the same log differently. */
const PARSER_VERSION = 1;

/** Messages and answers are sent only to a session that is certain to be in its pane. */
const TALKING = { chat_send: "idle_only", decision_reply: "verified_terminal" } as const;
const READ_ONLY = { chat_send: "unavailable", decision_reply: "open_terminal" } as const;

function renderSession(
  row: Row,
  before: AgentSession | null,
  decisions: ContextDecision[],
  now: number,
): AgentSession {
  const { state, facts, binding } = row;
  const lifecycle = row.lifecycle ?? logLifecycle(state);
  const context = contextOf(state, {
    session_id: row.id,
    runtime: row.runtime,
    lifecycle,
    decisions,
    message_history_truncated: row.is_truncated === 1,
  });
  return {
    id: row.id,
    runtime: row.runtime,
    native_session_id: row.native_id,
    title: state.title?.text ?? context.goal ?? "",
    lifecycle,
    association: binding.association,
    pane_id: binding.paneId,
    target: binding.target,
    binding_revision: binding.revision,
    revision: (before?.revision ?? 0) + 1,
    capabilities: {
      association: binding.association,
      context: "structured",
      ...(binding.association === "confirmed" ? TALKING : READ_ONLY),
      delivery_ack: "log_observed",
      runtime: row.runtime,
      parser_version: PARSER_VERSION,
      observed_lag: row.lag,
    },
    extraction_health: healthOf(state),
    last_event_at: facts.lastAt,
    created_at: row.created_at,
    updated_at: now,
    context: nextContext(before?.context ?? null, context, now),
    pending_decisions_count: decisions.length,
    parked: state.limit
      ? { reason: state.limit.reason, until: state.limit.until, continues: false }
      : null,
    context_percent: state.contextPercent ?? null,
    binding_candidates: (binding.association === "confirmed" ? [] : binding.candidates).map(
      (each) => ({ ...each, id: uuidOf("candidate", row.id, each.pane_id) }),
    ),
  };
}

function nextContext(
  before: AgentContext | null,
  next: Omit<AgentContext, "revision" | "last_updated">,
  now: number,
): AgentContext {
  if (before === null) return { ...next, revision: 1, last_updated: now };
  const { revision, last_updated, ...old } = before;
  return Bun.deepEquals(old, next)
    ? before
    : { ...next, revision: revision + 1, last_updated: now };
}

/** Equal except for revision, time and the reader's lag. */
function isSameSession(before: AgentSession, after: AgentSession): boolean {
  const { revision, updated_at } = before;
  const { observed_lag } = before.capabilities;
  const capabilities = { ...after.capabilities, observed_lag };
  return Bun.deepEquals({ ...after, revision, updated_at, capabilities }, before);
}
