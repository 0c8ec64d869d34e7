import { signal, type Signal } from "@preact/signals";
import { readAgent, type SeenAgent } from "../../../../src/protocol/tolerant-agents.ts";
import type { AgentsApi } from "../../../net/agents-api.ts";
import { reasonOf, type Failure, type Result } from "../../../net/api.ts";

/** What a person may say of a session: its pane, that it has none, that its past is to go. */
export type Act = "bind" | "release" | "delete";

/** How such a word fares; null before it, and once it holds. */
export type ActionStep =
  | { readonly step: "sending"; readonly act: Act }
  /** What was seen is not what is: with the server's reason. What is now has been read. */
  | { readonly step: "changed"; readonly act: Act; readonly reason: string }
  /** The pane, or the session, is not there any more. */
  | { readonly step: "gone"; readonly act: Act }
  | { readonly step: "failed"; readonly act: Act; readonly reason: string }
  /** Nobody knows whether it was heard, and what was read since does not tell. */
  | { readonly step: "lost"; readonly act: Act };

export interface SessionActionsDeps {
  readonly api: AgentsApi;
  /** A session as it is now. */
  readonly learned: (agent: SeenAgent) => void;
  /** Its history is deleted. */
  readonly forgotten: (agentId: string) => void;
  /** Asks for a session anew. */
  readonly reread: (agentId: string) => void;
}

/**
 * Carries what a person says of sessions to the server: one word of each session at a time, under the
 * revision that was drawn, and never again by itself.
 */
export class SessionActions {
  readonly #deps: SessionActionsDeps;
  readonly #steps = new Map<string, Signal<ActionStep | null>>();

  constructor(deps: SessionActionsDeps) {
    this.#deps = deps;
  }

  of(agentId: string): Signal<ActionStep | null> {
    const known = this.#steps.get(agentId);
    if (known !== undefined) return known;
    const step = signal<ActionStep | null>(null);
    this.#steps.set(agentId, step);
    return step;
  }

  /** Says that a session is in this pane. True when it holds. */
  bind(drawn: SeenAgent, paneId: string): Promise<boolean> {
    return this.#say("bind", drawn, {
      call: () => this.#deps.api.bind(drawn.id, paneId, drawn.binding_revision),
      holds: ({ association, pane_id }) => association === "confirmed" && pane_id === paneId,
    });
  }

  /** Lets go of the pane of a session. True when it is let go. */
  release(drawn: SeenAgent): Promise<boolean> {
    return this.#say("release", drawn, {
      call: () => this.#deps.api.unbind(drawn.id, drawn.binding_revision),
      holds: ({ association }) => association !== "confirmed",
    });
  }

  /** Deletes what is kept of a session's past. True when it is deleted. */
  async deleteHistory(agentId: string): Promise<boolean> {
    const step = this.#begin("delete", agentId);
    if (step === null) return false;
    const result = await this.#deps.api.deleteHistory(agentId);
    if (result.ok) {
      step.value = null;
      this.#deps.forgotten(agentId);
      return true;
    }
    step.value = this.#failed("delete", result.failure);
    if (step.value.step === "gone") this.#deps.reread(agentId);
    return false;
  }

  /** What became of it was read. */
  dismiss(agentId: string): void {
    const step = this.of(agentId);
    if (step.peek()?.step !== "sending") step.value = null;
  }

  clear(): void {
    for (const step of this.#steps.values()) step.value = null;
    this.#steps.clear();
  }

  async #say(
    act: Act,
    drawn: SeenAgent,
    { call, holds }: { call: () => Promise<Result<SeenAgent>>; holds: (now: SeenAgent) => boolean },
  ): Promise<boolean> {
    const step = this.#begin(act, drawn.id);
    if (step === null) return false;
    const result = await call();
    if (result.ok) {
      step.value = null;
      this.#deps.learned(result.value);
      return true;
    }
    const failed = this.#failed(act, result.failure);
    const now = currentOf(result.failure) ?? (await this.#read(drawn.id));
    if (now !== null) this.#deps.learned(now);
    else this.#deps.reread(drawn.id);
    // Without a reply, what is now tells whether the word was heard.
    const hasArrived = failed.step === "lost" && now !== null && holds(now);
    step.value = hasArrived ? null : failed;
    return hasArrived;
  }

  /** Null while another word of this session is on its way. */
  #begin(act: Act, agentId: string): Signal<ActionStep | null> | null {
    const step = this.of(agentId);
    if (step.peek()?.step === "sending") return null;
    step.value = { step: "sending", act };
    return step;
  }

  async #read(agentId: string): Promise<SeenAgent | null> {
    const result = await this.#deps.api.agent(agentId, new AbortController().signal);
    return result.ok ? result.value : null;
  }

  #failed(act: Act, failure: Failure): Exclude<ActionStep, { step: "sending" }> {
    if (failure.kind !== "refused") return { step: "lost", act };
    if (failure.status === 404) return { step: "gone", act };
    const reason = reasonOf(failure);
    return { step: failure.status === 409 ? "changed" : "failed", act, reason };
  }
}

/** The session as a conflict tells it. */
function currentOf(failure: Failure): SeenAgent | null {
  if (failure.kind !== "refused") return null;
  const { detail } = failure;
  const current: unknown =
    typeof detail === "object" && detail !== null ? Reflect.get(detail, "current") : null;
  const reading = readAgent(current);
  return reading.ok ? reading.value : null;
}
