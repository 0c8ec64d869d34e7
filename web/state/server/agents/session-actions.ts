import type { Signal } from "@preact/signals";
import { readAgent, type SeenAgent } from "../../../../src/protocol/tolerant-agents.ts";
import { reasonOf, type Failure, type Result } from "../../../net/api.ts";
import { Signals } from "../../signals.ts";
import type { Workspace } from "./workspace.ts";

/** What a person may say of a session: its pane, that it has none, that its past is to go. */
export type Act = "bind" | "release" | "delete";

/**
 * How such a word fares; null before it, and once it holds. `changed`: what was seen is not what is, and
 * that has been read; `gone`: the pane, or the session, is not there any more; `lost`: nobody knows
 * whether it was heard, and what was read since does not tell.
 */
export interface ActionStep {
  readonly step: "sending" | "changed" | "gone" | "failed" | "lost";
  readonly act: Act;
  /** The server's. */
  readonly reason: string;
}

/**
 * Carries what a person says of sessions to the server: one word of each session at a time, under the
 * revision that was drawn, and never again by itself.
 */
export class SessionActions {
  readonly #workspace: Workspace;
  readonly #steps = new Signals<ActionStep | null>(null);

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
  }

  of = (agentId: string) => this.#steps.of(agentId);

  /** Says that a session is in this pane. True when it holds. */
  bind({ id, binding_revision }: SeenAgent, pane_id: string): Promise<boolean> {
    const json = { pane_id, expected_binding_revision: binding_revision };
    return this.#say("bind", id, {
      call: () =>
        this.#api.call("PUT /api/agents/:id/binding", { path: { id }, json, read: readAgent }),
      holds: (now) => now.association === "confirmed" && now.pane_id === pane_id,
    });
  }

  /** Lets go of the pane of a session. True when it is let go. */
  release({ id, binding_revision }: SeenAgent): Promise<boolean> {
    const query = { expected_binding_revision: binding_revision };
    const asked = { path: { id }, query, read: readAgent };
    return this.#say("release", id, {
      call: () => this.#api.call("DELETE /api/agents/:id/binding", asked),
      holds: ({ association }) => association !== "confirmed",
    });
  }

  /** Deletes what is kept of a session's past. True when it is deleted. */
  async deleteHistory(id: string): Promise<boolean> {
    const step = this.#begin("delete", id);
    if (step === null) return false;
    const result = await this.#api.call("DELETE /api/agents/:id/history", { path: { id } });
    step.value = result.ok ? null : failed("delete", result.failure);
    if (result.ok) this.#workspace.forget(id);
    else if (step.value?.step === "gone") this.#workspace.reread(id);
    return result.ok;
  }

  /** What became of it was read. */
  dismiss(agentId: string): void {
    const step = this.of(agentId);
    if (step.peek()?.step !== "sending") step.value = null;
  }

  clear(): void {
    this.#steps.clear();
  }

  get #api() {
    return this.#workspace.server.api;
  }

  async #say(
    act: Act,
    id: string,
    { call, holds }: { call: () => Promise<Result<SeenAgent>>; holds: (now: SeenAgent) => boolean },
  ): Promise<boolean> {
    const step = this.#begin(act, id);
    if (step === null) return false;
    const result = await call();
    if (result.ok) {
      step.value = null;
      this.#workspace.learned(result.value);
      return true;
    }
    const why = failed(act, result.failure);
    const now = currentOf(result.failure) ?? (await this.#read(id));
    if (now !== null) this.#workspace.learned(now);
    else this.#workspace.reread(id);
    // Without a reply, what is now tells whether the word was heard.
    const hasArrived = why.step === "lost" && now !== null && holds(now);
    step.value = hasArrived ? null : why;
    return hasArrived;
  }

  /** Null while another word of this session is on its way. */
  #begin(act: Act, agentId: string): Signal<ActionStep | null> | null {
    const step = this.of(agentId);
    if (step.peek()?.step === "sending") return null;
    step.value = { step: "sending", act, reason: "" };
    return step;
  }

  async #read(id: string): Promise<SeenAgent | null> {
    const result = await this.#api.call("GET /api/agents/:id", { path: { id }, read: readAgent });
    return result.ok ? result.value : null;
  }
}

function failed(act: Act, failure: Failure): ActionStep {
  const reason = reasonOf(failure);
  if (failure.kind !== "refused") return { step: "lost", act, reason };
  if (failure.status === 404) return { step: "gone", act, reason: "" };
  return { step: failure.status === 409 ? "changed" : "failed", act, reason };
}

/** The session as a conflict tells it. */
function currentOf(failure: Failure): SeenAgent | null {
  const detail = failure.kind === "refused" ? Object(failure.detail) : {};
  const reading = readAgent(detail.current);
  return reading.ok ? reading.value : null;
}
