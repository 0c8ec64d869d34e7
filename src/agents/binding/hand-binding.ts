import { AppError } from "../../errors.ts";
import type { BindingRequest } from "../../protocol/agent-replies.ts";
import type { AgentSession } from "../../protocol/agents.ts";
import type { Binder } from "./binder.ts";
import { agentConflict, requireSession, unknownResource } from "../queries.ts";
import type { KnownSession } from "../session.ts";
import { type ObservedPane, realFolder } from "./observed-panes.ts";
import { isDrawnElsewhere } from "./binding.ts";
import type { AgentStore } from "../store/store.ts";

export interface BindingDeps {
  store: AgentStore;
  binder: Pick<Binder, "bind" | "findPane" | "release">;
}

/** @throws AppError 404 for a pane that is not observed; 409 where the session cannot be in it */
export async function bindByHand(
  { store, binder }: BindingDeps,
  id: string,
  { pane_id, expected_binding_revision: revision }: BindingRequest,
): Promise<AgentSession> {
  const { facts, session } = requireRevision(store, id, revision);
  const pane = binder.findPane(pane_id);
  if (!pane) throw new AppError("not_found", `pane ${pane_id.slice(0, 160)} is not observed`);
  if (session.runtime !== pane.runtime)
    throw agentConflict("another runtime's program runs in this pane", session);
  const folder = facts.cwd === null ? null : await realFolder(facts.cwd);
  if (!isPossible(facts.cwd, folder, pane))
    throw agentConflict("the pane works in another folder", session);
  await binder.bind(id, pane, () => void requireRevision(store, id, revision));
  return requireSession(store, id);
}

export async function releaseByHand(
  { store, binder }: BindingDeps,
  id: string,
  revision: number,
): Promise<AgentSession> {
  await binder.release(id, () => void requireRevision(store, id, revision));
  return requireSession(store, id);
}

function requireRevision(store: AgentStore, id: string, revision: number): KnownSession {
  const known = store.sessions.find(id);
  if (!known) throw unknownResource(id);
  if (known.session.binding_revision !== revision)
    throw agentConflict("stale binding revision", known.session);
  return known;
}

/** The process works in the session's folder, or the screen names it: a worktree of its own. */
function isPossible(cwd: string | null, folder: string | null, pane: ObservedPane): boolean {
  if (folder === null || folder === pane.folder) return true;
  return pane.conversation.folder !== null && !isDrawnElsewhere({ folder, cwd }, pane);
}
