import { batch, computed, signal, type ReadonlySignal, type Signal } from "@preact/signals";
import {
  readAgentEvent,
  readAgents,
  readReview,
  type SeenAgent,
  type SeenDecision,
  type SeenReview,
} from "../../../../src/protocol/tolerant-agents.ts";
import { isRefused } from "../../../net/connection.ts";
import { PagedQuery, pageOf, Query } from "../query.ts";
import type { Server } from "../server.ts";
import { AgentState } from "./agent.ts";
import { SessionActions } from "./session-actions.ts";
import { SaidSearch, type SaidQuery } from "./chat.ts";
import { sameValue } from "../../../model/reuse.ts";

/** Agents write all the time; lists of them are asked for no more often than this because of it. */
const REST_MS = 2000;
const MAX_AGENTS = 20;
export const PAGE_LENGTH = 50;

/** The agent workspace of one server while it is switched on. Events say what of it to read again. */
export class Workspace {
  readonly server: Server;
  /** Everything that was read, whichever reply it came with: lists and views refer to these rows. */
  readonly tables = { agents: new Table<SeenAgent>(), decisions: new Table<SeenDecision>() };
  /** How what changes is collected: only the settings ask for it. */
  readonly review: Query<SeenReview>;
  readonly agents: PagedQuery<SeenAgent>;
  readonly actions = new SessionActions(this);
  /** What is shown may not be acted on: the server has been away for long. */
  readonly isDown = computed(() => {
    const phase = this.server.phase.value;
    return phase === "offline" || isRefused(phase);
  });
  readonly #agents = new Map<string, AgentState>();

  constructor(server: Server) {
    this.server = server;
    this.review = new Query((abort) =>
      server.api.call("GET /api/review", { query: {}, read: readReview, signal: abort }),
    );
    this.agents = new PagedQuery({
      restMs: REST_MS,
      ask: async (cursor, abort) => {
        const query = { cursor, limit: PAGE_LENGTH };
        const asked = { query, read: readAgents, signal: abort };
        return pageOf(await server.api.call("GET /api/agents", asked), ({ agents }) => agents);
      },
      idOf: ({ id }) => id,
      table: this.tables.agents,
    });
  }

  /** The socket is there again, and what was missed comes as events. */
  resumed(): void {
    for (const query of this.#queries()) query.retryFailed();
  }

  /**
   * Events were missed, or no socket brings any: everything that was read may be old, its revisions
   * those of another run.
   */
  missed(): void {
    for (const table of Object.values(this.tables)) table.expire();
    this.#invalidate(this.#queries());
  }

  /** @param event as it came: one that cannot be read is none */
  heard(event: unknown): void {
    this.#evict();
    const reading = readAgentEvent(event);
    if (!reading.ok) return;
    const { agent_id, kind, snapshot_id } = reading.value;
    const { agents, review } = this;
    const agent = this.#agents.get(agent_id);
    switch (kind) {
      case "history_deleted":
        return this.forget(agent_id);
      case "agent_updated":
        this.#invalidate([agent?.query, agent?.steps, agents]);
        if (snapshot_id !== undefined) agent?.timeline.invalidate();
        return;
      case "decision_updated":
        return this.#invalidate([agent?.query, agent?.decisions, agent?.acts]);
      case "message_updated":
        return this.#invalidate([agent?.chat, agent?.steps]);
      case "review_updated":
      case "review_settings_updated":
      case "review_due":
        return this.#invalidate([review]);
    }
  }

  said(query: SaidQuery): SaidSearch {
    return new SaidSearch(this.server, query);
  }

  agent(id: string): AgentState {
    const known = this.#agents.get(id) ?? new AgentState(id, this);
    this.#agents.set(id, known);
    return known;
  }

  known(id: string): SeenAgent | null {
    return this.tables.agents.get(id).value;
  }

  learned(agent: SeenAgent): void {
    this.tables.agents.upsert([agent]);
    this.#invalidate([this.agents]);
  }

  reread(id: string): void {
    this.#invalidate(this.agent(id).queries);
  }

  /** The history of an agent is deleted, here or elsewhere: nothing of it stays in this browser. */
  forget(id: string): void {
    const { agents, decisions } = this.tables;
    batch(() => {
      this.agent(id).forget();
      decisions.drop(({ agent_id }) => agent_id === id);
      agents.expire();
    });
    this.#invalidate([this.agents]);
  }

  /** Lets go of what was read for agents that nobody looks at any more, the oldest first. */
  #evict(): void {
    for (const [id, { queries }] of this.#agents) {
      if (this.#agents.size <= MAX_AGENTS) return;
      if (!queries.some(({ isWatched }) => isWatched)) this.#agents.delete(id);
    }
  }

  #queries(): readonly Query<unknown>[] {
    const ofAgents = [...this.#agents.values()].flatMap(({ queries }) => queries);
    return [this.review, this.agents, ...ofAgents];
  }

  #invalidate(queries: readonly (Query<unknown> | undefined)[]): void {
    for (const query of queries) query?.invalidate();
  }
}

interface Row {
  readonly id: string;
  readonly revision: number;
}

/**
 * One row for each thing of a kind, whichever reply it came with. The newest revision wins, and a row
 * that says nothing new stays the very object that it was.
 */
export class Table<T extends Row> {
  readonly #rows = new Map<string, Signal<T | null>>();
  /** Rows that any other may replace: revisions may have begun anew. */
  #expired = new Set<string>();

  /** What reads it follows the row; null while nothing is known of it. */
  get(id: string): ReadonlySignal<T | null> {
    return this.#row(id);
  }

  upsert(rows: readonly T[]): T[] {
    return batch(() => rows.map((row) => this.#take(row)));
  }

  drop(isGone: (row: T) => boolean): void {
    batch(() => {
      for (const row of this.#rows.values())
        if (row.value !== null && isGone(row.value)) row.value = null;
    });
  }

  /** Another run of the server counts revisions: what is read next is newer, whatever it says. */
  expire(): void {
    this.#expired = new Set(this.#rows.keys());
  }

  #take(row: T): T {
    const known = this.#row(row.id);
    const before = known.peek();
    const isOlder = before !== null && row.revision < before.revision && !this.#expired.has(row.id);
    if (before !== null && (isOlder || sameValue(before, row))) return before;
    this.#expired.delete(row.id);
    known.value = row;
    return row;
  }

  #row(id: string): Signal<T | null> {
    const known = this.#rows.get(id);
    if (known !== undefined) return known;
    const row = signal<T | null>(null);
    this.#rows.set(id, row);
    return row;
  }
}
