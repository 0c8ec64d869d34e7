import type { ReviewAllRequest, ReviewSettingsPatch } from "../../src/protocol/review.ts";
import {
  readAgent,
  readAgents,
  readDecisions,
  readMessages,
  readReview,
  readReviewed,
  readReviewedAll,
  readReviewSettings,
  readReviewSummary,
  readSaid,
  readSteps,
  readTimeline,
} from "../../src/protocol/tolerant-agents.ts";
import { readRecord } from "../../src/protocol/tolerant-record.ts";
import type { Sent } from "../../src/protocol/endpoints.ts";
import type { Api } from "./api.ts";

/** What a search of all that was said is narrowed to; null is anything. */
export interface ChatFilter {
  readonly q: string;
  readonly role: "user" | "assistant" | null;
  /** Epoch seconds. */
  readonly after: number | null;
}

const PAGE = 50;
/** The first page is there soon; older ones are asked for before they are reached. */
const MESSAGES = 100;
const OLDER_MESSAGES = 200;

/** Every call of the agent workspace. It loads with the workspace. */
export class AgentsApi {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  review = (signal: AbortSignal) =>
    this.#api.call("GET /api/review", { query: {}, read: readReview, signal });
  reviewSummary = (signal: AbortSignal) =>
    this.#api.call("GET /api/review", { query: { counts: "1" }, read: readReviewSummary, signal });
  acknowledgeAll = (snapshots: ReviewAllRequest["snapshots"]) =>
    this.#api.call("PUT /api/review/all", { json: { snapshots }, read: readReviewedAll });
  changeReview = (json: ReviewSettingsPatch) =>
    this.#api.call("PATCH /api/review/settings", { json, read: readReviewSettings });
  acknowledge = (id: string, snapshot_id: string) =>
    this.#api.call("PUT /api/agents/:id/review", {
      ...{ path: { id }, json: { snapshot_id }, read: readReviewed },
    });

  agents = (cursor: Cursor, signal: AbortSignal) =>
    this.#api.call("GET /api/agents", { query: { cursor, limit: PAGE }, read: readAgents, signal });
  agent = (id: string, signal: AbortSignal) =>
    this.#api.call("GET /api/agents/:id", { path: { id }, read: readAgent, signal });
  timelineOf = (id: string, cursor: Cursor, signal: AbortSignal) =>
    this.#api.call("GET /api/agents/:id/timeline", {
      ...{ path: { id }, query: { cursor, limit: PAGE }, read: readTimeline, signal },
    });
  /** What was said in all sessions. */
  said = (filter: ChatFilter, cursor: Cursor, limit: number, signal: AbortSignal) =>
    this.#api.call("GET /api/messages", {
      ...{ query: { ...filter, cursor, limit }, read: readSaid, signal },
    });
  /** Those that hold `q`, all where it is empty; the newest page first. */
  messages = (id: string, q: string, cursor: Cursor, signal: AbortSignal) => {
    const limit = cursor === null ? MESSAGES : OLDER_MESSAGES;
    return this.#messages(id, { q, cursor, limit }, signal);
  };
  /** What it did around a message; null: last. */
  steps = (id: string, around: string | null, signal: AbortSignal) =>
    this.#api.call("GET /api/agents/:id/steps", {
      ...{ path: { id }, query: { around }, read: readSteps, signal },
    });
  /** What people did to a pane last. */
  acts = (pane: string, signal: AbortSignal) =>
    this.#api.call("GET /api/acts", { query: { pane }, read: readRecord, signal });
  /** As many before as after one message. */
  messagesAround = (id: string, around: string, signal: AbortSignal) =>
    this.#messages(id, { around, limit: MESSAGES }, signal);
  newerMessages = (id: string, newer: string, signal: AbortSignal) =>
    this.#messages(id, { newer, limit: MESSAGES }, signal);
  decisions = (agent_id: string, cursor: Cursor, signal: AbortSignal) =>
    this.#api.call("GET /api/decisions", {
      ...{ query: { agent_id, cursor, limit: PAGE }, read: readDecisions },
      signal,
    });

  bind = (id: string, pane_id: string, expected_binding_revision: number) =>
    this.#api.call("PUT /api/agents/:id/binding", {
      ...{ path: { id }, json: { pane_id, expected_binding_revision }, read: readAgent },
    });
  unbind = (id: string, expected_binding_revision: number) =>
    this.#api.call("DELETE /api/agents/:id/binding", {
      ...{ path: { id }, query: { expected_binding_revision }, read: readAgent },
    });
  deleteHistory = (id: string) =>
    this.#api.call("DELETE /api/agents/:id/history", { path: { id } });

  #messages(id: string, query: Sent<"GET /api/agents/:id/messages">["query"], signal: AbortSignal) {
    const options = { path: { id }, query, read: readMessages, signal };
    return this.#api.call("GET /api/agents/:id/messages", options);
  }
}

type Cursor = string | null;
