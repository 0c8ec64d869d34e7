import { signal } from "@preact/signals";
import type { SeenAgent, SeenDecision } from "../../../../src/protocol/tolerant-agents.ts";
import { guardOf, isSameGuard } from "../../../model/review/decision.ts";
import {
  nextToSend,
  skipped,
  type Choice,
  type Outcome,
  type Plan,
} from "../../../model/review/plan.ts";
import type { Replies } from "./replies.ts";

/** One answer to send: the decision as it was when its option was chosen. */
export interface PlannedAnswer {
  readonly agent: SeenAgent;
  readonly decision: SeenDecision;
  readonly choice: Choice;
}

export interface Step extends PlannedAnswer {
  /** Null: not yet, or left out because a person stopped. */
  readonly outcome: Outcome | null;
  /** Epoch seconds of its outcome. */
  readonly at: number;
}

export interface Run {
  readonly steps: readonly Step[];
  /** The decision that is being answered. */
  readonly current: string | null;
  readonly isStopping: boolean;
  readonly isOver: boolean;
}

export interface PlanRunDeps {
  readonly replies: Replies;
  /** Epoch seconds. */
  readonly nowSeconds: () => number;
  readonly settled: (decisionId: string, outcome: Outcome) => void;
}

/**
 * Sends planned answers one after another: the next one begins when the one before has its outcome.
 * Each is read again and sent once, as a pressed answer is; nothing is tried again.
 */
export class PlanRun {
  readonly run = signal<Run | null>(null);
  readonly #deps: PlanRunDeps;
  /** Another one was begun, or all of it was cleared. */
  #turn = 0;

  constructor(deps: PlanRunDeps) {
    this.#deps = deps;
  }

  get isUnderWay(): boolean {
    const run = this.run.peek();
    return run !== null && !run.isOver;
  }

  /** Sends what is chosen, in the order given. */
  async start(instance: string, answers: readonly PlannedAnswer[]): Promise<void> {
    if (this.isUnderWay || answers.length === 0) return;
    const turn = ++this.#turn;
    const order = answers.map(({ decision }) => decision);
    const choices = answers.map(({ decision, choice }) => [decision.id, choice] as const);
    const plan: Plan = { instance, choices: Object.fromEntries(choices) };
    const outcomes = new Map<string, Outcome>();
    const settle = (id: string, outcome: Outcome) => {
      outcomes.set(id, outcome);
      this.#settle(id, outcome);
    };
    this.run.value = {
      steps: answers.map((answer) => ({ ...answer, outcome: null, at: 0 })),
      current: null,
      isStopping: false,
      isOver: false,
    };
    while (this.run.peek()?.isStopping === false) {
      const next = nextToSend(plan, order, outcomes);
      const answer = answers.find(({ decision }) => decision.id === next?.id);
      if (answer === undefined) break;
      this.#change({ current: answer.decision.id });
      const outcome = await this.#send(answer);
      if (this.#turn !== turn) return;
      settle(answer.decision.id, outcome);
    }
    for (const { id } of skipped(plan, order, outcomes)) settle(id, "skipped");
    this.#change({ current: null, isOver: true });
  }

  /** The one that is on its way ends as it does; what comes behind it stays in the plan. */
  stop(): void {
    this.#change({ isStopping: true });
  }

  /** Its result has been read. */
  dismiss(): void {
    if (!this.isUnderWay) this.run.value = null;
  }

  /** Signed out, or switched off: nothing more leaves. */
  clear(): void {
    this.#turn += 1;
    this.run.value = null;
  }

  async #send({ agent, decision, choice }: PlannedAnswer): Promise<Outcome> {
    const { replies } = this.#deps;
    const guard = guardOf(decision);
    const place = decision.options.findIndex(({ id }) => id === choice.option_id);
    const option = decision.options[place];
    if (guard === null || option === undefined || !isSameGuard(guard, choice)) return "changed";
    const outcome = await replies.send({
      agent,
      decision,
      optionId: option.id,
      label: `${place + 1} ${option.label}`,
      // No finger is on its card: what it chose was read again just now.
      steadyMs: Infinity,
    });
    return outcome === "not_sent" ? this.#whyNot(agent, decision) : outcome;
  }

  /** Nothing has left. What was chosen is over, or may be sent when the person wants it again. */
  #whyNot(agent: SeenAgent, decision: SeenDecision): Outcome {
    const { replies } = this.#deps;
    const attempt = replies.of(decision.id).peek();
    const latest = replies.latest(decision.id).peek() ?? decision;
    if (attempt?.step === "refused" && attempt.conflict !== "no_connection") return "changed";
    if (attempt?.step !== "changed") return "refused";
    const obstacle = replies.obstacle(agent, latest, true);
    if (obstacle === "over" || obstacle === "submitting") return "gone";
    return obstacle === "uncertain" ? "refused" : "changed";
  }

  #settle(id: string, outcome: Outcome): void {
    const { nowSeconds, settled } = this.#deps;
    const at = nowSeconds();
    const run = this.run.peek();
    if (run !== null)
      this.#change({
        steps: run.steps.map((step) => (step.decision.id === id ? { ...step, outcome, at } : step)),
      });
    settled(id, outcome);
  }

  #change(members: Partial<Run>): void {
    const run = this.run.peek();
    if (run !== null) this.run.value = { ...run, ...members };
  }
}
