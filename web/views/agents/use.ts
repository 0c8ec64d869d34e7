import { useEffect, useState } from "preact/hooks";
import type { SeenAgent } from "../../../src/protocol/tolerant-agents.ts";
import type { Pane } from "../../model/pane.ts";
import type { Workspace } from "../../state/server/agents/workspace.ts";
import type { Query } from "../../state/server/query.ts";
import { useServer } from "../../state/client.ts";
import { usePane } from "../parts/derived.ts";

/** The workspace while it is on and its code is there. */
export const useWorkspace = (): Workspace | null => useServer().workspace.current.value;

/** Asks for something, and asks again when the server says that it changed, while this view is drawn. */
export function useWatch(query: Query<unknown> | null): void {
  useEffect(() => query?.watch(), [query]);
}

/** Watches what the cards are made of. */
export const useBoard = (workspace: Workspace | null): void => useWatch(workspace?.review ?? null);

const SETTLED_MS = 250;

/** Whether this has stood on the screen for a moment: what is passed by asks for nothing. */
export function useSettled(id: string): boolean {
  const [settled, setSettled] = useState<string | null>(null);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(id), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [id]);
  return settled === id;
}

/** The live pane of a confirmed session; null where nobody knows one. */
export function usePaneOf(agent: SeenAgent | null): Pane | null {
  return usePane((agent?.association === "confirmed" ? agent.pane_id : null) ?? "").value;
}

/** What a person calls the agent: as its pane is called, else as its session is. */
export const nameOf = (agent: SeenAgent, pane: Pane | null): string =>
  pane?.name ?? (agent.title || agent.native_session_id || agent.id);
