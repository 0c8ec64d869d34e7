import { batch } from "@preact/signals";
import type { Workspace } from "./workspace.ts";

/** The decisions of an agent that are known here, whoever has read them; what reads it follows it. */
export function decisionsOf(workspace: Workspace, agentId: string): ReadonlySet<string> {
  const { board, planned } = workspace;
  const card = board.card(agentId);
  const shown = card === null ? [] : board.decisions(card);
  const rows = planned.rows.value.filter(({ agent }) => agent.id === agentId);
  const listed = workspace.agent(agentId).decisions.items.value ?? [];
  const all = [...[...shown, ...rows].map(({ decision }) => decision), ...listed];
  return new Set(all.map(({ id }) => id));
}

/** The history of an agent is deleted, here or elsewhere: nothing of it stays in this browser. */
export function forgetHistory(workspace: Workspace, agentId: string): void {
  const { agents, review, summary, timeline } = workspace.followed;
  batch(() => {
    workspace.planned.forget(decisionsOf(workspace, agentId));
    workspace.outgoing.forget(agentId);
    workspace.marks.clear(agentId);
    workspace.hands.dismiss(agentId);
    workspace.agent(agentId).forget();
  });
  for (const followed of [agents, review, summary, timeline]) followed.invalidate();
}
