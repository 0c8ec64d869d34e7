import { computed, signal, type ReadonlySignal } from "@preact/signals";
import type {
  SeenAgent,
  SeenDecision,
  SeenMessage,
  SeenMessageList,
  SeenTimelineEvent,
} from "../../../../src/protocol/tolerant-agents.ts";
import type { AgentsApi, ChatFilter } from "../../../net/agents-api.ts";
import type { Result } from "../../../net/api.ts";
import { type Page, PagedQuery, Query } from "../query.ts";
import type { Table } from "./table.ts";

export const NO_FILTER: ChatFilter = { q: "", role: null, after: null };

/** With the first, shorter page: 5,000 messages. */
const CHAT_PAGES = 26;

/** What a chat says of itself beside its messages. */
export type ChatFacts = Omit<SeenMessageList, "messages" | "next_cursor">;

export interface AgentStateDeps {
  readonly api: AgentsApi;
  /** Every agent and every decision that is known, whoever has read it. */
  readonly tables: { readonly agents: Table<SeenAgent>; readonly decisions: Table<SeenDecision> };
  readonly nowMs: () => number;
}

/** One agent as far as it is looked at: its context, its chat, its timeline, its decisions. */
export class AgentState {
  readonly id: string;
  /** The newest that is known of it. */
  readonly agent: ReadonlySignal<SeenAgent | null>;
  readonly query: Query<SeenAgent>;
  readonly chat: PagedQuery<SeenMessage>;
  /** Of the newest page; null before the first answer. */
  readonly chatFacts = signal<ChatFacts | null>(null);
  readonly filter = signal(NO_FILTER);
  readonly isFiltered = computed(() => {
    const { q, role, after } = this.filter.value;
    return q !== "" || role !== null || after !== null;
  });
  readonly timeline: PagedQuery<SeenTimelineEvent>;
  readonly decisions: PagedQuery<SeenDecision>;
  readonly #deps: AgentStateDeps;

  constructor(id: string, deps: AgentStateDeps) {
    this.id = id;
    this.#deps = deps;
    const { api, nowMs, tables } = deps;
    const paged = { idOf: ({ id: item }: { readonly id: string }) => item, nowMs };
    this.agent = tables.agents.get(id);
    this.query = new Query((signal) => this.#readAgent(signal), { nowMs });
    this.chat = new PagedQuery({
      ...paged,
      ask: (cursor, signal) => this.#messages(cursor, signal),
      maxPages: CHAT_PAGES,
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
  }

  get queries(): readonly Query<unknown>[] {
    return [this.query, this.chat, this.timeline, this.decisions];
  }

  /** Narrows the chat; `null` shows all of it. */
  narrow(filter: ChatFilter | null): void {
    this.filter.value = filter ?? NO_FILTER;
    void this.chat.replace();
  }

  /** Its history was deleted: nothing of it stays in this browser. */
  forget(): void {
    this.chat.clear();
    this.chatFacts.value = null;
    this.timeline.clear();
    this.decisions.clear();
    for (const query of this.queries) query.invalidate();
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

  async #messages(cursor: string | null, signal: AbortSignal): Promise<Result<Page<SeenMessage>>> {
    const result = await this.#deps.api.messages(this.id, this.filter.peek(), cursor, signal);
    if (!result.ok) return result;
    const { messages, next_cursor, ...facts } = result.value;
    if (cursor === null) this.chatFacts.value = facts;
    // A long search answers in parts, and a part without a find says nothing to a person.
    if (messages.length === 0 && next_cursor !== null && !signal.aborted)
      return this.#messages(next_cursor, signal);
    // Each page comes oldest first, and pages from the newest back.
    return { ok: true, value: { items: messages.toReversed(), next: next_cursor } };
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
