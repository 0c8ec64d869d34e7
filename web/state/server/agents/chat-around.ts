import type { SeenMessage, SeenMessageList } from "../../../../src/protocol/tolerant-agents.ts";
import type { AgentsApi } from "../../../net/agents-api.ts";
import type { Result } from "../../../net/api.ts";
import { Query } from "../query.ts";
import { NO_FILTER } from "./agent.ts";

/** A stretch of a chat that grows at both ends. */
interface Stretch {
  /** Oldest first. */
  readonly messages: readonly SeenMessage[];
  /** What more of each end is asked with; null where there is none. */
  readonly older: string | null;
  readonly newer: string | null;
}

/** A chat from one of its messages on, in both directions, however far back that is. */
export class ChatAround extends Query<Stretch> {
  readonly #api: AgentsApi;
  readonly #agentId: string;

  constructor(deps: { readonly api: AgentsApi }, agentId: string, messageId: string) {
    super(async (signal) => {
      const result = await deps.api.messagesAround(agentId, messageId, signal);
      return stretched(result, (page) => ({ ...endsOf(page), messages: page.messages }));
    });
    this.#api = deps.api;
    this.#agentId = agentId;
  }

  async older(): Promise<void> {
    const shown = this.value.peek();
    if (shown === null || shown.older === null || this.isLoading.peek()) return;
    const { older, messages } = shown;
    await this.take(async (signal) => {
      const result = await this.#api.messages(this.#agentId, NO_FILTER, older, signal);
      return stretched(result, (page) => ({
        ...shown,
        older: page.next_cursor,
        messages: [...page.messages, ...messages],
      }));
    });
  }

  async newer(): Promise<void> {
    const shown = this.value.peek();
    if (shown === null || shown.newer === null || this.isLoading.peek()) return;
    const { newer, messages } = shown;
    await this.take(async (signal) => {
      const result = await this.#api.newerMessages(this.#agentId, newer, signal);
      return stretched(result, (page) => ({
        ...shown,
        newer: endsOf(page).newer,
        messages: [...messages, ...page.messages],
      }));
    });
  }
}

const endsOf = ({ next_cursor, newer_cursor = null }: SeenMessageList) => ({
  older: next_cursor,
  newer: newer_cursor,
});

function stretched(
  result: Result<SeenMessageList>,
  stretchOf: (page: SeenMessageList) => Stretch,
): Result<Stretch> {
  return result.ok ? { ok: true, value: stretchOf(result.value) } : result;
}
