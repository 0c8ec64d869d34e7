import type { Database } from "bun:sqlite";
import type { AgentEvent, AgentResume } from "../protocol/agent-replies.ts";
import type { AgentSession } from "../protocol/agents.ts";
import { resumeOf } from "./resume.ts";
import { DecisionTable } from "./store/decisions.ts";
import { LogTable } from "./store/logs.ts";
import { MessageTable } from "./store/messages.ts";
import { SessionTable } from "./store/sessions.ts";
import { SnapshotTable } from "./store/snapshots.ts";
import { deltaOf, isVisibleChange, titleOf, typeOf } from "./timeline.ts";

export interface AgentStoreDeps {
  /** Opened and migrated by whoever starts the bundle. */
  database: Database;
  /** Epoch seconds. */
  now: () => number;
}

/**
 * What is known of agents, in one file with one writer. Changes are made inside `write`; a change
 * that a client can see is told to subscribers after it is stored, and never before.
 */
export class AgentStore {
  readonly logs: LogTable;
  readonly sessions: SessionTable;
  readonly messages: MessageTable;
  readonly decisions: DecisionTable;
  readonly snapshots: SnapshotTable;
  readonly #deps: AgentStoreDeps;
  readonly #listeners = new Set<(event: AgentEvent) => void>();
  /** Of the transaction that runs. */
  #touched = new Set<string>();
  #events: AgentEvent[] = [];
  #isWriting = false;

  constructor(deps: AgentStoreDeps) {
    this.#deps = deps;
    const { database } = deps;
    this.logs = new LogTable(database);
    this.sessions = new SessionTable(database, (id) => this.#touched.add(id));
    this.messages = new MessageTable(database, (agent_id, message_id) =>
      this.#events.push({ kind: "message_updated", agent_id, revision: 0, message_id }),
    );
    this.decisions = new DecisionTable(database, (agent_id, decision_id) => {
      this.#touched.add(agent_id);
      this.#events.push({ kind: "decision_updated", agent_id, revision: 0, decision_id });
    });
    this.snapshots = new SnapshotTable(database);
  }

  get now(): number {
    return this.#deps.now();
  }

  /** Called after each change that a client can see. */
  subscribe(listener: (event: AgentEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * All of it or nothing. At the end every session that was touched gets its public form, and a
   * snapshot where a person would see the difference. Calls inside a call join it.
   *
   * @param options.quiet a file is being read again: what it says is not yet where it was
   */
  write<T>(work: () => T, options: { quiet?: boolean } = {}): T {
    if (this.#isWriting) return work();
    this.#isWriting = true;
    this.#touched = new Set();
    this.#events = [];
    try {
      const result = this.#deps.database.transaction(() => {
        const value = work();
        if (!options.quiet) for (const id of this.#touched) this.#publish(id);
        return value;
      })();
      const events = this.#events.map((event) => this.#withRevision(event));
      this.#isWriting = false;
      for (const event of events) this.#tell(event);
      return result;
    } finally {
      this.#isWriting = false;
    }
  }

  /** Null for a session that is not known. */
  resume(id: string): AgentResume | null {
    const session = this.sessions.get(id);
    if (session === null) return null;
    const visit = this.snapshots.visit(id);
    return resumeOf({
      session,
      visit,
      pending: this.decisions.page({ cursor: null, limit: 100, status: "pending", agentId: id })
        .decisions,
      baseline: visit && this.snapshots.get(visit.snapshot_id),
      oldest: this.snapshots.oldest(id),
      latest: this.snapshots.latest(id),
    });
  }

  #publish(id: string): void {
    const now = this.#deps.now();
    const change = this.sessions.publish(id, this.decisions.open(id), now);
    if (change === null) return;
    const { before, after } = change;
    const snapshotId = this.#snapshot(before, after, now);
    this.#events.push({
      kind: "agent_updated",
      agent_id: id,
      revision: after.revision,
      ...(snapshotId === null ? {} : { snapshot_id: snapshotId }),
    });
  }

  #snapshot(before: AgentSession | null, after: AgentSession, now: number): string | null {
    const old = before?.context ?? null;
    if (!isVisibleChange(old, after.context)) return null;
    const delta = deltaOf(old, after.context);
    const type = typeOf(delta, old, after.context);
    return this.snapshots.add(
      after.id,
      {
        sequence: this.sessions.nextSequence(after.id),
        occurredAt: after.last_event_at ?? now,
        type,
        title: titleOf(type, delta, after.context),
        delta,
        context: after.context,
      },
      now,
    );
  }

  #withRevision(event: AgentEvent): AgentEvent {
    if (event.kind === "agent_updated") return event;
    return { ...event, revision: this.sessions.get(event.agent_id)?.revision ?? 0 };
  }

  #tell(event: AgentEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}
