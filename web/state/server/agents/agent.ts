import { signal, type ReadonlySignal } from "@preact/signals";
import {
  readAgent,
  readDecisions,
  readTimeline,
  type SeenAgent,
  type SeenDecision,
  type SeenMessage,
  type SeenTimelineEvent,
} from "../../../../src/protocol/tolerant-agents.ts";
import { readRecord, type SeenAct } from "../../../../src/protocol/tolerant-record.ts";
import type { StreamPart } from "../../../model/chat/stream.ts";
import type { Result } from "../../../net/api.ts";
import { PagedQuery, pageOf, Query } from "../query.ts";
import { askMessages, ChatWindow, pageAt } from "./chat.ts";
import { StepTrack } from "./steps.ts";
import { PAGE_LENGTH, type Workspace } from "./workspace.ts";

const ACTS_REST_MS = 2000;

export class AgentState {
  readonly id: string;
  readonly agent: ReadonlySignal<SeenAgent | null>;
  readonly query: Query<SeenAgent>;
  readonly chat: ChatWindow;
  readonly steps: StepTrack;
  /** What its messages are searched for, and what was found, newest first. */
  readonly search = signal("");
  readonly found: PagedQuery<SeenMessage>;
  /** Null: all of it. */
  readonly part = signal<StreamPart | null>(null);
  readonly timeline: PagedQuery<SeenTimelineEvent>;
  readonly decisions: PagedQuery<SeenDecision>;
  readonly acts: Query<readonly SeenAct[]>;
  readonly #workspace: Workspace;

  constructor(id: string, workspace: Workspace) {
    this.id = id;
    this.#workspace = workspace;
    const { server, tables } = workspace;
    const idOf = ({ id: item }: { readonly id: string }) => item;
    this.agent = tables.agents.get(id);
    this.query = new Query((signal) => this.#readAgent(signal));
    this.chat = new ChatWindow(id, server);
    this.steps = new StepTrack(id, server);
    this.found = new PagedQuery({
      idOf,
      ask: (cursor, signal) =>
        askMessages(server, id, { q: this.search.peek(), ...pageAt(cursor) }, signal),
    });
    this.timeline = new PagedQuery({
      idOf,
      ask: async (cursor, signal) => {
        const query = { cursor, limit: PAGE_LENGTH };
        const asked = { path: { id }, query, read: readTimeline, signal };
        const result = await server.api.call("GET /api/agents/:id/timeline", asked);
        return pageOf(result, ({ events }) => events);
      },
    });
    this.decisions = new PagedQuery({
      ...{ idOf, table: tables.decisions },
      ask: async (cursor, signal) => {
        const query = { agent_id: id, cursor, limit: PAGE_LENGTH };
        const asked = { query, read: readDecisions, signal };
        const result = await server.api.call("GET /api/decisions", asked);
        return pageOf(result, ({ decisions }) => decisions);
      },
    });
    this.acts = new Query((signal) => this.#readActs(signal), ACTS_REST_MS);
  }

  get queries(): readonly Query<unknown>[] {
    const { query, chat, steps, found, timeline, decisions, acts } = this;
    return [query, chat, steps, found, timeline, decisions, acts];
  }

  /** Its history was deleted: nothing of it stays in this browser. */
  forget(): void {
    for (const query of this.queries) {
      if (query !== this.query) query.clear();
      query.invalidate();
    }
    this.chat.facts.value = null;
  }

  async #readAgent(signal: AbortSignal): Promise<Result<SeenAgent>> {
    const { server, tables } = this.#workspace;
    const asked = { path: { id: this.id }, read: readAgent, signal };
    const result = await server.api.call("GET /api/agents/:id", asked);
    if (signal.aborted) return result;
    if (result.ok) tables.agents.upsert([result.value]);
    // Nothing of it is kept any more: what was read of it before would say otherwise.
    else if (result.failure.kind === "refused" && result.failure.status === 404)
      tables.agents.drop(({ id }) => id === this.id);
    return result;
  }

  async #readActs(signal: AbortSignal): Promise<Result<readonly SeenAct[]>> {
    const pane = this.agent.peek()?.pane_id ?? null;
    if (pane === null) return { ok: true, value: [] };
    const asked = { query: { pane }, read: readRecord, signal };
    const result = await this.#workspace.server.api.call("GET /api/acts", asked);
    return result.ok ? { ok: true, value: result.value.acts } : result;
  }
}
