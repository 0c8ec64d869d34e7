import { computed, signal, type ReadonlySignal } from "@preact/signals";
import type { Sent } from "../../../../src/protocol/endpoints.ts";
import {
  readMessages,
  type SeenMessage,
  type SeenMessageList,
} from "../../../../src/protocol/tolerant-agents.ts";
import type { Result } from "../../../net/api.ts";
import { Query } from "../query.ts";
import type { Server } from "../server.ts";

/** The first page is there soon; older ones are asked for before they are reached. */
const FIRST_MESSAGES = 100;
const OLDER_MESSAGES = 200;
/** A page of messages, the newest of all or those before a cursor. */
export const pageAt = (cursor: string | null) => ({
  ...{ cursor, limit: cursor === null ? FIRST_MESSAGES : OLDER_MESSAGES },
});

/** Messages of a chat that are kept at once; the view keeps a few more while its reader is elsewhere. */
export const MAX_MESSAGES = 300;

/** What a chat says of itself beside its messages. */
export type ChatFacts = Omit<SeenMessageList, "messages" | "next_cursor" | "newer_cursor">;

/** Where an end goes on: a cursor, around its last message where none is known, or nowhere. */
type More = string | "around" | null;

/** A stretch of a chat that grows at both ends. */
export interface Stretch {
  /** Oldest first. */
  readonly messages: readonly SeenMessage[];
  readonly older: More;
  /** Null: the newest message is there. */
  readonly newer: More;
}

type Page = Stretch & { readonly facts: ChatFacts };

export class ChatWindow extends Query<Stretch> {
  /** Of the last answer; null before the first. */
  readonly facts = signal<ChatFacts | null>(null);
  /** The message that it was opened around; null: at its end. */
  readonly at = signal<string | null>(null);
  readonly messages: ReadonlySignal<readonly SeenMessage[] | null>;
  /** Its reader is at the end: only then the oldest messages may go for new ones. */
  isFollowed = true;
  readonly #server: Server;
  readonly #agentId: string;

  constructor(agentId: string, server: Server) {
    super((signal) => this.#read(signal), { nowMs: () => server.nowMs() });
    this.#server = server;
    this.#agentId = agentId;
    this.messages = computed(() => this.value.value?.messages ?? null);
  }

  /** Shows it around a message, or at its end; a part that holds the message stays. */
  open(at: string | null): void {
    const isThere = at === null || this.messages.peek()?.some(({ id }) => id === at) === true;
    if (this.at.peek() !== at || (!isThere && this.messages.peek() !== null)) this.#begin(at);
  }

  /** From wherever it was read to its end. */
  toEnd(): void {
    this.#begin(null);
  }

  #begin(at: string | null): void {
    this.at.value = at;
    this.clear();
    void this.reload();
  }

  older = (): Promise<void> => this.#grow("older");
  newer = (): Promise<void> => this.#grow("newer");

  async #grow(end: "older" | "newer"): Promise<void> {
    const shown = this.value.peek();
    if (shown === null || shown[end] === null || this.isLoading.peek()) return;
    await this.take((signal) => this.#further(shown, end, signal));
  }

  async #further(
    shown: Stretch,
    end: "older" | "newer",
    signal: AbortSignal,
  ): Promise<Result<Stretch>> {
    const edge = (end === "older" ? shown.messages[0] : shown.messages.at(-1))?.id ?? "";
    const from = shown[end];
    const newer = { newer: from, limit: FIRST_MESSAGES };
    const query = end === "older" ? pageAt(from) : newer;
    const result = await this.#ask(from === "around" ? around(edge) : query, signal);
    return this.#took(result, (page) => {
      const known = new Set(shown.messages.map(({ id }) => id));
      const fresh = page.messages.filter(({ id }) => !known.has(id));
      return end === "older"
        ? bounded({ ...shown, messages: [...fresh, ...shown.messages], older: page.older }, "newer")
        : bounded(
            { ...shown, messages: [...shown.messages, ...fresh], newer: page.newer },
            "older",
          );
    });
  }

  async #read(signal: AbortSignal): Promise<Result<Stretch>> {
    const shown = this.value.peek();
    const at = this.at.peek();
    if (shown === null && at !== null) {
      const result = await this.#ask(around(at), signal);
      return this.#took(result, (page) => page);
    }
    // What is new stands behind the end of the stretch, where it is asked for once it is reached.
    if (shown !== null && shown.newer !== null) return { ok: true, value: shown };
    const result = await this.#ask(pageAt(null), signal);
    return this.#took(result, (page) => {
      const newest = { ...page, newer: null };
      const joined = shown === null ? newest : joinedWith(shown, newest);
      return this.isFollowed ? bounded(joined, "older") : joined;
    });
  }

  #ask(query: Sent<"GET /api/agents/:id/messages">["query"], signal: AbortSignal) {
    const asked = { path: { id: this.#agentId }, query, read: readMessages, signal };
    return this.#server.api.call("GET /api/agents/:id/messages", asked);
  }

  #took(result: Result<SeenMessageList>, stretchOf: (page: Page) => Stretch): Result<Stretch> {
    if (!result.ok) return result;
    const { messages, next_cursor: older, newer_cursor: newer = null, ...facts } = result.value;
    this.facts.value = facts;
    return { ok: true, value: stretchOf({ messages, older, newer, facts }) };
  }
}

const around = (id: string) => ({ around: id, limit: FIRST_MESSAGES });

/** With a gap between the two only the newest are shown. */
function joinedWith(shown: Stretch, newest: Stretch): Stretch {
  const first = newest.messages[0]?.id;
  const at = shown.messages.findIndex(({ id }) => id === first);
  if (at < 0) return newest;
  return { ...shown, messages: [...shown.messages.slice(0, at), ...newest.messages], newer: null };
}

/** What is too much goes from the end that nobody reads. */
function bounded({ messages, older, newer }: Stretch, from: "older" | "newer"): Stretch {
  const over = messages.length - MAX_MESSAGES;
  if (over <= 0) return { messages, older, newer };
  return from === "older"
    ? { messages: messages.slice(over), older: "around", newer }
    : { messages: messages.slice(0, -over), older, newer: "around" };
}
