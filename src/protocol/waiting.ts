import type { WaitingAgent } from "./review.ts";

interface Group {
  readonly agent_id: string;
  readonly agent: { readonly association: string; readonly pane_id: string | null };
  readonly decisions: readonly { readonly status: string }[];
}

/** One whose answer is in doubt needs a person as much as one that is open. */
export const NEEDS_A_LOOK: ReadonlySet<string> = new Set(["pending", "unknown"]);

/** The pane that the agent is certain to be in. */
export const paneOf = ({ agent }: Pick<Group, "agent">): string | null =>
  agent.association === "confirmed" ? agent.pane_id : null;

/** The agents that wait for a person with a decision of theirs, for the server and for its page. */
export const waitingAgents = (groups: readonly Group[]): WaitingAgent[] =>
  groups
    .filter(({ decisions }) => decisions.some(({ status }) => NEEDS_A_LOOK.has(status)))
    .map((group) => ({ agent_id: group.agent_id, pane_id: paneOf(group) }));
