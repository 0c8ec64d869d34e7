import type { DecisionItem } from "../../protocol/agents.ts";
import type { Binder } from "../binding/binder.ts";
import type { KnownDecision } from "../known.ts";
import { optionsFingerprint } from "./requests.ts";
import type { AgentStore } from "../store/store.ts";
import { verify } from "./verification.ts";

/** A log says how a question ended within this time after its dialog has gone. */
const LOG_SECONDS = 5;

export interface VerifierDeps {
  store: AgentStore;
  binder: Binder;
  /** Told once of each request that a screen is found to show. */
  verified(decision: DecisionItem): void;
}

/** Holds open requests of the logs against what their panes ask, after each look. */
export class Verifier {
  readonly #deps: VerifierDeps;
  /** Since when the pane of a decision has asked nothing any more, monotonic seconds. */
  readonly #goneSince = new Map<string, number>();

  constructor(deps: VerifierDeps) {
    this.#deps = deps;
  }

  /** @param at seconds that only grow */
  look(agentIds: Iterable<string>, at: number): void {
    const { store, verified } = this.#deps;
    const found: DecisionItem[] = [];
    for (const id of agentIds)
      for (const known of store.decisions.live(id)) {
        const decision = store.write(() => this.#weigh(known, at));
        if (decision && known.decision.status === "unverified") found.push(decision);
      }
    for (const decision of found) verified(decision);
  }

  #weigh(known: KnownDecision, at: number): DecisionItem | null {
    const { store, binder } = this.#deps;
    const { decision } = known;
    const place = binder.placeOf(decision.agent_id);
    if (!place) return null;
    const { state } = place.pane;
    const verified = verify(known, state);
    const binding = store.sessions.known(decision.agent_id)?.binding;
    if (!verified || !binding) {
      this.#miss(decision, state.status, at);
      return null;
    }
    this.#goneSince.delete(decision.id);
    if (decision.status !== "unverified" && decision.status !== "pending") return null;
    const options = verified.options ?? decision.options;
    const patch = {
      status: "pending" as const,
      options,
      options_fingerprint: optionsFingerprint(options),
      binding_revision: binding.revision,
      prompt_fingerprint: verified.promptFingerprint,
      review_status: verified.reviewStatus,
    };
    const isNews = Object.entries(patch).some(
      ([key, value]) => !Bun.deepEquals(value, decision[key as keyof DecisionItem]),
    );
    if (!isNews) return null;
    return store.decisions.change(decision.id, ["unverified", "pending"], patch, store.now);
  }

  // The terminal shows the end of a request; how it ended is the log's to say, for a moment.
  #miss(decision: DecisionItem, status: string, at: number): void {
    if (decision.status === "unverified" || status === "needs_input") return;
    const since = this.#goneSince.get(decision.id) ?? at;
    this.#goneSince.set(decision.id, since);
    if (at - since < LOG_SECONDS) return;
    const { store } = this.#deps;
    const from = ["pending", "submitting", "unknown"] as const;
    store.decisions.change(decision.id, from, { status: "resolved" }, store.now);
    this.#goneSince.delete(decision.id);
  }
}
