import type { Card } from "../../model/queue/cards.ts";
import type { Workspace } from "../../state/server/agents/workspace.ts";
import { useWorkspace } from "../agents/use.ts";

export interface AgentCardProps {
  readonly workspace: Workspace;
  readonly card: Card;
}

/** What the workspace knows of an agent, as it is drawn; null until it was read. */
export function useAgentCard(agentId: string | null): AgentCardProps | null {
  const workspace = useWorkspace();
  const cards = workspace?.board.cards.value ?? [];
  const card = cards.find((one) => one.agentId === agentId);
  return workspace === null || card === undefined ? null : { workspace, card };
}
