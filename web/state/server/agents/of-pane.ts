import type { SeenAgent } from "../../../../src/protocol/tolerant-agents.ts";
import type { Workspace } from "./workspace.ts";

/** The agent whose answers go to this pane, as far as anything that was read tells of it. */
export function agentOfPane(
  { agents, board }: Pick<Workspace, "agents" | "board">,
  paneId: string | null,
): SeenAgent | null {
  if (paneId === null) return null;
  const ofCards = board.cards.value.map(({ latest, drawn }) => (latest ?? drawn).agent);
  const all = [...(agents.items.value ?? []), ...ofCards];
  const isThere = ({ association, pane_id }: SeenAgent) =>
    association === "confirmed" && pane_id === paneId;
  return all.find(isThere) ?? null;
}
