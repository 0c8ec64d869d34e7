import type { SeenDecision } from "../../../src/protocol/tolerant-agents.ts";
import { guardOf, isSameGuard, type SeenGuard } from "./decision.ts";

/** One staged answer; with its decision's id it is all that the contract lets a browser keep. */
export interface Choice extends SeenGuard {
  readonly option_id: string;
}

/** What the browser keeps, by decision. */
export interface Plan {
  readonly instance: string;
  readonly choices: Readonly<Record<string, Choice>>;
}

export const emptyPlan = (instance: string): Plan => ({ instance, choices: {} });

/** Chooses; null leaves the decision open. Nothing is sent by it. */
export function choose(plan: Plan, decision: SeenDecision, optionId: string | null): Plan {
  const { [decision.id]: _, ...rest } = plan.choices;
  const guard = guardOf(decision);
  if (optionId === null || guard === null) return { ...plan, choices: rest };
  const choice = { ...guard, option_id: optionId };
  return { ...plan, choices: { ...rest, [decision.id]: choice } };
}

/** The plan without these decisions: the same one where it has none of them. */
export function leave(plan: Plan, decisionIds: ReadonlySet<string>): Plan {
  const choices = Object.entries(plan.choices).filter(([id]) => !decisionIds.has(id));
  const isSame = choices.length === Object.keys(plan.choices).length;
  return isSame ? plan : { ...plan, choices: Object.fromEntries(choices) };
}

/** Why a choice no longer stands. */
export type Lost = "changed" | "gone" | "uncertain";

export interface Restored {
  readonly plan: Plan;
  /** By decision. */
  readonly lost: Readonly<Record<string, Lost>>;
}

/**
 * Holds kept choices against fresh decisions: of another server nothing is kept; where anything that
 * was seen differs the choice is lost and said to be. A reply that had left when the page went has
 * changed the decision's status, or has not arrived.
 */
export function restore(
  stored: Plan,
  instance: string,
  decisions: readonly SeenDecision[],
): Restored {
  if (stored.instance !== instance) return { plan: emptyPlan(instance), lost: {} };
  const fresh = new Map(decisions.map((decision) => [decision.id, decision]));
  const choices: Record<string, Choice> = {};
  const lost: Record<string, Lost> = {};
  for (const [id, choice] of Object.entries(stored.choices)) {
    const why = lossOf(choice, fresh.get(id) ?? null);
    if (why === null) choices[id] = choice;
    else lost[id] = why;
  }
  return { plan: { instance, choices }, lost };
}

function lossOf(choice: Choice, decision: SeenDecision | null): Lost | null {
  if (!decision || decision.status === "resolved" || decision.status === "superseded")
    return "gone";
  if (decision.status !== "pending") return "uncertain";
  const guard = guardOf(decision);
  const stillOffered = decision.options.some(({ id }) => id === choice.option_id);
  return guard !== null && isSameGuard(guard, choice) && stillOffered ? null : "changed";
}

/** What became of one planned answer. */
export type Outcome = "sent" | "changed" | "gone" | "uncertain" | "refused" | "skipped";

/** An agent with such an outcome gets nothing more of this plan: what comes next was meant for after it. */
const STOPS_ITS_AGENT: ReadonlySet<Outcome> = new Set(["changed", "gone", "uncertain", "refused"]);

/**
 * The next planned answer to send, in the order of the decisions; null when the run is over. What
 * stopped one answer stops the later ones of its agent and no other.
 */
export function nextToSend(
  plan: Plan,
  order: readonly SeenDecision[],
  outcomes: ReadonlyMap<string, Outcome>,
): SeenDecision | null {
  const stopped = stoppedAgents(order, outcomes);
  return (
    order.find(
      ({ id, agent_id }) => plan.choices[id] && !outcomes.has(id) && !stopped.has(agent_id),
    ) ?? null
  );
}

/** Planned answers that will not be sent because an earlier one of their agent was stopped. */
export function skipped(
  plan: Plan,
  order: readonly SeenDecision[],
  outcomes: ReadonlyMap<string, Outcome>,
): SeenDecision[] {
  const stopped = stoppedAgents(order, outcomes);
  return order.filter(
    ({ id, agent_id }) => plan.choices[id] && !outcomes.has(id) && stopped.has(agent_id),
  );
}

function stoppedAgents(
  order: readonly SeenDecision[],
  outcomes: ReadonlyMap<string, Outcome>,
): ReadonlySet<string> {
  const stopped = order.filter(({ id }) => STOPS_ITS_AGENT.has(outcomes.get(id) ?? "sent"));
  return new Set(stopped.map(({ agent_id }) => agent_id));
}

/** What the browser kept, or null for what is no plan. */
export function parsePlan(stored: unknown): Plan | null {
  if (!isRecord(stored) || typeof stored["instance"] !== "string") return null;
  const { instance, choices } = stored;
  if (!isRecord(choices)) return null;
  const kept = Object.entries(choices).flatMap(([id, value]) => {
    const choice = parseChoice(value);
    return choice ? [[id, choice] as const] : [];
  });
  return { instance, choices: Object.fromEntries(kept) };
}

function parseChoice(value: unknown): Choice | null {
  if (!isRecord(value)) return null;
  const { option_id, revision, binding_revision } = value;
  const { prompt_fingerprint, options_fingerprint } = value;
  const areTexts =
    typeof option_id === "string" &&
    typeof prompt_fingerprint === "string" &&
    typeof options_fingerprint === "string";
  if (!areTexts || typeof revision !== "number" || typeof binding_revision !== "number")
    return null;
  return { option_id, revision, binding_revision, prompt_fingerprint, options_fingerprint };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
