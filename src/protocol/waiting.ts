import type { PaneState } from "./pane.ts";
import type { WaitingAgent } from "./review.ts";

/** When a pane's prompt appeared, or its status began: epoch seconds. */
export const sinceOf = (
  pane: Pick<PaneState, "prompt_since" | "status_since" | "updated">,
): number => pane.prompt_since ?? (pane.status_since || pane.updated);

interface Group {
  readonly agent_id: string;
  readonly agent: { readonly association: string; readonly pane_id: string | null };
  readonly decisions: readonly { readonly status: string }[];
}

/** A decision whose answer may not have arrived needs a person as much as an open one. */
export const NEEDS_A_LOOK: ReadonlySet<string> = new Set(["pending", "unknown"]);

/** The agent's pane; null where it is not certain. */
export const paneOf = ({ agent }: Pick<Group, "agent">): string | null =>
  agent.association === "confirmed" ? agent.pane_id : null;

export const waitingAgents = (groups: readonly Group[]): WaitingAgent[] =>
  groups
    .filter(({ decisions }) => decisions.some(({ status }) => NEEDS_A_LOOK.has(status)))
    .map((group) => ({ agent_id: group.agent_id, pane_id: paneOf(group) }));
