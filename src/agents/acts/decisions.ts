import { AppError } from "../../errors.ts";
import { choose } from "../../input/answer.ts";
import type { Client } from "../../input/client.ts";
import type { PaneTurn } from "../../input/pane-turn.ts";
import type { ActionQueue } from "../../input/action-queue.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { fingerprints } from "../../detect/prompt.ts";
import type { DecisionReply } from "../../protocol/agent-replies.ts";
import type { DecisionItem } from "../../protocol/agents.ts";
import type { FreshRead } from "../../terminal/reading.ts";
import type { Binder } from "../binding/binder.ts";
import { asConflict, agentConflict, unknownResource } from "../queries.ts";
import type { KnownDecision } from "../known.ts";
import type { ObservedPane, ObservedPanes } from "../binding/observed-panes.ts";
import type { AgentStore } from "../store/store.ts";
import { optionKeys } from "./verifier.ts";

const UNCERTAIN =
  "It is not certain that the answer arrived. Look at the terminal before answering again.";

interface DecisionsDeps {
  store: AgentStore;
  binder: Binder;
  panes: ObservedPanes;
  queue: Pick<ActionQueue, "run" | "find">;
  ledger: Pick<Ledger, "once">;
}

export class Decisions {
  readonly #deps: DecisionsDeps;

  constructor(deps: DecisionsDeps) {
    this.#deps = deps;
  }

  /**
   * Chooses an option in the dialog on the agent's screen, once for each key.
   * @throws AppError 404, 400 for an unknown option, 409 with the decision as it is
   */
  async reply(id: string, request: DecisionReply, client: Client): Promise<DecisionItem> {
    const { store, ledger } = this.#deps;
    const { options } = this.#requirePublic(id).decision;
    const option = options.find((one) => one.id === request.option_id);
    if (!option)
      throw new AppError("invalid", `unknown option: ${request.option_id.slice(0, 160)}`);
    const { idempotency_key: key, ...asked } = request;
    try {
      await ledger.once(key, { op: "reply", id, ...asked }, async () => {
        const pane = this.#require(id, request);
        const target = { id: pane.id, listed: this.#deps.queue.find(pane.id) };
        await this.#deps.queue.run(
          target,
          { kind: "reply", client, said: { label: option.label }, key },
          (slot) => this.#deliver(slot, id, request, pane),
        );
      });
    } catch (error) {
      throw asConflict(error, store.decisions.get(id));
    }
    return this.#requirePublic(id).decision;
  }

  /** All that can be known before the screen is looked at again. */
  #require(id: string, request: DecisionReply): ObservedPane {
    const { store, binder } = this.#deps;
    const { decision } = this.#requirePublic(id);
    const refuse = (message: string) => agentConflict(message, decision);
    if (request.custom_text !== null) throw refuse("a decision takes none but its own options");
    if (decision.status !== "pending") throw refuse(`the decision is ${decision.status}`);
    if (decision.revision !== request.expected_revision) throw refuse("stale decision revision");
    if (decision.review_status !== "actionable")
      throw refuse("this one is answered in the terminal");
    const session = store.sessions.get(decision.agent_id);
    const bound = session?.binding_revision;
    if (bound !== request.expected_binding_revision || bound !== decision.binding_revision)
      throw refuse("stale binding revision");
    if (decision.prompt_fingerprint !== request.prompt_fingerprint)
      throw refuse("another prompt was shown");
    const place = binder.placeOf(decision.agent_id);
    if (session?.association !== "confirmed" || !place)
      throw refuse("the session is in no pane for certain");
    return place.pane;
  }

  async #deliver(
    slot: PaneTurn,
    id: string,
    request: DecisionReply,
    pane: ObservedPane,
  ): Promise<void> {
    const { store, panes } = this.#deps;
    // Another answer may have had the pane before this one.
    this.#require(id, request);
    const known = this.#requirePublic(id);
    const refuse = (message: string, cause?: unknown) =>
      agentConflict(message, store.decisions.get(id), { cause });
    if (!(await panes.isStill(pane))) throw refuse("another process runs in the pane");
    await slot.untilOpen();
    const { prompt } = await slot.require((now) => {
      const reason = whyNotAnswered(now, known, pane);
      if (reason !== null) throw refuse(reason);
      return null;
    });
    const keys = optionKeys(known, prompt);
    const place = known.decision.options.findIndex((option) => option.id === request.option_id);
    const key = keys?.[place];
    if (key === undefined) throw refuse("the prompt has other options now");
    this.#change(id, { status: "submitting", selected_option_id: request.option_id }, ["pending"]);
    try {
      await choose(slot, { id: pane.id, key, expected: fingerprints(prompt) });
    } catch (cause) {
      const status = slot.hasSent ? "unknown" : "pending";
      this.#change(id, { status, selected_option_id: null }, ["submitting"]);
      if (slot.hasSent) throw refuse(UNCERTAIN, cause);
      throw refuse("the prompt has changed, nothing was sent", cause);
    } finally {
      slot.markAnswered();
    }
  }

  #change(
    id: string,
    patch: Partial<Pick<DecisionItem, "status" | "selected_option_id">>,
    from: readonly DecisionItem["status"][],
  ): void {
    const { store } = this.#deps;
    store.write(() => store.decisions.change(id, from, patch, store.now));
  }

  #requirePublic(id: string): KnownDecision {
    const known = this.#deps.store.decisions.known(id);
    if (!known || known.decision.status === "unverified") throw unknownResource(id);
    return known;
  }
}

/** Why the dialog on the screen must not be answered with this decision; null: it may. */
export function whyNotAnswered(
  now: FreshRead,
  { decision, asked }: KnownDecision,
  pane: ObservedPane,
) {
  if (now.pane.identity !== pane.identity || now.state.kind !== pane.runtime)
    return "another program runs in the pane";
  if (now.finding.keepsPrevious || !now.prompt) return "the prompt is not there";
  if (!now.prompt.recognised) return "the prompt is not one that is known by its shape";
  if (fingerprints(now.prompt).prompt_fingerprint !== decision.prompt_fingerprint)
    return "the prompt has changed";
  return optionKeys({ decision, asked }, now.prompt) ? null : "the prompt has other options now";
}
