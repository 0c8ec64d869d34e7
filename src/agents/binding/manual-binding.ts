import { AppError } from "../../errors.ts";
import type { BindingRequest } from "../../protocol/agent-replies.ts";
import type { AgentSession } from "../../protocol/agents.ts";
import type { Binder } from "./binder.ts";
import { agentConflict, requireSession } from "../queries.ts";
import type { KnownSession } from "../known.ts";
import { type ObservedPane, realFolder } from "./observed-panes.ts";
import { isDrawnElsewhere } from "./candidates.ts";
import type { AgentStore } from "../store/store.ts";

/** What a person says of which session is in which pane. */
export class ManualBinding {
  readonly #store: AgentStore;
  readonly #binder: Binder;

  constructor({ store, binder }: { store: AgentStore; binder: Binder }) {
    this.#store = store;
    this.#binder = binder;
  }

  /** @throws AppError 404 for a pane that is not observed; 409 for one that cannot be it */
  async bind(id: string, request: BindingRequest): Promise<AgentSession> {
    this.#require(id, request.expected_binding_revision);
    const pane = this.#binder.findPane(request.pane_id);
    if (!pane)
      throw new AppError("not_found", `pane ${request.pane_id.slice(0, 160)} is not observed`);
    const { facts, session } = this.#known(id);
    if (session.runtime !== pane.runtime)
      throw agentConflict("another runtime's program runs in this pane", session);
    const folder = facts.cwd === null ? null : await realFolder(facts.cwd);
    if (!isPossible(facts.cwd, folder, pane))
      throw agentConflict("the pane works in another folder", session);
    // The folder took a moment to look up.
    const known = this.#require(id, request.expected_binding_revision);
    this.#binder.bind(known, pane);
    return requireSession(this.#store, id);
  }

  release(id: string, expectedRevision: number): AgentSession {
    this.#require(id, expectedRevision);
    this.#binder.release(id);
    return requireSession(this.#store, id);
  }

  #require(id: string, expectedRevision: number): KnownSession {
    const session = requireSession(this.#store, id);
    if (session.binding_revision !== expectedRevision)
      throw agentConflict("stale binding revision", session);
    return this.#known(id);
  }

  #known(id: string): KnownSession {
    const known = this.#store.sessions.known(id);
    if (!known) throw new Error(`session ${id} is gone while it is looked at`);
    return known;
  }
}

/** The process works in the session's folder, or the screen names it: a worktree of its own. */
function isPossible(cwd: string | null, folder: string | null, pane: ObservedPane): boolean {
  if (folder === null || folder === pane.folder) return true;
  return pane.conversation.folder !== null && !isDrawnElsewhere({ folder, cwd }, pane);
}
