import type { Database } from "bun:sqlite";
import type { Clock } from "../../lib/clock.ts";
import type { Log } from "../../lib/log.ts";
import type { AgentEvent, AgentResume } from "../../protocol/agent-replies.ts";
import type { AgentSession, TimelineEvent } from "../../protocol/agents.ts";
import { Checkpointer } from "../../store/checkpointer.ts";
import { closeDatabase } from "../../store/database.ts";
import type { MarkKind } from "../session.ts";
import { DecisionTable } from "./decisions.ts";
import { ExpiryTable } from "./expiry.ts";
import { LogTable } from "./logs.ts";
import { MessageTable } from "./messages.ts";
import { SessionTable } from "./sessions.ts";
import { MarkTable, SnapshotTable } from "./snapshots.ts";
import { deltaOf, isVisibleChange, timelineRow } from "./timeline.ts";

/** More new messages of one session in a write become one event. */
const MAX_MESSAGE_EVENTS = 20;
/** At most some megabytes of deleted rows: more often, a deletion waits for the disk alone. */
const BATCHES_A_CHECKPOINT = 32;

/** Its session's revision is added when it is told. */
type StoredEvent = Omit<AgentEvent, "revision">;

interface AgentStoreDeps {
  /** Opened and migrated. */
  database: Database;
  /** Absent for a database in memory. */
  isInPlace?: () => boolean;
  clock: Clock;
  log?: Pick<Log, "warn">;
}

/**
 * Sessions, messages, decisions and timeline of agents, in one file with one writer. Changes are
 * made inside `write`; subscribers get an event after a public change is stored, never before.
 */
export class AgentStore {
  readonly logs: LogTable;
  readonly sessions: SessionTable;
  readonly messages: MessageTable;
  readonly decisions: DecisionTable;
  readonly snapshots: SnapshotTable;
  readonly marks: MarkTable;
  readonly expiry: ExpiryTable;
  readonly #deps: AgentStoreDeps;
  readonly #listeners = new Set<(event: AgentEvent) => void>();
  /** Sessions and events of the running transaction. */
  #touched = new Set<string>();
  #events: StoredEvent[] = [];
  /** There may be sessions for `markOlderReviewed`; at the start, those of an earlier run. */
  #hasNewSessions = true;
  #version = 0;
  /** Sessions whose messages changed in quiet writes. */
  readonly #quietlyChanged = new Set<string>();

  constructor(deps: AgentStoreDeps) {
    this.#deps = deps;
    const { database, clock } = deps;
    this.logs = new LogTable(database);
    this.sessions = new SessionTable(database, (id) => this.#touched.add(id));
    const messageChanged = (id: string, message_id: string) =>
      this.#tell("message_updated", id, { message_id });
    this.messages = new MessageTable(database, messageChanged, clock);
    this.decisions = new DecisionTable(database, (id, decision_id) => {
      this.#touched.add(id);
      this.#tell("decision_updated", id, { decision_id });
    });
    this.snapshots = new SnapshotTable(database);
    this.marks = new MarkTable(database);
    this.expiry = new ExpiryTable(database, {
      touch: (id) => this.#touched.add(id),
      deleted: (id) => this.#tell("history_deleted", id),
    });
    this.expiry.begin(clock.now());
  }

  /** For the review's own tables. */
  get database(): Database {
    return this.#deps.database;
  }

  close(): void {
    closeDatabase(this.#deps.database, () => this.isInPlace());
  }

  /** Whether its file is still there: else no later start would read it. */
  isInPlace(): boolean {
    return this.#deps.isInPlace?.() ?? true;
  }

  /** Counts the writes: while it stays the same, so does every result. */
  get version(): number {
    return this.#version;
  }

  get now(): number {
    return this.#deps.clock.now();
  }

  subscribe(listener: (event: AgentEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * One transaction. At its end every touched session gets its public form, and a snapshot where a
   * person would see the difference. A nested call joins it.
   *
   * @param options.isQuiet publishes no session: its log is read to the end first
   * @param options.isImport does not wait for the disk: after a power cut the logs are read again
   */
  write<T>(work: () => T, options: { isQuiet?: boolean; isImport?: boolean } = {}): T {
    const { database } = this.#deps;
    if (database.inTransaction) return work();
    this.#touched = new Set();
    this.#events = [];
    try {
      if (options.isImport) database.run("PRAGMA synchronous = NORMAL");
      const result = database.transaction(() => {
        const value = work();
        if (!options.isQuiet) for (const id of this.#touched) this.#publish(id);
        return value;
      })();
      this.#version++;
      this.#publishEvents(options.isQuiet ?? false);
      return result;
    } finally {
      if (options.isImport) database.run("PRAGMA synchronous = FULL");
    }
  }

  /**
   * Deletes in batches, between which others have their turn: `step` deletes one, and is true while
   * there is more. @returns whether all was deleted before `signal` aborted
   */
  async inBatches(step: () => boolean, signal?: AbortSignal): Promise<boolean> {
    const hasMore = () => this.write(step, { isImport: true });
    if (!hasMore()) return true;
    using checkpointer = new Checkpointer(this.#deps.database);
    for (let batch = 1; !signal?.aborted; batch++) {
      if (batch % BATCHES_A_CHECKPOINT === 0) await checkpointer.run();
      else await new Promise((resolve) => setImmediate(resolve));
      if (hasMore()) continue;
      await checkpointer.run();
      return true;
    }
    return false;
  }

  /**
   * Deletes a session's history, also what an import has not stored yet. Its present context stays,
   * and is published without a snapshot: that would hold what was just deleted.
   */
  async deleteHistory(id: string): Promise<void> {
    this.write(() => this.expiry.forget(id, this.now));
    await this.inBatches(() => this.expiry.deleteForgotten(id));
    this.write(() => {
      this.#tell("history_deleted", id);
      this.#publish(id, { isHidden: true });
    });
  }

  /** Marks never move backwards. @returns whether the mark moved */
  mark(kind: MarkKind, snapshot: TimelineEvent): boolean {
    return this.write(() => {
      const hasMoved = this.marks.advance(kind, snapshot, this.now);
      if (hasMoved && kind === "visit")
        this.#tell("agent_updated", snapshot.agent_id, { resources: ["resume"] });
      return hasMoved;
    });
  }

  /** Sessions that are older than the store, and need nobody, count as reviewed. */
  markOlderReviewed(): void {
    if (!this.#hasNewSessions) return;
    this.#hasNewSessions = false;
    this.write(() => {
      for (const id of this.marks.markOlderReviewed(this.now)) this.#tell("review_updated", id);
    });
  }

  /** Changes since the last visit or, where its snapshot is gone, since the oldest one. */
  resume(id: string): AgentResume | null {
    const session = this.sessions.get(id);
    if (session === null) return null;
    const { context } = session;
    const visit = this.marks.get(id, "visit");
    const before = visit && (this.snapshots.get(visit.snapshot_id) ?? this.snapshots.oldest(id));
    const query = { cursor: null, limit: 100, status: "pending", agentId: id };
    const { decisions } = this.decisions.page(query);
    return {
      agent: { id, context },
      changes: deltaOf(before?.context ?? null, context),
      decisions,
      pending_decisions: decisions,
      goal: context.goal,
      current_task: context.current_task,
      progress: context.progress,
      blockers: context.blockers,
      next_action: context.next_action,
      estimated_completion: context.estimated_completion,
      baseline_snapshot_id: visit?.snapshot_id ?? null,
      as_of_snapshot_id: this.snapshots.latest(id)?.id ?? null,
      history_truncated: visit !== null && visit.snapshot_at === null,
    };
  }

  #publish(id: string, options: { isHidden?: boolean } = {}): void {
    const now = this.#deps.clock.now();
    const change = this.sessions.publish(id, this.decisions.open(id), now);
    if (change === null) return;
    const { before, after } = change;
    if (before === null) this.#hasNewSessions = true;
    const snapshot_id = options.isHidden ? null : this.#snapshot(before, after, now);
    this.#tell("agent_updated", id, snapshot_id === null ? {} : { snapshot_id });
  }

  #snapshot(before: AgentSession | null, after: AgentSession, now: number): string | null {
    const { id, context } = after;
    const old = before?.context ?? null;
    if (!isVisibleChange(old, context)) return null;
    const delta = deltaOf(old, context);
    const { type, title } = timelineRow(delta, old, context);
    const isSame = type === "activity" && Object.keys(delta).length === 0;
    const again = isSame ? this.snapshots.replaceLatest(id, { title, context }) : null;
    if (again !== null) return again;
    const sequence = this.sessions.nextSequence(id);
    const times = { created_at: now, occurred_at: after.last_event_at ?? now };
    return this.snapshots.add({ agent_id: id, sequence, ...times, type, title, delta, context });
  }

  #tell(kind: AgentEvent["kind"], agent_id: string, more: Partial<AgentEvent> = {}): void {
    this.#events.push({ kind, agent_id, ...more });
  }

  /** Messages of quiet writes become one event once their log is read to its end. */
  #publishEvents(isQuiet: boolean): void {
    const events = this.#events;
    this.#events = [];
    const isMessage = ({ message_id }: StoredEvent) => message_id !== undefined;
    if (isQuiet)
      for (const { agent_id } of events.filter(isMessage)) this.#quietlyChanged.add(agent_id);
    const byAgent = Map.groupBy(events, ({ agent_id }) => agent_id);
    const isMany = (id: string) =>
      this.#quietlyChanged.has(id) ||
      (byAgent.get(id) ?? []).filter(isMessage).length > MAX_MESSAGE_EVENTS;
    const many = new Set([...byAgent.keys(), ...this.#quietlyChanged].filter(isMany));
    for (const event of events)
      if (!isMessage(event) || !many.has(event.agent_id)) this.#emit(event);
    if (isQuiet) return;
    this.#quietlyChanged.clear();
    for (const agent_id of many)
      this.#emit({ kind: "message_updated", agent_id, resources: ["messages"] });
  }

  #emit(event: StoredEvent): void {
    const revision = this.sessions.get(event.agent_id)?.revision ?? 0;
    for (const listener of this.#listeners) {
      try {
        listener({ ...event, revision });
      } catch (error) {
        // The change is stored, whatever a listener does.
        this.#deps.log?.warn(`a listener of the agent store failed: ${String(error)}`);
      }
    }
  }
}
