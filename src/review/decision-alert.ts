import type { DecisionItem } from "../protocol/agents.ts";
import type { DecisionAlert } from "../push/push.ts";
import { isUrgent } from "./rank.ts";

/** A decision that waits for a person is alerted as one of the pane that shows it, if one does. */
export function decisionAlert(
  decision: DecisionItem,
  paneId: string | null | undefined,
): DecisionAlert | null {
  if (!paneId) return null;
  const { id: decisionId, agent_id: agentId, revision } = decision;
  return { paneId, agentId, decisionId, revision, isUrgent: isUrgent(decision) };
}
