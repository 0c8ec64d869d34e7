import type { SeenMessage } from "../../../../src/protocol/tolerant-agents.ts";
import type { AgentsApi } from "../../../net/agents-api.ts";
import { NO_FILTER } from "./agent.ts";

const LOOK_AGAIN_MS = 1000;

export interface Search {
  readonly agentId: string;
  /** What the message was sent under. */
  readonly clientId: string;
  readonly forMs: number;
  /** The server has said that it sent nothing: that it has no such message then ends it. */
  readonly isRefused: boolean;
  readonly signal: AbortSignal;
}

/**
 * Looks for a message until the server has made up its mind about it. `absent`: the server has none;
 * `unheard`: after all that time nobody knows; null: nobody waits for it any more.
 */
export async function findMessage(
  { api, nowMs }: { readonly api: AgentsApi; readonly nowMs: () => number },
  { agentId, clientId, forMs, isRefused, signal }: Search,
): Promise<SeenMessage | "absent" | "unheard" | null> {
  const until = nowMs() + forMs;
  for (;;) {
    const result = await api.messages(agentId, NO_FILTER, null, signal);
    if (signal.aborted) return null;
    const messages = result.ok ? result.value.messages : null;
    const found = messages?.find(({ client_message_id: id }) => id === clientId);
    if (found !== undefined && found.status !== "submitting") return found;
    if (messages !== null && found === undefined && isRefused) return "absent";
    if (nowMs() >= until) return "unheard";
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
    if (signal.aborted) return null;
  }
}
