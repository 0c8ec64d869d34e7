import { leadFocus } from "../../ui/focus.ts";
import { REPLY_KEY } from "../answer/freeform.ts";

const ANSWERS = '[data-options]:not([aria-disabled="true"])';
const REPLIES = `.reply textarea, ${ANSWERS}:has([data-freeform])`;

/** Gives a digit to the answers that are on the screen: it arms, Enter sends. */
export const passDigit = (digit: string): boolean => pass(ANSWERS, digit);

/** The same with a letter, where the prompt has an option of that name. */
export function passLetter(letter: string): boolean {
  const option = `[data-key="${CSS.escape(letter)}"]`;
  return firstOnScreen(ANSWERS)?.querySelector(option) != null && pass(ANSWERS, letter);
}

/** Leads to the reply field that is on the screen, or lets the answers open theirs. */
export const passReply = (): boolean => pass(REPLIES, REPLY_KEY);

function pass(selector: string, key: string): boolean {
  const place = firstOnScreen(selector);
  if (place === undefined) return false;
  leadFocus(place, { preventScroll: true });
  place.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  return true;
}

/** That of the card that has the focus, else the first that can be seen. */
function firstOnScreen(selector: string): HTMLElement | undefined {
  const card = document.activeElement?.closest("article");
  const own = card?.querySelector<HTMLElement>(selector);
  const all = own ? [own] : [...document.querySelectorAll<HTMLElement>(selector)];
  return all.find((place) => {
    const box = place.getBoundingClientRect();
    const area = place.closest(".scroll")?.getBoundingClientRect();
    return box.top < (area?.bottom ?? innerHeight) && box.bottom > (area?.top ?? 0);
  });
}
