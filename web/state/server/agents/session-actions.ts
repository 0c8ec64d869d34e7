import { readAgent, type SeenAgent } from "../../../../src/protocol/tolerant-agents.ts";
import { type Failure, isGone, refusal, type Result } from "../../../net/api.ts";
import type { Workspace } from "./workspace.ts";

/**
 * Carries what a person says of sessions to the server: one word of each session at a time, under the
 * revision that was drawn, and never again by itself.
 */
export class SessionActions {
  readonly #workspace: Workspace;
  readonly #busy = new Set<string>();

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
  }

  bind({ id, binding_revision }: SeenAgent, pane_id: string): Promise<Result<unknown>> {
    const json = { pane_id, expected_binding_revision: binding_revision };
    const asked = { path: { id }, json, read: readAgent };
    return this.#move(
      id,
      () => this.#api.call("PUT /api/agents/:id/binding", asked),
      (now) => now.association === "confirmed" && now.pane_id === pane_id,
    );
  }

  release({ id, binding_revision }: SeenAgent): Promise<Result<unknown>> {
    const query = { expected_binding_revision: binding_revision };
    const asked = { path: { id }, query, read: readAgent };
    return this.#move(
      id,
      () => this.#api.call("DELETE /api/agents/:id/binding", asked),
      ({ association }) => association !== "confirmed",
    );
  }

  deleteHistory(id: string): Promise<Result<unknown>> {
    return this.#inTurn(id, async () => {
      const result = await this.#api.call("DELETE /api/agents/:id/history", { path: { id } });
      if (result.ok) this.#workspace.forget(id);
      return result;
    });
  }

  get #api() {
    return this.#workspace.server.api;
  }

  #move(
    id: string,
    call: () => Promise<Result<SeenAgent>>,
    holds: (now: SeenAgent) => boolean,
  ): Promise<Result<unknown>> {
    return this.#inTurn(id, async () => {
      const result = await call();
      const told = result.ok ? result.value : currentOf(result.failure);
      if (told !== null) this.#workspace.learned(told);
      else await this.#workspace.agent(id).query.reload();
      if (result.ok || result.failure.kind === "refused") return result;
      // Without a reply, what is now tells whether the word was heard.
      const { agent, query } = this.#workspace.agent(id);
      const now = query.failure.peek() === null ? agent.peek() : null;
      return now !== null && holds(now) ? { ok: true, value: now } : result;
    });
  }

  async #inTurn(id: string, word: () => Promise<Result<unknown>>): Promise<Result<unknown>> {
    if (this.#busy.has(id)) return refusal("");
    this.#busy.add(id);
    const result = await word().finally(() => this.#busy.delete(id));
    if (!result.ok && isGone(result.failure)) this.#workspace.reread(id);
    return result;
  }
}

function currentOf(failure: Failure): SeenAgent | null {
  const detail = failure.kind === "refused" ? Object(failure.detail) : {};
  const reading = readAgent(detail.current);
  return reading.ok ? reading.value : null;
}
