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

const at = (id: string): string => `/api/agents/${encodeURIComponent(id)}`;

function query(path: string, values: Readonly<Record<string, string | number | null>>): string {
  const given = Object.entries(values).filter(([, value]) => value !== null && value !== "");
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
  return text.size === 0 ? path : `${path}?${text}`;
}

/** Every call of the agent workspace. It loads with the workspace. */
export class AgentsApi {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  review = (signal: AbortSignal) => this.#api.ask("GET", "/api/review", readReview, { signal });
  reviewSummary = (signal: AbortSignal) =>
    this.#api.ask("GET", "/api/review?counts=1", readReviewSummary, { signal });
  acknowledgeAll = (snapshots: ReviewAllRequest["snapshots"]) =>
    this.#api.ask("PUT", "/api/review/all", readReviewedAll, { body: { snapshots } });
  changeReview = (body: ReviewSettingsPatch) =>
    this.#api.ask("PATCH", "/api/review/settings", readReviewSettings, { body });
  acknowledge = (id: string, snapshot_id: string) =>
    this.#api.ask("PUT", `${at(id)}/review`, readReviewed, { body: { snapshot_id } });

  agents = (cursor: string | null, signal: AbortSignal) =>
    this.#api.ask("GET", query("/api/agents", { cursor, limit: PAGE }), readAgents, { signal });
  agent = (id: string, signal: AbortSignal) => this.#api.ask("GET", at(id), readAgent, { signal });
  timelineOf = (id: string, cursor: string | null, signal: AbortSignal) => {
    const path = query(`${at(id)}/timeline`, { cursor, limit: PAGE });
    return this.#api.ask("GET", path, readTimeline, { signal });
  };
  /** What was said in all sessions. */
  said = (
    { q, role, after }: ChatFilter,
    cursor: string | null,
    limit: number,
    signal: AbortSignal,
  ) => {
    const path = query("/api/messages", { q, role, after, cursor, limit });
    return this.#api.ask("GET", path, readSaid, { signal });
  };
  /** Those that hold `q`, all where it is empty; the newest page first. */
  messages = (id: string, q: string, cursor: string | null, signal: AbortSignal) => {
    const limit = cursor === null ? MESSAGES : OLDER_MESSAGES;
    const path = query(`${at(id)}/messages`, { q, cursor, limit });
    return this.#api.ask("GET", path, readMessages, { signal });
  };
  /** What it did around a message; null: last. */
  steps = (id: string, around: string | null, signal: AbortSignal) =>
    this.#api.ask("GET", query(`${at(id)}/steps`, { around }), readSteps, { signal });
  /** What people did to a pane last. */
  acts = (pane: string, signal: AbortSignal) =>
    this.#api.ask("GET", query("/api/acts", { pane }), readRecord, { signal });
  /** As many before as after one message. */
  messagesAround = (id: string, around: string, signal: AbortSignal) => {
    const path = query(`${at(id)}/messages`, { around, limit: MESSAGES });
    return this.#api.ask("GET", path, readMessages, { signal });
  };
  newerMessages = (id: string, newer: string, signal: AbortSignal) => {
    const path = query(`${at(id)}/messages`, { newer, limit: MESSAGES });
    return this.#api.ask("GET", path, readMessages, { signal });
  };
  decisions = (agent_id: string, cursor: string | null, signal: AbortSignal) => {
    const path = query("/api/decisions", { agent_id, cursor, limit: PAGE });
    return this.#api.ask("GET", path, readDecisions, { signal });
  };
  bind = (id: string, pane_id: string, expected_binding_revision: number) =>
    this.#api.ask("PUT", `${at(id)}/binding`, readAgent, {
      body: { pane_id, expected_binding_revision },
    });
  unbind = (id: string, expected_binding_revision: number) =>
    this.#api.ask("DELETE", query(`${at(id)}/binding`, { expected_binding_revision }), readAgent);
  deleteHistory = (id: string) =>
    this.#api.ask("DELETE", `${at(id)}/history`, () => ({ ok: true, value: null }) as const);
}
