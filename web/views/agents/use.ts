import { useEffect } from "preact/hooks";
import type { SeenAgent } from "../../../src/protocol/tolerant-later.ts";
import type { Pane } from "../../model/pane.ts";
import { type Failure, isGone, reasonOf } from "../../net/api.ts";
import type { AgentState } from "../../state/server/agents/agent.ts";
import { Workspace } from "../../state/server/agents/workspace.ts";
import type { Query } from "../../state/server/query.ts";
import type { Server } from "../../state/server/server.ts";
import { useServer } from "../../state/client.ts";
import { usePane } from "../parts/derived.ts";

/** The workspace while it is on. */
export const workspaceIn = (server: Server): Workspace | null =>
  server.workspace.use(() => new Workspace(server));
export const useWorkspace = (): Workspace | null => workspaceIn(useServer());

/** Asks for something, and asks again when the server says that it changed, while this view is drawn. */
export function useWatch(query: Query<unknown> | null): void {
  useEffect(() => query?.watch(), [query]);
}

/** The live pane of a confirmed session; null where nobody knows one. */
export function usePaneOf(agent: SeenAgent | null): Pane | null {
  return usePane((agent?.association === "confirmed" ? agent.pane_id : null) ?? "").value;
}

/** What a person calls the agent: as its pane is called, else as its session is. */
export const nameOf = (agent: SeenAgent, pane: Pane | null): string =>
  pane?.name ?? (agent.title || agent.native_session_id || agent.id);

/** What a sheet about a session is drawn from. */
export interface SessionProps {
  readonly workspace: Workspace;
  readonly state: AgentState;
  readonly agent: SeenAgent;
}

const REASONS: Readonly<Record<string, string>> = {
  "stale binding revision": "What was known of its pane is not what is known now.",
  "another runtime's program runs in this pane": "Another program runs in that pane now.",
  "the pane works in another folder": "That pane works in another folder now.",
};

/** Why a word of a person about a session does not hold, in words of ours where we have them. */
export function unheardWords(attempted: "chosen" | "unlinked" | "deleted", failure: Failure) {
  if (failure.kind !== "refused")
    return `Nobody knows whether it was ${attempted}: the server did not answer. What is shown was read again where that was possible.`;
  if (isGone(failure))
    return `Not ${attempted}: ${attempted === "chosen" ? "that pane" : "this agent"} is gone.`;
  const end = failure.status === 409 ? ": something changed" : "";
  const reason = reasonOf(failure);
  const text = reason === "" ? "" : (REASONS[reason] ?? `The server says: ${reason}.`);
  return `Not ${attempted}${end}. ${text}`.trimEnd();
}
