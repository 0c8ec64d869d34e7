/** What stands at the foot of a card, besides its answers. */
export type CardAct = "later" | "mark" | "put away";

interface Offer {
  /** The key of the card. */
  readonly card: string;
  readonly act: CardAct;
  readonly run: () => void;
}

/** What the buttons of the cards that are drawn do, so that a key does the very same. */
export class CardOffers {
  readonly #offers = new Set<Offer>();

  /** For as long as the button is drawn and can be pressed; the result ends it. */
  offer(offer: Offer): () => void {
    this.#offers.add(offer);
    return () => void this.#offers.delete(offer);
  }

  /** Of the button that was drawn last; null where there is none, or it is off. */
  find(card: string, act: CardAct): (() => void) | null {
    return [...this.#offers].findLast((one) => one.card === card && one.act === act)?.run ?? null;
  }
}
