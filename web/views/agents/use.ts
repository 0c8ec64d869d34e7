import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { SeenAgent } from "../../../src/protocol/tolerant-later.ts";
import type { Pane } from "../../model/pane.ts";
import { allowsAnswers } from "../../net/connection.ts";
import type { AgentState } from "../../state/server/agents/agent.ts";
import { Workspace } from "../../state/server/agents/workspace.ts";
import type { Query } from "../../state/server/query.ts";
import type { Server } from "../../state/server/server.ts";
import { useServer } from "../../state/client.ts";
import { useDerived, usePane } from "../parts/derived.ts";

/** Null while the workspace is off. */
export const workspaceIn = (server: Server): Workspace | null =>
  server.workspace.use(() => new Workspace(server));
export const useWorkspace = (): Workspace | null => workspaceIn(useServer());

/**
 * Loads a query, and loads it again when the server says that it changed, and once where the reply
 * was lost and the server is there again, while this view is drawn.
 */
export function useWatch(query: Query<unknown> | null): void {
  const { phase } = useServer();
  const isUp = useDerived(() => allowsAnswers(phase.value), []);
  const isLost = query?.failure.value?.kind === "lost";
  useEffect(() => query?.watch(), [query]);
  useEffect(() => {
    if (isUp && isLost && !query.isLoading.peek()) query.invalidate();
  }, [query, isUp, isLost]);
}

export function usePaneOf(agent: SeenAgent | null): Pane | null {
  return usePane((agent?.association === "confirmed" ? agent.pane_id : null) ?? "").value;
}

export const nameOf = (agent: SeenAgent, pane: Pane | null): string =>
  pane?.name ?? (agent.title || agent.native_session_id || agent.id);

/** Calls `run` before the browser paints when a value has changed since the last drawing, and not at first. */
export function useChange<T>(value: T, run: (before: T) => void): void {
  const last = useRef(value);
  useLayoutEffect(() => {
    const before = last.current;
    last.current = value;
    if (before !== value) run(before);
  }, [value]);
}

/** For the sheets about a session. */
export interface SessionProps {
  readonly workspace: Workspace;
  readonly state: AgentState;
  readonly agent: SeenAgent;
}
