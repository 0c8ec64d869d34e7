import { computed, signal } from "@preact/signals";
import type { Card } from "../../../model/review/cards.ts";
import {
  beginPass,
  currentOf,
  leftOver,
  markAnswered,
  markReviewed,
  move,
  type Pass,
} from "../../../model/review/pass.ts";
import type { Board } from "./board.ts";

export interface GoingThroughDeps {
  readonly board: Board;
  readonly nowMs: () => number;
}

/** One card after another, in the order of the moment in which a person began. */
export class GoingThrough {
  readonly pass = signal<Pass | null>(null);
  /** Monotonic milliseconds when another card came under the finger. */
  readonly swappedAt = signal(-Infinity);
  readonly card = computed<Card | null>(() => {
    const pass = this.pass.value;
    const id = pass && currentOf(pass);
    return id === null
      ? null
      : (this.#deps.board.cards.value.find((c) => c.agentId === id) ?? null);
  });
  readonly #deps: GoingThroughDeps;

  constructor(deps: GoingThroughDeps) {
    this.#deps = deps;
  }

  begin(): void {
    const { board, nowMs } = this.#deps;
    this.pass.value = beginPass(board.cards.peek(), nowMs());
    this.#swapped();
  }

  end(): void {
    this.pass.value = null;
  }

  step(by: 1 | -1): void {
    const pass = this.pass.peek();
    if (pass === null) return;
    this.pass.value = move(pass, by, (id) => this.#isThere(id));
    this.#swapped();
  }

  reviewed(agentId: string): void {
    const pass = this.pass.peek();
    if (pass !== null) this.pass.value = markReviewed(pass, agentId);
  }

  answered(decisionId: string): void {
    const pass = this.pass.peek();
    if (pass !== null) this.pass.value = markAnswered(pass, decisionId);
  }

  /** Cards that were put off, as they stand now. */
  left(): Card[] {
    const pass = this.pass.value;
    if (pass === null) return [];
    const ids = leftOver(pass, (id) => this.#isThere(id));
    return this.#deps.board.cards.value.filter(({ agentId }) => ids.includes(agentId));
  }

  #isThere(agentId: string): boolean {
    return (this.#deps.board.card(agentId)?.latest ?? null) !== null;
  }

  #swapped(): void {
    this.swappedAt.value = this.#deps.nowMs();
  }
}
