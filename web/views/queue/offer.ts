import { useLayoutEffect, useRef } from "preact/hooks";
import { SHIELD_MS } from "../../model/guard.ts";
import { useBrowser, usePart } from "../../state/client.ts";
import { CardOffers, type CardAct } from "../../state/server/offers.ts";
import { giveFocus } from "../../ui/focus.ts";

/** A press right after what is under the finger has changed was meant for what stood there before. */
export function useShielded() {
  const { clock, touch } = useBrowser();
  return (run: () => void) => (): void => {
    if (clock.monotonicMs() - touch.shieldedAt >= SHIELD_MS) run();
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
