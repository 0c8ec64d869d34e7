import type { Prompt } from "../../detect/finding.ts";
import type { DecisionItem, DecisionOption } from "../../protocol/agents.ts";
import type { MenuOption, PaneState } from "../../protocol/pane.ts";
import type { Binder } from "../binding/binder.ts";
import type { AgentAlerts, KnownDecision } from "../session.ts";
import type { LoggedQuestion } from "../logs/events.ts";
import { wordsOf } from "../logs/text.ts";
import type { AgentStore } from "../store/store.ts";
import { optionsFingerprint } from "./requests.ts";

/** The rule that detects a plan waiting for approval. */
const PLAN_RULE = "agent_a.plan";

/** What the pane adds to a decision while it shows its request; null where it does not. */
export function verify({ decision, request }: KnownDecision, state: PaneState) {
  const prompt_fingerprint = state.legacy_guard?.prompt_fingerprint ?? null;
  if (state.status !== "needs_input" || state.stale || state.question === null) return null;
  if (prompt_fingerprint === null) return null;
  const isPlan = request.kind === "plan_approval";
  const live = { question: state.question, menu: state.menu };
  const isShown = isPlan
    ? state.reason === PLAN_RULE
    : matchQuestion(request.question, live, request) !== null;
  if (!isShown) return null;
  // Only the dialog has the options of a plan.
  const options = isPlan ? planOptions(state.menu) : decision.options;
  // Several questions, or a list of ticks, need more than one choice: only the terminal takes it.
  const isWhole = isPlan || (request.count === 1 && !request.question.multiSelect);
  const review_status = isWhole ? ("actionable" as const) : ("terminal_required" as const);
  const options_fingerprint = optionsFingerprint(options);
  return { prompt_fingerprint, options, options_fingerprint, review_status };
}

/** The dialog's keys, in the order of the decision's options; null when the options differ. */
export function optionKeys(
  { decision, request }: KnownDecision,
  prompt: Pick<Prompt, "question" | "options"> | null,
): string[] | null {
  if (!prompt) return null;
  const live: LivePrompt = { question: prompt.question, menu: prompt.options };
  if (request.kind === "question") return matchQuestion(request.question, live, request);
  const now = planOptions(prompt.options);
  return Bun.deepEquals(now, decision.options) ? now.map(({ id }) => id) : null;
}

// An option that asks for a text is left out: a decision takes none.
function planOptions(
  menu: readonly Pick<MenuOption, "key" | "label" | "description" | "freeform">[],
): DecisionOption[] {
  return menu
    .filter(({ freeform }) => !freeform)
    .map(({ key, label, description }) => ({ id: key, label, description, recommended: false }));
}

interface LivePrompt {
  question: string;
  menu: readonly Pick<MenuOption, "key" | "label" | "freeform">[];
}

/** Options that the programs add to every question. */
const ADDED =
  /^(?:type something|type your own answer|chat about this|skip interview.*|none of the above|other|submit|next)$/;

/**
 * The keys of the live options, in the order of the question's; null unless all words are equal.
 * Options that the program adds are ignored where they follow the question's own.
 */
export function matchQuestion(
  question: LoggedQuestion,
  live: LivePrompt,
  place: { index: number; count: number },
): string[] | null {
  const words = wordsOf(question.question);
  // Of several questions the screen names the number of the one that it shows.
  const named = `question ${place.index + 1} ${place.count} ${words}`;
  const shown = wordsOf(live.question);
  if (shown !== words && shown !== named) return null;
  const own = live.menu.slice(0, question.options.length);
  const added = live.menu.slice(question.options.length);
  if (own.length !== question.options.length || !added.every(isAdded)) return null;
  const isSame = question.options.every(
    ({ label }, at) => wordsOf(label) === wordsOf(own[at]?.label ?? ""),
  );
  return isSame ? own.map(({ key }) => key) : null;
}

function isAdded(option: LivePrompt["menu"][number]): boolean {
  return option.freeform || ADDED.test(wordsOf(option.label));
}

/** Within this time after a dialog has gone, the log tells how its question ended. */
const LOG_SECONDS = 5;

/** Compares open requests of the logs with the prompts of their panes, after each pass. */
export class Verifier {
  readonly #store: AgentStore;
  readonly #alerts: Pick<AgentAlerts, "noteDecision">;
  /** Decision id -> monotonic seconds since when its pane has shown no prompt. */
  readonly #goneSince = new Map<string, number>();

  constructor(store: AgentStore, alerts: Pick<AgentAlerts, "noteDecision">) {
    this.#store = store;
    this.#alerts = alerts;
  }

  /** @param at monotonic seconds */
  check(bound: ReturnType<Binder["bound"]>, at: number): void {
    const store = this.#store;
    for (const { agentId, pane } of bound)
      for (const known of store.decisions.live(agentId)) {
        const decision = store.write(() => this.#weigh(known, pane.state, at));
        if (decision && known.decision.status === "unverified")
          this.#alerts.noteDecision(decision, pane.id);
      }
  }

  #weigh(known: KnownDecision, state: PaneState, at: number): DecisionItem | null {
    const store = this.#store;
    const { decision } = known;
    const evidence = verify(known, state);
    const session = store.sessions.get(decision.agent_id);
    if (!evidence || !session) {
      this.#miss(decision, state.status, at);
      return null;
    }
    this.#goneSince.delete(decision.id);
    if (decision.status !== "unverified" && decision.status !== "pending") return null;
    const status = "pending" as const;
    const patch = { ...evidence, status, binding_revision: session.binding_revision };
    if (Bun.deepEquals({ ...decision, ...patch }, decision)) return null;
    return store.decisions.change(decision.id, ["unverified", "pending"], patch, store.now);
  }

  // The screen shows that a request has ended; for a moment the log may still tell how.
  #miss(decision: DecisionItem, status: string, at: number): void {
    if (decision.status === "unverified" || status === "needs_input") return;
    const since = this.#goneSince.get(decision.id) ?? at;
    this.#goneSince.set(decision.id, since);
    if (at - since < LOG_SECONDS) return;
    const store = this.#store;
    const from = ["pending", "submitting", "unknown"] as const;
    store.decisions.change(decision.id, from, { status: "resolved" }, store.now);
    this.#goneSince.delete(decision.id);
  }
}
