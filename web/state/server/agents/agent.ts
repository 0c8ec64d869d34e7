import { computed, signal } from "@preact/signals";
import type {
  SeenAgent,
  SeenDecision,
  SeenMessage,
  SeenMessageList,
  SeenTimelineEvent,
} from "../../../../src/protocol/tolerant-agents.ts";
import type { AgentsApi, ChatFilter } from "../../../net/agents-api.ts";
import type { Result } from "../../../net/api.ts";
import { type Page, PagedResource } from "../paged.ts";
import { Resource } from "../resource.ts";
import { Followed } from "./followed.ts";

export const NO_FILTER: ChatFilter = { q: "", role: null, after: null };

/** With the first, shorter page: 5,000 messages. */
const CHAT_PAGES = 26;

/** What a chat says of itself beside its messages. */
export type ChatFacts = Omit<SeenMessageList, "messages" | "next_cursor">;

export interface AgentStateDeps {
  readonly api: AgentsApi;
  readonly nowMs: () => number;
  readonly onUnauthorized: () => void;
  /** Messages of its chat, as they were read. */
  readonly onMessages: (messages: readonly SeenMessage[]) => void;
}

/** One agent as far as it is looked at: its context, its chat, its timeline, its decisions. */
export class AgentState {
  readonly id: string;
  readonly agent: Resource<SeenAgent>;
  /** Monotonic milliseconds of the last good answer. */
  readonly readAt = signal(-Infinity);
  readonly chat: PagedResource<SeenMessage>;
  /** Of the newest page; null before the first answer. */
  readonly chatFacts = signal<ChatFacts | null>(null);
  readonly filter = signal(NO_FILTER);
  readonly isFiltered = computed(() => {
    const { q, role, after } = this.filter.value;
    return q !== "" || role !== null || after !== null;
  });
  readonly timeline: PagedResource<SeenTimelineEvent>;
  readonly decisions: PagedResource<SeenDecision>;
  readonly followed: Readonly<Record<"agent" | "chat" | "timeline" | "decisions", Followed>>;
  readonly #deps: AgentStateDeps;

  constructor(id: string, deps: AgentStateDeps) {
    this.id = id;
    this.#deps = deps;
    const { api, nowMs, onUnauthorized } = deps;
    const idOf = (item: { readonly id: string }) => item.id;
    this.agent = new Resource((signal) => api.agent(id, signal), onUnauthorized);
    this.chat = new PagedResource({
      ask: (cursor, signal) => this.#messages(cursor, signal),
      idOf,
      onUnauthorized,
      maxPages: CHAT_PAGES,
    });
    this.timeline = new PagedResource({
      ask: async (cursor, signal) =>
        pageOf(await api.timelineOf(id, cursor, signal), ({ events }) => events),
      idOf,
      onUnauthorized,
    });
    this.decisions = new PagedResource({
      ask: async (cursor, signal) =>
        pageOf(await api.decisions(id, cursor, signal), ({ decisions }) => decisions),
      idOf,
      onUnauthorized,
    });
    const follow = (ask: () => Promise<void>) => new Followed({ ask, nowMs });
    this.followed = {
      agent: follow(() => this.#readAgent()),
      chat: follow(() => this.chat.refresh()),
      timeline: follow(() => this.timeline.refresh()),
      decisions: follow(() => this.decisions.refresh()),
    };
  }

  /** Narrows the chat; `null` shows all of it. */
  narrow(filter: ChatFilter | null): void {
    this.filter.value = filter ?? NO_FILTER;
    void this.chat.reload();
  }

  /** As a reply tells it; what was read since and is newer stays. */
  learn(agent: SeenAgent): void {
    const { value } = this.agent;
    if ((value.peek()?.revision ?? 0) <= agent.revision) value.value = agent;
  }

  invalidateAll(): void {
    for (const followed of Object.values(this.followed)) followed.invalidate();
  }

  /** Its history was deleted: nothing of it stays in this browser. */
  forget(): void {
    this.chat.clear();
    this.chatFacts.value = null;
    this.timeline.clear();
    this.decisions.clear();
    this.invalidateAll();
  }

  async #readAgent(): Promise<void> {
    await this.agent.reload();
    const failure = this.agent.failure.peek();
    if (failure === null) this.readAt.value = this.#deps.nowMs();
    // Nothing of it is kept any more: what was read of it before would say otherwise.
    else if (failure.kind === "refused" && failure.status === 404) this.agent.value.value = null;
  }

  async #messages(cursor: string | null, signal: AbortSignal): Promise<Result<Page<SeenMessage>>> {
    const { api, onMessages } = this.#deps;
    const result = await api.messages(this.id, this.filter.peek(), cursor, signal);
    if (!result.ok) return result;
    const { messages, next_cursor, ...facts } = result.value;
    if (cursor === null) this.chatFacts.value = facts;
    if (!signal.aborted) onMessages(messages);
    // A long search answers in parts, and a part without a find says nothing to a person.
    if (messages.length === 0 && next_cursor !== null && !signal.aborted)
      return this.#messages(next_cursor, signal);
    // Each page comes oldest first, and pages from the newest back.
    return { ok: true, value: { items: messages.toReversed(), next: next_cursor } };
  }
}

/** A page of a list as the paged resource takes it. */
export function pageOf<Body extends { readonly next_cursor: string | null }, Item>(
  result: Result<Body>,
  itemsOf: (body: Body) => readonly Item[],
): Result<Page<Item>> {
  if (!result.ok) return result;
  return { ok: true, value: { items: itemsOf(result.value), next: result.value.next_cursor } };
}
