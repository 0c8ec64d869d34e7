import type { Prompt } from "../../detect/finding.ts";
import type { DecisionOption } from "../../protocol/agents.ts";
import type { MenuOption, PaneState } from "../../protocol/pane.ts";
import type { KnownDecision } from "../known.ts";
import { type LivePrompt, matchQuestion } from "./prompt-match.ts";

/** The rule by which a pane is known to show a plan that waits for approval. */
const PLAN_RULE = "agent_a.plan";

/** What the live prompt of a pane adds to a request that it shows word by word. */
export interface Verified {
  promptFingerprint: string;
  /** Of a plan, whose options stand in the dialog alone; null: the request's own. */
  options: DecisionOption[] | null;
  reviewStatus: "actionable" | "terminal_required";
}

/** Null while the pane does not show this request, and nothing else. */
export function verify({ asked }: KnownDecision, state: PaneState): Verified | null {
  const fingerprint = state.legacy_guard?.prompt_fingerprint ?? null;
  if (state.status !== "needs_input" || state.stale || state.question === null) return null;
  if (fingerprint === null) return null;
  if (asked.kind === "plan_approval") {
    if (state.reason !== PLAN_RULE) return null;
    const options = planOptions(state.menu);
    return { promptFingerprint: fingerprint, options, reviewStatus: "actionable" };
  }
  const live = { question: state.question, menu: state.menu };
  if (!matchQuestion(asked.question, live, asked)) return null;
  // A tab of several, or a list of ticks, is more than one choice: the dialog's own page does it.
  const isWhole = asked.count === 1 && !asked.question.multiSelect;
  return {
    promptFingerprint: fingerprint,
    options: null,
    reviewStatus: isWhole ? "actionable" : "terminal_required",
  };
}

/** Keys of the dialog's options, in the order of the decision's own; null when they differ. */
export function optionKeys(
  { decision, asked }: KnownDecision,
  prompt: Pick<Prompt, "question" | "options"> | null,
): string[] | null {
  if (!prompt) return null;
  const live: LivePrompt = { question: prompt.question, menu: prompt.options };
  if (asked.kind === "question") return matchQuestion(asked.question, live, asked);
  const now = planOptions(prompt.options);
  return Bun.deepEquals(now, decision.options) ? now.map(({ id }) => id) : null;
}

// What asks for words of the person's own is no option: a decision takes none.
function planOptions(
  menu: readonly Pick<MenuOption, "key" | "label" | "description" | "freeform">[],
): DecisionOption[] {
  return menu
    .filter(({ freeform }) => !freeform)
    .map(({ key, label, description }) => ({ id: key, label, description, recommended: false }));
}
