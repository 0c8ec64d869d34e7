import type { AgentsApi } from "../../../net/agents-api.ts";
import { binding as words } from "../../../words/binding.ts";
import { agentHash, paneHash } from "../../browser/router.ts";

/** Where the context of a pane is shown, and what there is to say where that is the pane itself. */
export interface PaneContext {
  readonly hash: string;
  readonly sentence: string | null;
}

/** Leads to the session that is in a pane for certain. */
export async function contextOf(api: AgentsApi, paneId: string): Promise<PaneContext> {
  const result = await api.sessionsIn(paneId);
  if (!result.ok) return { hash: paneHash(paneId), sentence: words.notAsked };
  const own = result.value.sessions.find(({ association }) => association === "confirmed");
  if (own === undefined) return { hash: paneHash(paneId), sentence: words.noSession };
  return { hash: agentHash(own.agent_id), sentence: null };
}
