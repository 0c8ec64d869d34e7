import { batch, computed, type ReadonlySignal } from "@preact/signals";
import {
  type SeenAgent,
  type SeenAgentEvent,
  type SeenDecision,
  type SeenReview,
  type SeenReviewSummary,
} from "../../../../src/protocol/tolerant-agents.ts";
import { waitingAgents } from "../../../../src/protocol/waiting.ts";
import { reuseGroups } from "../../../model/queue/cards.ts";
import { AgentsApi } from "../../../net/agents-api.ts";
import type { Api, Result } from "../../../net/api.ts";
import type { FeedPhase } from "../../../net/feed.ts";
import { PagedQuery, Query } from "../query.ts";
import { AgentState, pageOf } from "./agent.ts";
import { AgentEvents, type AgentEventsDeps } from "./agent-events.ts";
import { Board } from "./board.ts";
import { changedBy } from "./changed-by.ts";
import { SaidSearch, type SaidQuery } from "./said.ts";
import { SessionActions } from "./session-actions.ts";
import { Marks } from "./marks.ts";
import type { Outbox } from "../outbox.ts";
import { Table } from "./table.ts";

/** Agents write all the time; the review is asked for no more often than this because of it. */
const REVIEW_REST_MS = 2000;
/** Agents whose content is kept while nobody looks at them. */
const MAX_AGENTS = 20;

export interface WorkspaceDeps extends Pick<
  AgentEventsDeps,
  "token" | "open" | "origin" | "onEnded"
> {
  readonly api: Api;
  readonly outbox: Outbox;
  readonly nowMs: () => number;
  /** Whether the card of this agent stands beside the list. */
  readonly isRead: (agentId: string) => boolean;
}

/**
 * The agent workspace of one server while it is switched on: what is shown of it is followed over a
 * socket of its own, whose trouble is none of the terminals'.
 */
export class Workspace {
  readonly api: AgentsApi;
  readonly outbox: Outbox;
  readonly phase: ReadonlySignal<FeedPhase>;
  /** Everything that was read, whichever reply it came with: lists and views refer to these rows. */
  readonly tables = { agents: new Table<SeenAgent>(), decisions: new Table<SeenDecision>() };
  readonly review: Query<SeenReview>;
  /** What the head of a page says of the review: asked for where the cards are not shown. */
  readonly summary: Query<SeenReviewSummary>;
  readonly agents: PagedQuery<SeenAgent>;
  readonly board = new Board(this);
  readonly marks: Marks;
  readonly actions: SessionActions;
  /** What is shown may be acted on: the socket lives, or it is about to. */
  readonly isDown = computed(() => this.phase.value === "down" || this.phase.value === "ended");
  readonly #deps: WorkspaceDeps;
  readonly #events: AgentEvents;
  readonly #agents = new Map<string, AgentState>();
  #unfollow = (): void => {};

  constructor(deps: WorkspaceDeps) {
    this.outbox = deps.outbox;
    this.#deps = deps;
    const { nowMs } = deps;
    const api = new AgentsApi(deps.api);
    this.api = api;
    const rested = { restMs: REVIEW_REST_MS, nowMs };
    this.review = new Query((signal) => this.#readReview(signal), rested);
    this.summary = new Query((signal) => this.#readSummary(signal), rested);
    this.agents = new PagedQuery({
      ...rested,
      ask: async (cursor, signal) =>
        pageOf(await api.agents(cursor, signal), ({ agents }) => agents),
      idOf: ({ id }) => id,
      table: this.tables.agents,
    });
    const changed = () => this.#invalidate([this.review, this.summary]);
    this.marks = new Marks({ api, changed });
    this.actions = new SessionActions({
      api,
      learned: (agent) => {
        this.tables.agents.upsert([agent]);
        this.#invalidate([this.agents, this.review, this.summary]);
      },
      forgotten: (id) => this.#forget(id),
      reread: (id) => this.#invalidate(this.agent(id).queries),
    });
    this.#events = new AgentEvents({
      ...deps,
      onEvent: (event) => this.#heard(event),
      onFirst: () => this.#invalidate(this.#queries()),
      onReset: () => {
        for (const table of Object.values(this.tables)) table.expire();
        this.#invalidate(this.#queries());
      },
      onLive: () => {
        for (const query of this.#queries()) query.retryFailed();
      },
      onFrame: () => this.#evict(),
    });
    this.phase = this.#events.phase;
  }

  start(): void {
    this.#unfollow = this.board.follow();
    this.#events.start();
  }

  /** Lets go of its socket; what has been read stays. */
  sleep(): void {
    this.#events.stop();
  }

  /** Connects anew now: the socket that it has may be a dead one. What was missed comes as events. */
  reconnect(): void {
    this.#events.stop();
    this.#events.start();
  }

  /** Switched off, or signed out: nothing of it stays. */
  stop(): void {
    this.#events.stop();
    this.#unfollow();
    batch(() => {
      for (const query of this.#queries()) query.clear();
      for (const table of Object.values(this.tables)) table.clear();
      this.marks.clear();
      this.actions.clear();
    });
    this.#agents.clear();
  }

  /** What was said in all sessions. */
  said(query: SaidQuery): SaidSearch {
    return new SaidSearch({ api: this.api }, query);
  }

  /** One agent, as far as it is looked at. */
  agent(id: string): AgentState {
    const known = this.#agents.get(id);
    if (known !== undefined) return known;
    const { nowMs } = this.#deps;
    const state = new AgentState(id, {
      api: this.api,
      tables: this.tables,
      nowMs,
    });
    this.#agents.set(id, state);
    return state;
  }

  /** The newest that is known of an agent. */
  known(id: string): SeenAgent | null {
    return this.tables.agents.get(id).value;
  }

  /** Every decision of an agent that is known here. */
  decisionsOf(agentId: string): ReadonlySet<string> {
    const rows = this.tables.decisions.where(({ agent_id }) => agent_id === agentId);
    return new Set(rows.map(({ id }) => id));
  }

  /** Whether the card of this agent is being read. */
  isRead(agentId: string): boolean {
    return this.#deps.isRead(agentId);
  }

  async #readReview(signal: AbortSignal): Promise<Result<SeenReview>> {
    const result = await this.api.review(signal);
    if (!result.ok || signal.aborted) return result;
    const { agents, decisions } = this.tables;
    const groups = result.value.groups.map((group) => {
      const [agent = group.agent] = agents.upsert([group.agent]);
      return { ...group, agent, decisions: decisions.upsert(group.decisions) };
    });
    const known = this.review.value.peek()?.groups ?? [];
    const value = { ...result.value, groups: reuseGroups(known, groups) };
    this.summary.value.value = { ...value, waiting: waitingAgents(groups) };
    return { ok: true, value };
  }

  /** Where the whole is watched, it brings this with it. */
  async #readSummary(signal: AbortSignal): Promise<Result<SeenReviewSummary>> {
    const whole = this.review.isWatched ? this.review.value.peek() : null;
    if (whole === null) return this.api.reviewSummary(signal);
    return { ok: true, value: { ...whole, waiting: waitingAgents(whole.groups) } };
  }

  /** The history of an agent is deleted, here or elsewhere: nothing of it stays in this browser. */
  #forget(id: string): void {
    const decisions = this.decisionsOf(id);
    batch(() => {
      this.marks.clear(id);
      this.actions.dismiss(id);
      this.agent(id).forget();
      for (const decision of decisions) this.tables.decisions.drop(decision);
      this.tables.agents.expire();
    });
    this.#invalidate([this.agents, this.review, this.summary]);
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
    return [this.review, this.summary, this.agents, ...ofAgents];
  }

  #heard(event: SeenAgentEvent): void {
    const { agent_id, kind } = event;
    if (kind === "history_deleted") return this.#forget(agent_id);
    this.#invalidate(changedBy(event, this, this.#agents.get(agent_id)));
  }

  #invalidate(queries: readonly (Query<unknown> | undefined)[]): void {
    for (const query of queries) query?.invalidate();
  }
}
