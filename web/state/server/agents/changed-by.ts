import type { SeenAgentEvent } from "../../../../src/protocol/tolerant-agents.ts";
import type { Query } from "../query.ts";
import type { AgentState } from "./agent.ts";
import type { Workspace } from "./workspace.ts";

/** What an event of the server makes old. */
export function changedBy(
  { kind, snapshot_id }: SeenAgentEvent,
  { agents, review, summary }: Workspace,
  agent: AgentState | undefined,
): readonly (Query<unknown> | undefined)[] {
  switch (kind) {
    case "agent_updated": {
      const all = [agent?.query, agent?.steps, agents, review, summary];
      return snapshot_id === undefined ? all : [...all, agent?.timeline];
    }
    case "decision_updated":
      return [agent?.query, agent?.decisions, agent?.acts, review, summary];
    case "message_updated":
      return [agent?.chat, agent?.steps];
    case "review_updated":
    case "review_settings_updated":
    case "review_due":
      return [review, summary];
    default:
      return [];
  }
}
