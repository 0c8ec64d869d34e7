import type { SeenDecision } from "../../../src/protocol/tolerant-agents.ts";
import { guardOf, type SeenGuard } from "./decision.ts";
import { plainLabel } from "./own-words.ts";
import {
  choosables,
  lossOfDecision,
  type Choice,
  type Choices,
  type Choosable,
  type Lost,
  type Question,
} from "./collect.ts";

/** One kept answer; with its decision's id it is all that the contract lets a browser keep. */
export interface Kept extends SeenGuard {
  readonly option_id: string;
}

/** What the browser keeps, by decision. */
export interface Plan {
  readonly instance: string;
  readonly choices: Readonly<Record<string, Kept>>;
}

export const emptyPlan = (instance: string): Plan => ({ instance, choices: {} });

/** Of the choices those on decisions; own words and prompts without a decision live as long as the page. */
export function planOf(instance: string, choices: Choices): Plan {
  const kept = Object.values(choices).flatMap(({ seen, option, text }) => {
    const { decision, prompt } = seen;
    const guard = decision === null ? null : guardOf(decision);
    if (decision === null || guard === null || text !== null) return [];
    const name = plainLabel(option.label);
    const id =
      prompt === null
        ? option.key
        : decision.options.find(({ label }) => plainLabel(label) === name)?.id;
    return id === undefined ? [] : [[decision.id, { ...guard, option_id: id }] as const];
  });
  return { instance, choices: Object.fromEntries(kept) };
}

/** The plan without these decisions: the same one where it has none of them. */
export function leave(plan: Plan, decisionIds: ReadonlySet<string>): Plan {
  const choices = Object.entries(plan.choices).filter(([id]) => !decisionIds.has(id));
  const isSame = choices.length === Object.keys(plan.choices).length;
  return isSame ? plan : { ...plan, choices: Object.fromEntries(choices) };
}

export interface Restored {
  readonly choices: Choices;
  /** By decision. */
  readonly lost: Readonly<Record<string, Lost>>;
}

/**
 * Holds kept answers against what was just read: of another server nothing is kept; where anything
 * that was seen differs the choice is lost and said to be. A reply that had left when the page went
 * has changed the decision's status, or has not arrived.
 */
export function restore(
  kept: Plan,
  instance: string,
  questions: readonly Question[],
  decisions: readonly SeenDecision[],
): Restored {
  const choices: Record<string, Choice> = {};
  const lost: Record<string, Lost> = {};
  if (kept.instance !== instance) return { choices, lost };
  for (const [id, guard] of Object.entries(kept.choices)) {
    const fresh = decisions.find((decision) => decision.id === id);
    const why = fresh === undefined ? "gone" : lossOfDecision(guard, fresh);
    const seen = questions.find(({ decision }) => decision?.id === id);
    const option = seen === undefined ? null : optionOf(seen, guard.option_id);
    if (why !== null) lost[id] = why;
    // Another question stands before it, or it is not offered any more.
    else if (seen === undefined || option === null) lost[id] = "changed";
    else choices[seen.id] = { seen, option, text: null };
  }
  return { choices, lost };
}

function optionOf(question: Question, optionId: string): Choosable | null {
  const { prompt, decision } = question;
  const label = decision?.options.find(({ id }) => id === optionId)?.label;
  if (label === undefined) return null;
  const isIt = (one: Choosable) =>
    prompt === null ? one.key === optionId : plainLabel(one.label) === plainLabel(label);
  return choosables(question).find((one) => !one.freeform && isIt(one)) ?? null;
}

/** What the browser kept, or null for what is no plan. */
export function parsePlan(stored: unknown): Plan | null {
  if (!isRecord(stored) || typeof stored["instance"] !== "string") return null;
  const { instance, choices } = stored;
  if (!isRecord(choices)) return null;
  const kept = Object.entries(choices).flatMap(([id, value]) => {
    const choice = parseKept(value);
    return choice ? [[id, choice] as const] : [];
  });
  return { instance, choices: Object.fromEntries(kept) };
}

function parseKept(value: unknown): Kept | null {
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
