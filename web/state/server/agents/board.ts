import { computed, effect, signal, untracked } from "@preact/signals";
import type { SeenGroup, SeenReview } from "../../../../src/protocol/tolerant-agents.ts";
import { drawCards, keepCards, redraw, type Card } from "../../../model/queue/cards.ts";
import type { Workspace } from "./workspace.ts";

/** The review as it stands on the screen: drawn when it is entered, and kept in place from then on. */
export class Board {
  readonly cards = signal<readonly Card[]>([]);
  /** Null until they were read. */
  readonly drawn = computed(() => (this.#hasRead.value ? this.cards.value : null));
  readonly #workspace: Workspace;
  readonly #hasRead = signal(false);
  #isDrawn = false;
  #visit = -1;

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
  }

  /**
   * The screen is entered: nothing that was folded away comes back. The same visit in another layout
   * leaves all as it stands.
   */
  enter(visit: number): void {
    if (visit === this.#visit) return;
    this.#visit = visit;
    this.#workspace.marks.clear();
    this.#isDrawn = false;
    this.#take(this.#workspace.review.value.peek());
  }

  /** Follows what the server tells; the result ends it. */
  follow(): () => void {
    return effect(() => {
      const review = this.#workspace.review.value.value;
      untracked(() => this.#take(review));
    });
  }

  /** Shows on one card what has come since it was drawn. */
  show(agentId: string): void {
    this.#workspace.marks.clear(agentId);
    this.cards.value = redraw(this.cards.value, agentId);
  }

  card(agentId: string): Card | null {
    return this.cards.value.find((card) => card.agentId === agentId) ?? null;
  }

  #take(review: SeenReview | null): void {
    if (review === null) return;
    if (!this.#isDrawn) {
      this.#isDrawn = true;
      this.cards.value = drawCards(review, this.cards.peek());
      this.#hasRead.value = true;
      return;
    }
    const isBack = ({ agent_id }: SeenGroup) => this.card(agent_id)?.latest === null;
    for (const { agent_id } of review.groups.filter(isBack)) this.#workspace.marks.clear(agent_id);
    this.cards.value = keepCards(this.cards.value, review, (id) => this.#isKept(id));
  }

  /** What was marked keeps its place as a quiet line; what stands beside the list is being read. */
  #isKept(agentId: string): boolean {
    const { marks } = this.#workspace;
    return this.#workspace.isRead(agentId) || marks.of(agentId).value !== null;
  }
}
