import { batch, computed, signal } from "@preact/signals";
import {
  readAgentFrame,
  type SeenAgent,
  type SeenAgentEvent,
  type SeenReview,
  type SeenReviewSummary,
  type SeenTimelineEvent,
} from "../../../../src/protocol/tolerant-agents.ts";
import { reuseGroups } from "../../../model/review/cards.ts";
import { isFresh } from "../../../model/review/decision.ts";
import { AgentsApi } from "../../../net/agents-api.ts";
import type { Api } from "../../../net/api.ts";
import { Feed, type FeedPhase } from "../../../net/feed.ts";
import { PagedResource } from "../paged.ts";
import type { PaneGate } from "../pane-gate.ts";
import { Resource } from "../resource.ts";
import { AgentState, pageOf } from "./agent.ts";
import { Board } from "./board.ts";
import { ChosenCard } from "./chosen-card.ts";
import { Followed } from "./followed.ts";
import { forgetHistory } from "./forget.ts";
import { GoingThrough } from "./going-through.ts";
import { Hands } from "./hands.ts";
import { contextOf } from "./pane-context.ts";
import { Marks } from "./marks.ts";
import { Outgoing, type OutgoingDeps } from "./outgoing.ts";
import { Planned } from "./planned.ts";
import { Replies, type RepliesDeps } from "./replies.ts";

/** Agents write all the time; the review is asked for no more often than this because of it. */
const REVIEW_REST_MS = 2000;
/** Agents whose content is kept while nobody looks at them. */
const MAX_AGENTS = 20;

export interface WorkspaceDeps
  extends
    Omit<RepliesDeps, "api" | "learned" | "panes">,
    Omit<OutgoingDeps, "api" | "latest" | "isFresh"> {
  readonly api: Api;
  readonly token: () => string;
  readonly open: (url: string) => WebSocket;
  /** Of the server's sockets: `ws://host:port`. */
  readonly origin: string;
  /** The server has closed the socket for good: its configuration may say why. */
  readonly onEnded: () => void;
}

/**
 * The agent workspace of one server while it is switched on: what is shown of it is followed over a
 * socket of its own, whose trouble is none of the terminals'.
 */
export class Workspace {
  readonly api: AgentsApi;
  readonly gate: PaneGate;
  readonly phase = signal<FeedPhase>("off");
  readonly review: Resource<SeenReview>;
  /** What the head of a page says of the review: asked for where the cards are not shown. */
  readonly summary: Resource<SeenReviewSummary>;
  readonly agents: PagedResource<SeenAgent>;
  readonly timeline: PagedResource<SeenTimelineEvent>;
  readonly followed: Readonly<Record<"review" | "summary" | "agents" | "timeline", Followed>>;
  readonly board = new Board(this);
  readonly chosen: ChosenCard;
  readonly goingThrough: GoingThrough;
  readonly marks: Marks;
  readonly replies: Replies;
  readonly planned: Planned;
  readonly outgoing: Outgoing;
  readonly hands: Hands;
  /** Monotonic milliseconds of the last good answer to the review. */
  readonly reviewReadAt = signal(-Infinity);
  /** What is shown may be acted on: the socket lives, or it is about to. */
  readonly isDown = computed(() => this.phase.value === "down" || this.phase.value === "ended");
  readonly #deps: WorkspaceDeps;
  readonly #feed: Feed;
  readonly #agents = new Map<string, AgentState>();
  #cursor: number | null = null;

  constructor(deps: WorkspaceDeps) {
    this.#deps = deps;
    const { nowMs, onUnauthorized } = deps;
    const api = new AgentsApi(deps.api);
    this.api = api;
    this.gate = deps.gate;
    this.review = new Resource(async (signal) => {
      const result = await api.review(signal);
      if (!result.ok) return result;
      const known = this.review.value.peek()?.groups ?? [];
      const groups = reuseGroups(known, result.value.groups);
      return { ok: true, value: { ...result.value, groups } };
    }, onUnauthorized);
    this.summary = new Resource((signal) => api.reviewSummary(signal), onUnauthorized);
    this.agents = new PagedResource({
      ask: async (cursor, signal) =>
        pageOf(await api.agents(cursor, signal), ({ agents }) => agents),
      idOf: ({ id }) => id,
      onUnauthorized,
    });
    this.timeline = new PagedResource({
      ask: async (cursor, signal) =>
        pageOf(await api.timeline(cursor, signal), ({ events }) => events),
      idOf: ({ id }) => id,
      onUnauthorized,
    });
    this.followed = {
      review: new Followed({ ask: () => this.#readReview(), restMs: REVIEW_REST_MS, nowMs }),
      summary: new Followed({ ask: () => this.#readSummary(), restMs: REVIEW_REST_MS, nowMs }),
      agents: new Followed({ ask: () => this.agents.refresh(), restMs: REVIEW_REST_MS, nowMs }),
      timeline: new Followed({ ask: () => this.timeline.refresh(), nowMs }),
    };
    this.chosen = new ChosenCard({ board: this.board, nowMs });
    this.goingThrough = new GoingThrough({ board: this.board, nowMs });
    const learned = () => this.#invalidateReview();
    this.marks = new Marks({ api, changed: learned, onUnauthorized });
    this.replies = new Replies({ ...deps, api, learned });
    this.outgoing = new Outgoing({
      ...deps,
      api,
      latest: (id) => this.#agents.get(id)?.agent.value.value ?? null,
      isFresh: (id) => this.#isAgentFresh(id),
    });
    this.planned = new Planned({ ...deps, workspace: this });
    this.hands = new Hands({
      api,
      learned: (agent) => {
        this.agent(agent.id).learn(agent);
        this.followed.agents.invalidate();
        this.#invalidateReview();
      },
      forgotten: (id) => forgetHistory(this, id),
      reread: (id) => this.agent(id).invalidateAll(),
      onUnauthorized,
    });
    this.#feed = new Feed({
      open: deps.open,
      url: () => this.#url(),
      onFrame: (text) => this.#take(text),
      onPhase: (phase) => {
        this.phase.value = phase;
      },
      onEnd: deps.onEnded,
    });
  }

  start(): void {
    this.outgoing.start();
    this.#feed.start();
  }

  /** Lets go of its socket; what has been read stays. */
  sleep(): void {
    this.#feed.stop();
  }

  /** Connects anew now: the socket that it has may be a dead one. What was missed comes as events. */
  reconnect(): void {
    this.#feed.stop();
    this.#feed.start();
  }

  /** Switched off, or signed out: nothing of it stays. */
  stop(): void {
    this.#feed.stop();
    batch(() => {
      this.review.clear();
      this.summary.clear();
      this.agents.clear();
      this.timeline.clear();
      this.chosen.clear();
      this.marks.clear();
      this.replies.clear();
      this.planned.stop();
      this.outgoing.stop();
      this.hands.clear();
      for (const agent of this.#agents.values()) agent.forget();
    });
    this.#agents.clear();
  }

  /** One agent; what is shown of it is followed from then on. */
  agent(id: string): AgentState {
    const known = this.#agents.get(id);
    if (known !== undefined) return known;
    const { nowMs, onUnauthorized } = this.#deps;
    const state = new AgentState(id, {
      api: this.api,
      nowMs,
      onUnauthorized,
      onMessages: (messages) => this.outgoing.notice(id, messages),
    });
    this.#agents.set(id, state);
    this.#forgetOldest();
    return state;
  }

  /** An agent as far as anything that was read tells of it. */
  known(id: string): SeenAgent | null {
    const card = this.board.card(id);
    if (card !== null) return (card.latest ?? card.drawn).agent;
    const read = this.#agents.get(id)?.agent.value.value ?? null;
    return read ?? this.agents.items.value?.find((agent) => agent.id === id) ?? null;
  }

  /** Whether what was read of the review can be answered and marked without asking first. */
  isReviewFresh(nowMs: number): boolean {
    return isFresh(this.phase.value === "live", this.reviewReadAt.value, nowMs);
  }

  #isAgentFresh(id: string): boolean {
    const readAt = this.#agents.get(id)?.readAt.value ?? -Infinity;
    return isFresh(this.phase.value === "live", readAt, this.#deps.nowMs());
  }

  readonly contextOf = (paneId: string) => contextOf(this.api, paneId);

  async #readReview(): Promise<void> {
    await this.review.reload();
    if (this.review.failure.peek() !== null) return;
    this.reviewReadAt.value = this.#deps.nowMs();
    this.summary.value.value = this.review.value.peek();
  }

  /** Where the whole is followed, it brings this with it. */
  async #readSummary(): Promise<void> {
    if (!this.followed.review.isWatched) await this.summary.reload();
  }

  #forgetOldest(): void {
    for (const [id, state] of this.#agents) {
      if (this.#agents.size <= MAX_AGENTS) return;
      const isShown = Object.values(state.followed).some(({ isWatched }) => isWatched);
      if (!isShown) this.#agents.delete(id);
    }
  }

  #url(): string {
    const query = new URLSearchParams();
    const token = this.#deps.token();
    if (token !== "") query.set("token", token);
    if (this.#cursor !== null) query.set("cursor", String(this.#cursor));
    return `${this.#deps.origin}/ws/agents${query.size === 0 ? "" : `?${query}`}`;
  }

  #take(text: string): void {
    const reading = readAgentFrame(text);
    if (!reading.ok || reading.value.type === "unknown") return;
    const frame = reading.value;
    const before = this.#cursor;
    if (frame.type === "reset" || frame.type === "agent_event") {
      this.#cursor = frame.cursor;
      if (frame.type === "reset") this.#invalidateAll();
      else this.#invalidate(frame.event);
      return;
    }
    // What lies between comes as events behind it. A counter that went back is another run's.
    if (before !== null && frame.cursor >= before) return;
    this.#cursor = frame.cursor;
    if (before !== null) this.#invalidateAll();
  }

  #invalidate({ kind, agent_id, decision_id, snapshot_id }: SeenAgentEvent): void {
    const agent = this.#agents.get(agent_id) ?? null;
    const { agents, timeline } = this.followed;
    switch (kind) {
      case "agent_updated":
        agent?.followed.agent.invalidate();
        agents.invalidate();
        if (snapshot_id !== undefined) {
          agent?.followed.timeline.invalidate();
          timeline.invalidate();
        }
        this.#invalidateReview();
        return;
      case "decision_updated":
        if (decision_id !== undefined && this.board.shows(decision_id))
          void this.replies.reread(decision_id);
        agent?.followed.decisions.invalidate();
        agent?.followed.agent.invalidate();
        this.#invalidateReview();
        return;
      case "message_updated":
        agent?.followed.chat.invalidate();
        return;
      case "history_deleted":
        forgetHistory(this, agent_id);
        return;
      case "review_updated":
      case "review_settings_updated":
      case "review_due":
        this.#invalidateReview();
        return;
      case "unknown":
    }
  }

  #invalidateReview(): void {
    this.followed.review.invalidate();
    this.followed.summary.invalidate();
  }

  #invalidateAll(): void {
    for (const followed of Object.values(this.followed)) followed.invalidate();
    for (const agent of this.#agents.values()) agent.invalidateAll();
  }
}
