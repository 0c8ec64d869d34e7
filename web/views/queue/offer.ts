import { useLayoutEffect, useRef } from "preact/hooks";
import { SHIELD_MS } from "../../model/guard.ts";
import { useBrowser, usePart } from "../../state/client.ts";
import { giveFocus } from "../../ui/focus.ts";

/** A press right after what is under the finger has changed was meant for what stood there before. */
export function useShielded() {
  const { touch } = useBrowser();
  return (run: () => void) => (): void => {
    if (performance.now() - touch.shieldedAt >= SHIELD_MS) run();
  };
}

/** Lets a key do what the button of a card does; null while it can do nothing. */
export function useOffer(card: string, act: CardAct, run: (() => void) | null): void {
  const offers = usePart(CardOffers);
  const now = useRef(run);
  now.current = run;
  const isOn = run !== null;
  useLayoutEffect(
    () => (isOn ? offers.offer({ card, act, run: () => now.current?.() }) : undefined),
    [offers, card, act, isOn],
  );
}

/** Leads whoever is at this card to the one below it. */
export function nextBelow(card: string): () => void {
  const article = document.querySelector<HTMLElement>(`article[data-card="${CSS.escape(card)}"]`);
  const titles = [...document.querySelectorAll<HTMLElement>("article .card-title")];
  const own = titles.findIndex((title) => article?.contains(title));
  return () => giveFocus(own < 0 ? null : titles[own + 1], article);
}

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
