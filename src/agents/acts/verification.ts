import type { Prompt } from "../../detect/finding.ts";
import type { DecisionOption } from "../../protocol/agents.ts";
import type { MenuOption, PaneState } from "../../protocol/pane.ts";
import type { KnownDecision } from "../known.ts";
import type { AskedQuestion } from "../logs/events.ts";
import { wordsOf } from "../logs/text.ts";

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

/** What the live screen asks, as a pane tells of it. */
export interface LivePrompt {
  question: string;
  menu: readonly Pick<MenuOption, "key" | "label" | "freeform">[];
}

/** Options that the programs add to every question of their own accord. */
const ADDED =
  /^(?:type something|type your own answer|chat about this|skip interview.*|none of the above|other|submit|next)$/;

/**
 * The keys of the live options, in the order of the question's own, when both say the same word by
 * word; null when they do not. Options that the program adds by itself are left aside, those only
 * that stand behind the question's own.
 */
export function matchQuestion(
  asked: AskedQuestion,
  live: LivePrompt,
  place: { index: number; count: number },
): string[] | null {
  const words = wordsOf(asked.question);
  // Of several questions at once, the screen names which of them it shows.
  const named = `question ${place.index + 1} ${place.count} ${words}`;
  const shown = wordsOf(live.question);
  if (shown !== words && shown !== named) return null;
  const own = live.menu.slice(0, asked.options.length);
  const added = live.menu.slice(asked.options.length);
  if (own.length !== asked.options.length || !added.every(isAdded)) return null;
  const isSame = asked.options.every(
    ({ label }, at) => wordsOf(label) === wordsOf(own[at]?.label ?? ""),
  );
  return isSame ? own.map(({ key }) => key) : null;
}

function isAdded(option: LivePrompt["menu"][number]): boolean {
  return option.freeform || ADDED.test(wordsOf(option.label));
}
