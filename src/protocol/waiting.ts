import type { PaneState } from "./pane.ts";
import type { WaitingAgent } from "./review.ts";

/** Since when a pane asks, else since when it is as it is: epoch seconds. */
export const sinceOf = (
  pane: Pick<PaneState, "prompt_since" | "status_since" | "updated">,
): number => pane.prompt_since ?? (pane.status_since || pane.updated);

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

/** The agents that wait for a person with a decision of theirs. */
export const waitingAgents = (groups: readonly Group[]): WaitingAgent[] =>
  groups
    .filter(({ decisions }) => decisions.some(({ status }) => NEEDS_A_LOOK.has(status)))
    .map((group) => ({ agent_id: group.agent_id, pane_id: paneOf(group) }));
