import { batch, computed } from "@preact/signals";
import {
  readAgent,
  readAgentEvent,
  readAgents,
  type SeenAgent,
  type SeenDecision,
} from "../../../../src/protocol/tolerant-later.ts";
import { ignoreGone, type Result } from "../../../net/api.ts";
import { isRefused } from "../../../net/connection.ts";
import { Part } from "../part.ts";
import { Queries } from "../queries.ts";
import { PagedQuery, pageOf, Query } from "../query.ts";
import { AgentState } from "./agent.ts";
import { MessageHits, type MessageHitsQuery } from "./chat.ts";

/** Least time between reloads of lists by events, since agents write all the time. */
const REST_MS = 2000;
const MAX_AGENTS = 20;
export const PAGE_LENGTH = 50;

/**
 * The agent workspace of one server. Events say what to reload. Changes to a session are sent under
 * the revision that was shown, and never repeated by themselves.
 */
export class Workspace extends Part {
  /** Only the settings read it. */
  readonly review = new Query((signal) =>
    this.server.api.call("GET /api/review", { query: {}, signal }),
  );
  readonly agents = new PagedQuery<SeenAgent>({
    restMs: REST_MS,
    ask: (cursor, signal) => {
      const asked = { query: { cursor, limit: PAGE_LENGTH }, read: readAgents, signal };
      return pageOf(this.server.api.call("GET /api/agents", asked), ({ agents }) => agents);
    },
    idOf: ({ id }) => id,
  });
  /** The server has been away for long: no changes are offered. */
  readonly isDown = computed(() => {
    const phase = this.server.phase.value;
    return phase === "offline" || isRefused(phase);
  });
  readonly #agents = new Map<string, AgentState>();
  /** Those on the screen, and the last one. */
  #searches: readonly MessageHits[] = [];

  /** Events were missed, or there is no socket: everything may be old. */
  onMissed(): void {
    this.server.part(Queries).invalidate("GET /api/acts");
    this.#invalidate(this.#queries());
  }

  /** An event that cannot be read is ignored. */
  receive(event: unknown): void {
    this.#evict();
    const reading = readAgentEvent(event);
    if (reading === null) return;
    const { agent_id, kind, snapshot_id } = reading;
    const { agents, review } = this;
    const agent = this.#agents.get(agent_id);
    switch (kind) {
      case "history_deleted":
        return this.#forget(agent_id);
      case "agent_updated":
        this.#invalidate([agent?.query, agent?.steps, agents]);
        if (snapshot_id !== undefined) agent?.timeline.invalidate();
        return;
      case "decision_updated":
        this.server.part(Queries).invalidate("GET /api/acts");
        return this.#invalidate([agent?.query, agent?.decisions]);
      case "message_updated":
        return this.#invalidate([agent?.chat, agent?.steps]);
      case "review_updated":
      case "review_settings_updated":
      case "review_due":
        return review.invalidate();
    }
  }

  searchMessages(query: MessageHitsQuery): MessageHits {
    const hits = new MessageHits(this.server, query);
    this.#searches = [...this.#searches.filter(({ isWatched }) => isWatched), hits];
    return hits;
  }

  agent(id: string): AgentState {
    const listed = () => this.agents.items.value?.find((each) => each.id === id) ?? null;
    const known = this.#agents.get(id) ?? new AgentState(id, this.server, listed);
    this.#agents.set(id, known);
    return known;
  }

  /** Null while no view has loaded it. */
  agentRow(id: string | null): SeenAgent | null {
    return id === null ? null : this.agent(id).agent.value;
  }

  /** In the lists of decisions that views have loaded. */
  decision(id: string): SeenDecision | null {
    const lists = [...this.#agents.values()].map(({ decisions }) => decisions.items.value ?? []);
    return lists.flat().find((decision) => decision.id === id) ?? null;
  }

  bind({ id, binding_revision }: SeenAgent, pane_id: string): Promise<Result<unknown>> {
    const json = { pane_id, expected_binding_revision: binding_revision };
    const asked = { path: { id }, json, read: readAgent };
    return this.#changeBinding(
      id,
      this.server.api.call("PUT /api/agents/:id/binding", asked),
      (now) => now.association === "confirmed" && now.pane_id === pane_id,
    );
  }

  release({ id, binding_revision }: SeenAgent): Promise<Result<unknown>> {
    const query = { expected_binding_revision: binding_revision };
    const asked = { path: { id }, query, read: readAgent };
    return this.#changeBinding(
      id,
      this.server.api.call("DELETE /api/agents/:id/binding", asked),
      ({ association }) => association !== "confirmed",
    );
  }

  async deleteHistory(id: string): Promise<Result<unknown>> {
    const asked = { path: { id } };
    const result = ignoreGone(await this.server.api.call("DELETE /api/agents/:id/history", asked));
    if (result.ok) this.#forget(id);
    return result;
  }

  async #changeBinding(
    id: string,
    reply: Promise<Result<SeenAgent>>,
    holds: (now: SeenAgent) => boolean,
  ): Promise<Result<unknown>> {
    const result = await reply;
    const { agent, query } = this.agent(id);
    await query.reload();
    this.agents.invalidate();
    if (result.ok || result.failure.kind === "refused") return result;
    // After a lost reply the session's present state tells whether it was done.
    const now = query.failure.peek() === null ? agent.peek() : null;
    return now !== null && holds(now) ? { ok: true, value: now } : result;
  }

  /** Here or elsewhere: nothing of it stays in this browser. */
  #forget(id: string): void {
    batch(() => {
      this.agent(id).forget();
      for (const search of this.#searches) {
        search.clear();
        search.invalidate();
      }
    });
    this.agents.invalidate();
  }

  /** Drops agents that nobody watches, the oldest first. */
  #evict(): void {
    for (const [id, { queries }] of this.#agents) {
      if (this.#agents.size <= MAX_AGENTS) return;
      if (!queries.some(({ isWatched }) => isWatched)) this.#agents.delete(id);
    }
  }

  #queries(): readonly Query<unknown>[] {
    const ofAgents = [...this.#agents.values()].flatMap(({ queries }) => queries);
    return [this.review, this.agents, ...this.#searches, ...ofAgents];
  }

  #invalidate(queries: readonly (Query<unknown> | undefined)[]): void {
    for (const query of queries) query?.invalidate();
  }
}
