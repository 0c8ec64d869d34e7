import { readAgent, type SeenAgent } from "../../../../src/protocol/tolerant-agents.ts";
import { reasonOf, type Failure, type Result } from "../../../net/api.ts";
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
    return this.#move(
      id,
      () => this.#api.call("PUT /api/agents/:id/binding", { path: { id }, json, read: readAgent }),
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
    return this.#say(id, async () => {
      const result = await this.#api.call("DELETE /api/agents/:id/history", { path: { id } });
      if (result.ok) this.#workspace.forget(id);
      const unheard = result.ok ? null : unheardOf(result.failure);
      if (unheard?.why === "gone") this.#workspace.reread(id);
      return unheard;
    });
  }

  get #api() {
    return this.#workspace.server.api;
  }

  async #say(id: string, word: () => Promise<Unheard | null>): Promise<Unheard | null> {
    if (this.#busy.has(id)) return { why: "busy", reason: "" };
    this.#busy.add(id);
    try {
      return await word();
    } finally {
      this.#busy.delete(id);
    }
  }

  #move(
    id: string,
    call: () => Promise<Result<SeenAgent>>,
    holds: (now: SeenAgent) => boolean,
  ): Promise<Unheard | null> {
    return this.#say(id, async () => {
      const result = await call();
      const unheard = result.ok ? null : unheardOf(result.failure);
      const now = result.ok ? result.value : (currentOf(result.failure) ?? (await this.#read(id)));
      if (now === null) this.#workspace.reread(id);
      else this.#workspace.learned(now);
      // Without a reply, what is now tells whether the word was heard.
      const hasArrived = unheard?.why === "lost" && now !== null && holds(now);
      return hasArrived ? null : unheard;
    });
  }

  async #read(id: string): Promise<SeenAgent | null> {
    const result = await this.#api.call("GET /api/agents/:id", { path: { id }, read: readAgent });
    return result.ok ? result.value : null;
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
