import { AppError } from "../../errors.ts";
import { choose } from "../../input/answer.ts";
import type { Client } from "../../input/client.ts";
import type { PaneTurn } from "../../input/pane-turn.ts";
import type { ActionQueue } from "../../input/action-queue.ts";
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

/** How a reply ended, kept for whoever asks again with its key. */
type Outcome = { ok: true } | { ok: false; message: string };

interface DecisionsDeps {
  store: AgentStore;
  binder: Binder;
  panes: ObservedPanes;
  queue: Pick<ActionQueue, "run" | "find">;
}

export class Decisions {
  readonly #deps: DecisionsDeps;
  /** Replies on their way, by idempotency key. */
  readonly #running = new Map<string, Promise<DecisionItem>>();

  constructor(deps: DecisionsDeps) {
    this.#deps = deps;
  }

  /**
   * Chooses an option in the dialog on the agent's screen, once for each key.
   * @throws AppError 404, 400 for an unknown option, 409 with the decision as it is
   */
  async reply(id: string, request: DecisionReply, client: Client): Promise<DecisionItem> {
    const { store } = this.#deps;
    const known = this.#requirePublic(id);
    const { idempotency_key: key } = request;
    if (!known.decision.options.some((option) => option.id === request.option_id))
      throw new AppError("invalid", `unknown option: ${request.option_id.slice(0, 160)}`);
    const running = this.#running.get(key);
    const reservation = { decisionId: id, asked: askedBy(request), now: store.now };
    const reserved = store.write(() => store.decisions.reserveReply(key, reservation));
    if (reserved.decisionId !== id)
      throw agentConflict("this idempotency key was used for another decision", known.decision);
    if (!reserved.isSame)
      throw agentConflict("this idempotency key was used for another answer", known.decision);
    if (running) return running;
    if (!reserved.isNew) return this.#recorded(id, reserved.outcome);
    const work = this.#answer(id, request, client);
    this.#running.set(key, work);
    try {
      const decision = await work;
      this.#record(key, { ok: true });
      return decision;
    } catch (error) {
      this.#record(key, { ok: false, message: messageOf(error) });
      throw error;
    } finally {
      this.#running.delete(key);
    }
  }

  #recorded(id: string, outcome: string | null): DecisionItem {
    const { decision } = this.#requirePublic(id);
    // Reserved by a run that ended before it knew.
    if (outcome === null) throw agentConflict(UNCERTAIN, decision);
    // Written by this class alone, in this very shape.
    const found = JSON.parse(outcome) as Outcome;
    if (!found.ok) throw agentConflict(found.message, decision);
    return decision;
  }

  #record(key: string, outcome: Outcome): void {
    const { store } = this.#deps;
    store.write(() => store.decisions.finishReply(key, JSON.stringify(outcome)));
  }

  async #answer(id: string, request: DecisionReply, client: Client): Promise<DecisionItem> {
    const pane = this.#require(id, request);
    const { store, queue } = this.#deps;
    const target = { id: pane.id, listed: queue.find(pane.id) };
    const { options } = this.#requirePublic(id).decision;
    const said = { label: options.find((one) => one.id === request.option_id)?.label ?? "" };
    try {
      return await queue.run(
        target,
        { kind: "reply", client, said, key: request.idempotency_key },
        (slot) => this.#deliver(slot, id, request, pane),
      );
    } catch (error) {
      throw asConflict(error, store.decisions.get(id));
    }
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
  ): Promise<DecisionItem> {
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
    return this.#requirePublic(id).decision;
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

/** A reply as text: equal for equal replies, whatever their key. */
function askedBy(request: DecisionReply): string {
  const { option_id, custom_text, expected_revision } = request;
  const { expected_binding_revision, prompt_fingerprint } = request;
  return JSON.stringify([
    ...[option_id, custom_text, expected_revision],
    ...[expected_binding_revision, prompt_fingerprint],
  ]);
}

function messageOf(error: unknown): string {
  return error instanceof AppError ? error.message : "the reply failed";
}
