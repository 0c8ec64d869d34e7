import type { SeenAgentEvent } from "../../../../src/protocol/tolerant-agents.ts";
import type { Query } from "../query.ts";
import type { AgentState } from "./agent.ts";
import type { Workspace } from "./workspace.ts";

/** What an event of the server makes old. */
export function changedBy(
  { kind, snapshot_id }: SeenAgentEvent,
  { agents, decisions, review, summary, timeline }: Workspace,
  agent: AgentState | undefined,
): readonly (Query<unknown> | undefined)[] {
  switch (kind) {
    case "agent_updated": {
      const all = [agent?.query, agents, review, summary];
      return snapshot_id === undefined ? all : [...all, agent?.timeline, timeline];
    }
    case "decision_updated":
      return [agent?.query, agent?.decisions, decisions, review, summary];
    case "message_updated":
      return [agent?.chat];
    case "review_updated":
    case "review_settings_updated":
    case "review_due":
      return [review, summary];
    default:
      return [];
  }
}
