import type { AgentSession, BindingCandidate } from "../../src/protocol/agents.ts";
import type { PaneSession } from "../../src/protocol/input.ts";
import type { PaneState } from "../../src/protocol/pane.ts";

// What becomes of a session whose pane is said, let go or not known, as the real service has it.

export function ambiguous(
  agent: AgentSession,
  paneIds: readonly string[],
  panes: readonly PaneState[],
): Partial<AgentSession> {
  const candidates = paneIds.map((id) => candidateOf(id, 0.6 / paneIds.length, panes));
  const reasons = ["The same program in the same folder."];
  return {
    ...unbound(agent),
    association: paneIds.length === 1 ? "probable" : "ambiguous",
    binding_candidates: candidates.map((candidate) => ({ ...candidate, reasons })),
  };
}

export const bound = (agent: AgentSession, paneId: string): AgentSession => ({
  ...agent,
  association: "confirmed",
  pane_id: paneId,
  target: paneId,
  capabilities: {
    ...agent.capabilities,
    association: "confirmed",
    chat_send: "idle_only",
    decision_reply: "verified_terminal",
  },
  binding_revision: agent.binding_revision + 1,
  revision: agent.revision + 1,
  binding_candidates: [],
});

/** Let go: not made again by itself, and still the one that a person may choose. */
export function released(agent: AgentSession, panes: readonly PaneState[]): AgentSession {
  const pane = agent.pane_id === null ? [] : [candidateOf(agent.pane_id, 0, panes)];
  return {
    ...agent,
    ...unbound(agent),
    association: "unavailable",
    revision: agent.revision + 1,
    binding_candidates: pane.map((one) => ({ ...one, reasons: ["A person let it go."] })),
  };
}

/** The sessions that a pane shows or may show. */
export function sessionsIn(agents: readonly AgentSession[], paneId: string): PaneSession[] {
  return agents.flatMap(({ association, binding_candidates, id: agent_id, pane_id }) => {
    const isCandidate = binding_candidates.some((candidate) => candidate.pane_id === paneId);
    return pane_id === paneId || isCandidate ? [{ agent_id, association, reasons: [] }] : [];
  });
}

const unbound = ({ binding_revision, capabilities }: AgentSession) => ({
  pane_id: null,
  target: null,
  binding_revision: binding_revision + 1,
  capabilities: {
    ...capabilities,
    chat_send: "unavailable" as const,
    decision_reply: "open_terminal" as const,
  },
});

function candidateOf(
  id: string,
  confidence: number,
  panes: readonly PaneState[],
): Omit<BindingCandidate, "reasons"> {
  const pane = panes.find((one) => one.id === id);
  const target = pane?.target ?? id;
  return { id, pane_id: id, target, pane_target: target, label: pane?.name ?? "", confidence };
}
