import { computed, signal } from "@preact/signals";
import type { EndpointRequest } from "../../../../src/protocol/endpoints.ts";
import {
  readMessages,
  readMessageSearch,
  type SeenMessage,
  type SeenMessageList,
  type SeenMessageSearch,
} from "../../../../src/protocol/tolerant-later.ts";
import type { Result } from "../../../net/api.ts";
import { PagedQuery, pageOf, type Stretch } from "../query.ts";
import type { Server } from "../server.ts";

/** A small first page comes soon; older pages are loaded ahead of scrolling. */
const FIRST_MESSAGES = 100;
const OLDER_MESSAGES = 200;
/** Messages in memory; the view keeps a few more while the reader is elsewhere. */
const MAX_MESSAGES = 300;
/** Cursor of an end that was dropped: it is loaded again around the last message there. */
const AROUND = "around";

/** Members of the reply besides the messages. */
type ChatFacts = Omit<SeenMessageList, "messages" | "next_cursor" | "newer_cursor">;

/** `messages` are oldest first; a null end has nothing beyond it. */
export interface ChatStretch extends Pick<Stretch<SeenMessage>, "older" | "newer"> {
  readonly messages: readonly SeenMessage[];
}

type ChatQuery = EndpointRequest<"GET /api/agents/:id/messages">["query"];

/** The newest page, or the one before a cursor. */
const pageAt = (cursor: string | null) => {
  return { cursor, limit: cursor === null ? FIRST_MESSAGES : OLDER_MESSAGES };
};
const around = (id = "") => ({ around: id, limit: FIRST_MESSAGES });

export async function askMessages(
  { api }: Server,
  id: string,
  query: ChatQuery,
  signal: AbortSignal,
): Promise<Result<Stretch<SeenMessage> & { readonly facts: ChatFacts }>> {
  const asked = { path: { id }, query, read: readMessages, signal };
  const result = await api.call("GET /api/agents/:id/messages", asked);
  if (!result.ok) return result;
  const { messages, next_cursor: older, newer_cursor: newer = null, ...facts } = result.value;
  return { ok: true, value: { items: messages.toReversed(), older, newer, facts } };
}

export class ChatWindow extends PagedQuery<SeenMessage> {
  readonly shown = computed<ChatStretch | null>(() => {
    const stretch = this.value.value;
    return stretch && { ...stretch, messages: stretch.items.toReversed() };
  });
  /** Of the last reply. */
  readonly facts = signal<ChatFacts | null>(null);
  /** The message that it was opened at; null: the end. */
  readonly at = signal<string | null>(null);
  /** The reader is at the end: only then new messages may push out the oldest. */
  isFollowed = true;
  readonly #id: string;
  readonly #server: Server;

  constructor(id: string, server: Server) {
    super({
      ask: (cursor, signal) => this.#ask(pageAt(cursor), signal),
      idOf: (message) => message.id,
    });
    this.#id = id;
    this.#server = server;
  }

  /** Opens around a message, or at the end; a loaded message is not loaded again. */
  open(at: string | null): void {
    const items = this.value.peek()?.items;
    const isThere = at === null || items?.some(({ id }) => id === at) === true;
    if (this.at.peek() !== at || (!isThere && items !== undefined)) this.#begin(at);
  }

  /** From anywhere to its end. */
  toEnd(): void {
    this.#begin(null);
  }

  #begin(at: string | null): void {
    this.at.value = at;
    this.clear();
    void this.reload();
  }

  async older(): Promise<void> {
    const { items = [], older = null } = this.value.peek() ?? {};
    const question = older === AROUND ? around(items.at(-1)?.id) : pageAt(older);
    if (older !== null) await this.grow("older", (signal) => this.#ask(question, signal));
  }

  async newer(): Promise<void> {
    const { items = [], newer = null } = this.value.peek() ?? {};
    const question = newer === AROUND ? around(items[0]?.id) : { newer, limit: FIRST_MESSAGES };
    if (newer !== null) await this.grow("newer", (signal) => this.#ask(question, signal));
  }

  async #ask(asked: ChatQuery, signal: AbortSignal): Promise<Result<Stretch<SeenMessage>>> {
    const result = await askMessages(this.#server, this.#id, asked, signal);
    if (!result.ok) return result;
    this.facts.value = result.value.facts;
    return result;
  }

  protected override async newest(signal: AbortSignal): Promise<Result<Stretch<SeenMessage>>> {
    const shown = this.value.peek();
    const at = this.at.peek();
    if (shown === null && at !== null) return this.#ask(around(at), signal);
    // New messages are beyond the loaded stretch, and are loaded when that is reached.
    return shown?.newer ? { ok: true, value: shown } : super.newest(signal);
  }

  /** Drops messages at the end that nobody reads. */
  protected override fit(
    { items, older, newer }: Stretch<SeenMessage>,
    end: "older" | "newer" | null,
  ): Stretch<SeenMessage> {
    const isKept = end === null && !this.isFollowed;
    if (items.length <= MAX_MESSAGES || isKept) return { items, older, newer };
    return end === "older"
      ? { items: items.slice(-MAX_MESSAGES), older, newer: AROUND }
      : { items: items.slice(0, MAX_MESSAGES), older: AROUND, newer };
  }
}

export interface SearchHit {
  readonly find: SeenMessageSearch["finds"][number];
  readonly agent: SeenMessageSearch["agents"][number];
}

/** Filters of the search in all messages; null does not filter. */
export interface MessageHitsQuery {
  readonly q: string;
  readonly role?: "user" | "assistant" | null;
  /** Epoch seconds. */
  readonly after?: number | null;
  readonly agent_id?: string;
  /** Per page. */
  readonly limit?: number;
}

export class MessageHits extends PagedQuery<SearchHit> {
  /** Epoch seconds of the oldest stored message; null where there is none, or before a reply. */
  readonly retainedFrom = signal<number | null>(null);

  constructor({ api }: Server, asked: MessageHitsQuery) {
    super({
      idOf: ({ find }) => find.id,
      ask: (cursor, abort) => {
        const question = { query: { ...asked, cursor }, read: readMessageSearch, signal: abort };
        return pageOf(
          api.call("GET /api/messages", question),
          ({ finds, agents, retained_from }) => {
            this.retainedFrom.value = retained_from;
            const byId = new Map(agents.map((agent) => [agent.id, agent]));
            return finds.flatMap((find) => {
              const agent = byId.get(find.agent_id);
              return agent === undefined ? [] : [{ find, agent }];
            });
          },
        );
      },
    });
  }
}
