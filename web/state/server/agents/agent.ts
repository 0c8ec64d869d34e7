import { signal, type ReadonlySignal } from "@preact/signals";
import type {
  SeenAgent,
  SeenDecision,
  SeenMessage,
  SeenTimelineEvent,
} from "../../../../src/protocol/tolerant-agents.ts";
import type { SeenAct } from "../../../../src/protocol/tolerant-record.ts";
import type { Part } from "../../../model/chat/stream.ts";
import type { AgentsApi } from "../../../net/agents-api.ts";
import type { Result } from "../../../net/api.ts";
import { type Page, PagedQuery, Query } from "../query.ts";
import { ChatWindow } from "./chat.ts";
import { StepTrack } from "./steps.ts";
import type { Table } from "./table.ts";

const ACTS_REST_MS = 2000;

export interface AgentStateDeps {
  readonly api: AgentsApi;
  /** Every agent and every decision that is known, whoever has read it. */
  readonly tables: { readonly agents: Table<SeenAgent>; readonly decisions: Table<SeenDecision> };
  readonly nowMs: () => number;
}

/** One agent as far as it is looked at: what is known of it, and what its chat is made of. */
export class AgentState {
  readonly id: string;
  /** The newest that is known of it. */
  readonly agent: ReadonlySignal<SeenAgent | null>;
  readonly query: Query<SeenAgent>;
  readonly chat: ChatWindow;
  readonly steps: StepTrack;
  /** What its messages are searched for, and what was found, newest first. */
  readonly search = signal("");
  readonly found: PagedQuery<SeenMessage>;
  /** What of the chat is shown; null: all of it. */
  readonly part = signal<Part | null>(null);
  readonly timeline: PagedQuery<SeenTimelineEvent>;
  readonly decisions: PagedQuery<SeenDecision>;
  /** What people did to its pane. */
  readonly acts: Query<readonly SeenAct[]>;
  readonly #deps: AgentStateDeps;

  constructor(id: string, deps: AgentStateDeps) {
    this.id = id;
    this.#deps = deps;
    const { api, nowMs, tables } = deps;
    const paged = { idOf: ({ id: item }: { readonly id: string }) => item, nowMs };
    this.agent = tables.agents.get(id);
    this.query = new Query((signal) => this.#readAgent(signal), { nowMs });
    this.chat = new ChatWindow(id, deps);
    this.steps = new StepTrack(id, deps);
    this.found = new PagedQuery({
      ...paged,
      ask: (cursor, signal) => this.#find(cursor, signal),
    });
    this.timeline = new PagedQuery({
      ...paged,
      ask: async (cursor, signal) =>
        pageOf(await api.timelineOf(id, cursor, signal), ({ events }) => events),
    });
    this.decisions = new PagedQuery({
      ...paged,
      ask: async (cursor, signal) =>
        pageOf(await api.decisions(id, cursor, signal), ({ decisions }) => decisions),
      table: tables.decisions,
    });
    this.acts = new Query((signal) => this.#readActs(signal), {
      nowMs,
      restMs: ACTS_REST_MS,
    });
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
    const { api, tables } = this.#deps;
    const result = await api.agent(this.id, signal);
    if (signal.aborted) return result;
    if (result.ok) tables.agents.upsert([result.value]);
    // Nothing of it is kept any more: what was read of it before would say otherwise.
    else if (result.failure.kind === "refused" && result.failure.status === 404)
      tables.agents.drop(this.id);
    return result;
  }

  async #find(cursor: string | null, signal: AbortSignal): Promise<Result<Page<SeenMessage>>> {
    const result = await this.#deps.api.messages(this.id, this.search.peek(), cursor, signal);
    if (!result.ok) return result;
    const { messages, next_cursor } = result.value;
    // A long search answers in parts, and a part without a find says nothing to a person.
    if (messages.length === 0 && next_cursor !== null && !signal.aborted)
      return this.#find(next_cursor, signal);
    // Each page comes oldest first, and pages from the newest back.
    return { ok: true, value: { items: messages.toReversed(), next: next_cursor } };
  }

  async #readActs(signal: AbortSignal): Promise<Result<readonly SeenAct[]>> {
    const pane = this.agent.peek()?.pane_id ?? null;
    if (pane === null) return { ok: true, value: [] };
    const result = await this.#deps.api.acts(pane, signal);
    return result.ok ? { ok: true, value: result.value.acts } : result;
  }
}

/** A page of a list as a paged query takes it. */
export function pageOf<Body extends { readonly next_cursor: string | null }, Item>(
  result: Result<Body>,
  itemsOf: (body: Body) => readonly Item[],
): Result<Page<Item>> {
  if (!result.ok) return result;
  return { ok: true, value: { items: itemsOf(result.value), next: result.value.next_cursor } };
}
