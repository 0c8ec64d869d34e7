/** Buttons at the foot of a card. */
export type CardAct = "later" | "mark" | "put away";

interface Offer {
  readonly card: string;
  readonly act: CardAct;
  readonly run: () => void;
}

/** The buttons of the drawn cards, so that a key does exactly what its button does. */
export class CardOffers {
  readonly #offers = new Set<Offer>();

  /** Until the result is called. */
  offer(offer: Offer): () => void {
    this.#offers.add(offer);
    return () => void this.#offers.delete(offer);
  }

  /** The last drawn button; null where there is none, or it is disabled. */
  find(card: string, act: CardAct): (() => void) | null {
    return [...this.#offers].findLast((one) => one.card === card && one.act === act)?.run ?? null;
  }
}
