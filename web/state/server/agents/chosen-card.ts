import { batch, computed, signal } from "@preact/signals";
import { inPlace, type Card } from "../../../model/review/cards.ts";
import type { Board } from "./board.ts";

export interface ChosenCardDeps {
  readonly board: Pick<Board, "cards">;
  readonly nowMs: () => number;
}

/** The card that stands beside the list where there is room for both; only a person chooses another. */
export class ChosenCard {
  readonly id = signal<string | null>(null);
  /** Monotonic milliseconds when another card came under the finger. */
  readonly swappedAt = signal(-Infinity);
  /** Counts the times that the reader was led on: the focus follows to the heading. */
  readonly led = signal(0);
  readonly card = computed<Card | null>(
    () => this.#cards.value.find(({ agentId }) => agentId === this.id.value) ?? null,
  );
  /** Its place in the list, from 1; 0 while there is none. */
  readonly place = computed(
    () => this.#cards.value.findIndex(({ agentId }) => agentId === this.id.value) + 1,
  );
  readonly #cards = computed(() => inPlace(this.#deps.board.cards.value));
  readonly #deps: ChosenCardDeps;

  constructor(deps: ChosenCardDeps) {
    this.#deps = deps;
  }

  choose(agentId: string): void {
    if (agentId === this.id.peek()) return;
    batch(() => {
      this.id.value = agentId;
      this.swappedAt.value = this.#deps.nowMs();
    });
  }

  /** Where nothing is chosen that stands in the list: the one that stood there `before`, else the first. */
  settle(before: string | null = null): void {
    const cards = this.#cards.value;
    const next = cards.find(({ agentId }) => agentId === before) ?? cards[0];
    if (this.card.value === null && next !== undefined) this.choose(next.agentId);
  }

  /** One on or back; the ends hold. */
  step(by: 1 | -1): void {
    const next = this.#cards.peek()[this.place.peek() - 1 + by];
    if (next !== undefined) this.choose(next.agentId);
  }

  /** On to the next card that `isLeft`; the reader stays with this one when there is none. */
  lead(isLeft: (card: Card) => boolean): void {
    const next = this.#cards.peek().slice(this.place.peek()).find(isLeft);
    batch(() => {
      if (next !== undefined) this.choose(next.agentId);
      this.led.value += 1;
    });
  }

  /** Switched off, or signed out. */
  clear(): void {
    this.id.value = null;
  }
}
