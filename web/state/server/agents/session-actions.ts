import { readAgent, type SeenAgent } from "../../../../src/protocol/tolerant-agents.ts";
import { type Failure, reasonOf, type Result } from "../../../net/api.ts";
import type { Workspace } from "./workspace.ts";

/** Why a word of a person does not hold. */
export interface Unheard {
  /**
   * Another word of this session is on its way; what was seen is not what is, and what is now has been
   * read; the pane or the session is gone; the server does not take it; or nobody knows.
   */
  readonly why: "busy" | "changed" | "gone" | "failed" | "lost";
  /** The server's own. */
  readonly reason: string;
}

/**
 * Carries what a person says of sessions to the server: one word of each session at a time, under the
 * revision that was drawn, and never again by itself. Each gives null once it holds.
 */
export class SessionActions {
  readonly #workspace: Workspace;
  readonly #busy = new Set<string>();

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
  }

  bind({ id, binding_revision }: SeenAgent, pane_id: string): Promise<Unheard | null> {
    const json = { pane_id, expected_binding_revision: binding_revision };
    const asked = { path: { id }, json, read: readAgent };
    return this.#move(
      id,
      () => this.#api.call("PUT /api/agents/:id/binding", asked),
      (now) => now.association === "confirmed" && now.pane_id === pane_id,
    );
  }

  release({ id, binding_revision }: SeenAgent): Promise<Unheard | null> {
    const query = { expected_binding_revision: binding_revision };
    const asked = { path: { id }, query, read: readAgent };
    return this.#move(
      id,
      () => this.#api.call("DELETE /api/agents/:id/binding", asked),
      ({ association }) => association !== "confirmed",
    );
  }

  deleteHistory(id: string): Promise<Unheard | null> {
    return this.#inTurn(id, async () => {
      const result = await this.#api.call("DELETE /api/agents/:id/history", { path: { id } });
      if (result.ok) this.#workspace.forget(id);
      return result.ok ? null : unheardOf(result.failure);
    });
  }

  get #api() {
    return this.#workspace.server.api;
  }

  #move(
    id: string,
    call: () => Promise<Result<SeenAgent>>,
    holds: (now: SeenAgent) => boolean,
  ): Promise<Unheard | null> {
    return this.#inTurn(id, async () => {
      const result = await call();
      const told = result.ok ? result.value : currentOf(result.failure);
      if (told !== null) this.#workspace.learned(told);
      else await this.#workspace.agent(id).query.reload();
      if (result.ok) return null;
      const unheard = unheardOf(result.failure);
      // Without a reply, what is now tells whether the word was heard.
      const { agent, query } = this.#workspace.agent(id);
      const now = query.failure.peek() === null ? agent.peek() : null;
      return unheard.why === "lost" && now !== null && holds(now) ? null : unheard;
    });
  }

  async #inTurn(id: string, word: () => Promise<Unheard | null>): Promise<Unheard | null> {
    if (this.#busy.has(id)) return { why: "busy", reason: "" };
    this.#busy.add(id);
    const unheard = await word().finally(() => this.#busy.delete(id));
    if (unheard?.why === "gone") this.#workspace.reread(id);
    return unheard;
  }
}

function unheardOf(failure: Failure): Unheard {
  if (failure.kind !== "refused") return { why: "lost", reason: "" };
  if (failure.status === 404) return { why: "gone", reason: "" };
  return { why: failure.status === 409 ? "changed" : "failed", reason: reasonOf(failure) };
}

function currentOf(failure: Failure): SeenAgent | null {
  const detail = failure.kind === "refused" ? Object(failure.detail) : {};
  const reading = readAgent(detail.current);
  return reading.ok ? reading.value : null;
}
