import { batch, computed, effect, signal, untracked } from "@preact/signals";
import type {
  SeenAgent,
  SeenDecision,
  SeenReview,
} from "../../../../src/protocol/tolerant-agents.ts";
import { SHIELD_MS } from "../../../model/guard.ts";
import { NO_OWN_WORDS, type OwnWords } from "../../../model/review/own-words.ts";
import { guardOf, isSameGuard, type Obstacle } from "../../../model/review/decision.ts";
import {
  choose,
  emptyPlan,
  leave,
  parsePlan,
  restore,
  type Choice,
  type Lost,
  type Outcome,
  type Plan,
} from "../../../model/review/plan.ts";
import { PLAN_KEY } from "../workspace-switch.ts";
import { PlanRun, type PlannedAnswer } from "./plan-run.ts";
import type { Workspace } from "./workspace.ts";

/** One decision in its place on the screen. */
export interface PlanRow {
  readonly agent: SeenAgent;
  readonly decision: SeenDecision;
  /** The server still has it open. */
  readonly isOpen: boolean;
}

export interface PlannedDeps {
  readonly workspace: Workspace;
  readonly storage: Storage;
  /** Null until the server has said who it is. */
  readonly instance: () => string | null;
  readonly nowMs: () => number;
  /** Epoch seconds. */
  readonly nowSeconds: () => number;
}

/** What became of these leaves nothing to send again: the question was answered, changed, or is in doubt. */
const ENDED: ReadonlySet<Outcome> = new Set(["sent", "changed", "gone", "uncertain"]);

/**
 * Answers that are chosen first and sent later, one after another. The browser keeps ids, revisions
 * and fingerprints of them; whenever the review is read they are held against it.
 */
export class Planned {
  readonly rows = signal<readonly PlanRow[]>([]);
  readonly plan = signal<Plan>(emptyPlan(""));
  /** Choices that no longer stand, by decision. */
  readonly lost = signal<Readonly<Record<string, Lost>>>({});
  /** The plan was made by an earlier page. */
  readonly isRestored = signal(false);
  /** Read again since the plan was opened. */
  readonly isRead = signal(false);
  readonly sending: PlanRun;
  /** What would be sent now, in its order. */
  readonly ready = computed<readonly PlannedAnswer[]>(() =>
    this.rows.value.flatMap(({ agent, decision, isOpen }) => {
      const choice = this.plan.value.choices[decision.id];
      if (choice === undefined || !isOpen || !this.takes(agent, decision)) return [];
      // Not followed from snapshot to snapshot: sending asks again.
      const { ids } = untracked(() => this.ownWords(agent, decision));
      if (ids.includes(choice.option_id)) return [];
      return [{ agent, decision: this.#seen.get(decision.id) ?? decision, choice }];
    }),
  );
  readonly #deps: PlannedDeps;
  /** The decisions as they were when something was chosen, or read again for an earlier page's choice. */
  readonly #seen = new Map<string, SeenDecision>();
  #lostAt = -Infinity;

  constructor(deps: PlannedDeps) {
    this.#deps = deps;
    this.sending = new PlanRun({
      replies: deps.workspace.replies,
      nowSeconds: deps.nowSeconds,
      settled: (id, outcome) => this.#settled(id, outcome),
    });
  }

  /** The screen is opened: all is read again. The result ends following. */
  open(): () => void {
    const { workspace, nowMs } = this.#deps;
    const { review } = workspace;
    if (!this.sending.isUnderWay) this.#load();
    this.isRead.value = false;
    const openedAt = nowMs();
    void review.load();
    const unfollow = effect(() => {
      const read = review.value.value;
      const instance = this.#deps.instance();
      if (read === null || instance === null || review.readAt.value < openedAt) return;
      untracked(() => this.#take(read, instance));
    });
    return () => {
      unfollow();
      // All is read again when it is next opened: what stood here would be drawn for a moment.
      if (!this.sending.isUnderWay) this.rows.value = [];
    };
  }

  choose(decision: SeenDecision, optionId: string | null): void {
    if (this.sending.isUnderWay || !this.isRead.peek()) return;
    const row = this.rows.peek().find((one) => one.decision.id === decision.id);
    const words = row === undefined ? NO_OWN_WORDS : this.ownWords(row.agent, decision);
    if (optionId !== null && words.ids.includes(optionId)) return;
    const { [decision.id]: _, ...lost } = this.lost.peek();
    this.#seen.set(decision.id, decision);
    batch(() => {
      this.lost.value = lost;
      this.#keep(choose(this.plan.peek(), decision, optionId));
    });
  }

  /** Leaves everything open. */
  clear(): void {
    batch(() => {
      this.lost.value = {};
      this.isRestored.value = false;
      this.#keep(emptyPlan(this.plan.peek().instance));
    });
  }

  /** How many of these decisions have an answer that waits to be sent. */
  heldFor(decisionIds: ReadonlySet<string>): number {
    // Kept before the plan is ever opened, and followed once it is.
    void this.plan.value;
    const { choices } = readPlan(this.#deps.storage);
    return Object.keys(choices).filter((id) => decisionIds.has(id)).length;
  }

  /** These decisions are gone for good: the plan holds nothing of them, opened or not. */
  forget(decisionIds: ReadonlySet<string>): void {
    const stored = readPlan(this.#deps.storage);
    const left = leave(stored, decisionIds);
    for (const id of decisionIds) this.#seen.delete(id);
    batch(() => {
      this.rows.value = this.rows.peek().filter(({ decision }) => !decisionIds.has(decision.id));
      if (left === stored) return;
      if (this.plan.peek().instance === stored.instance) this.plan.value = left;
      this.#store(left);
    });
  }

  /** A tap that comes right after a choice fell out was meant for more answers than there are now. */
  async send(): Promise<void> {
    const { nowMs } = this.#deps;
    if (!this.isRead.peek() || nowMs() - this.#lostAt < SHIELD_MS) return;
    this.isRestored.value = false;
    await this.sending.start(this.plan.peek().instance, this.ready.peek());
  }

  /** Null: it can be answered from here. What is shown may be old: sending reads it again. */
  obstacle(agent: SeenAgent, decision: SeenDecision): Obstacle | null {
    return this.#deps.workspace.replies.obstacle(agent, decision, true);
  }

  ownWords(agent: SeenAgent, decision: SeenDecision): OwnWords {
    return this.#deps.workspace.replies.ownWords(agent, decision);
  }

  takes(agent: SeenAgent, decision: SeenDecision): boolean {
    return this.obstacle(agent, decision) === null;
  }

  /** The result was read: what is left can be planned again. */
  dismiss(): void {
    if (this.sending.isUnderWay) return;
    this.sending.dismiss();
    this.rows.value = [];
    const review = this.#deps.workspace.review.value.peek();
    const instance = this.#deps.instance();
    if (review !== null && instance !== null) this.#take(review, instance);
  }

  /** Signed out, or switched off; what is kept outside the page is not touched. */
  stop(): void {
    this.sending.clear();
    this.#seen.clear();
    batch(() => {
      this.rows.value = [];
      this.plan.value = emptyPlan("");
      this.lost.value = {};
      this.isRestored.value = false;
      this.isRead.value = false;
    });
  }

  #load(): void {
    const stored = readPlan(this.#deps.storage);
    const isOwn = Object.keys(stored.choices).every((id) => this.#seen.has(id));
    batch(() => {
      this.plan.value = stored;
      this.lost.value = {};
      this.isRestored.value = !isOwn;
      this.rows.value = [];
    });
  }

  #take(review: SeenReview, instance: string): void {
    this.rows.value = mergeRows(this.rows.peek(), review);
    this.isRead.value = true;
    // While answers leave, each is read again by itself: what became of it is its own outcome.
    if (this.sending.isUnderWay) return;
    const open = this.rows.peek().flatMap((row) => (row.isOpen ? [row.decision] : []));
    const { plan, lost } = restore(this.plan.peek(), instance, open);
    for (const decision of open) this.#meet(decision, plan.choices[decision.id]);
    if (Object.keys(lost).length > 0) this.#lostAt = this.#deps.nowMs();
    for (const [id, why] of Object.entries(lost)) if (why === "gone") void this.#find(id);
    batch(() => {
      this.lost.value = { ...this.lost.peek(), ...lost };
      this.#keep(plan);
    });
  }

  /** A choice that another page or tab made stands for the same question as it was read just now. */
  #meet(decision: SeenDecision, choice: Choice | undefined): void {
    const seen = this.#seen.get(decision.id);
    const guard = seen === undefined ? null : guardOf(seen);
    if (choice === undefined || (guard !== null && isSameGuard(guard, choice))) return;
    this.#seen.set(decision.id, decision);
  }

  /** What was chosen and is not in the review any more is shown with what became of it. */
  async #find(id: string): Promise<void> {
    const { api } = this.#deps.workspace;
    if (this.rows.peek().some(({ decision }) => decision.id === id)) return;
    const decision = await api.decision(id);
    if (!decision.ok) return;
    const agent = await api.agent(decision.value.agent_id, new AbortController().signal);
    if (!agent.ok || this.lost.peek()[id] === undefined) return;
    const row = { agent: agent.value, decision: decision.value, isOpen: false };
    this.rows.value = [...this.rows.peek(), row];
  }

  #settled(id: string, outcome: Outcome): void {
    if (!ENDED.has(outcome)) return;
    const { [id]: _, ...choices } = this.plan.peek().choices;
    this.#seen.delete(id);
    this.#keep({ ...this.plan.peek(), choices });
  }

  #keep(plan: Plan): void {
    this.plan.value = plan;
    this.#store(plan);
  }

  #store(plan: Plan): void {
    const { storage } = this.#deps;
    if (Object.keys(plan.choices).length === 0) storage.removeItem(PLAN_KEY);
    else storage.setItem(PLAN_KEY, JSON.stringify(plan));
  }
}

function readPlan(storage: Storage): Plan {
  try {
    return parsePlan(JSON.parse(storage.getItem(PLAN_KEY) ?? "null")) ?? emptyPlan("");
  } catch {
    return emptyPlan("");
  }
}

/**
 * Every decision keeps its place; what is over stays where it was read, arrivals are appended. A row
 * of which the review says nothing new is the very object that it was.
 */
function mergeRows(rows: readonly PlanRow[], { groups }: SeenReview): readonly PlanRow[] {
  const news = new Map<string, PlanRow>(
    groups.flatMap(({ agent, decisions }) =>
      decisions.map((decision) => [decision.id, { agent, decision, isOpen: true }] as const),
    ),
  );
  const known = new Set(rows.map(({ decision }) => decision.id));
  const kept = rows.map((row) => {
    const next = news.get(row.decision.id) ?? { ...row, isOpen: false };
    const isSame = row.agent === next.agent && row.decision === next.decision;
    return isSame && row.isOpen === next.isOpen ? row : next;
  });
  return [...kept, ...[...news.values()].filter(({ decision }) => !known.has(decision.id))];
}
