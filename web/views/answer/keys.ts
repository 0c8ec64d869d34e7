import { giveFocus } from "../../ui/focus.ts";

/** Leads to own words. */
export const REPLY_KEY = "r";
export const isLetter = (key: string): boolean => /^\p{L}$/u.test(key);

/** What stood in the place of the answers of a pane goes: the focus stays in that place. */
export function focusAnswers(paneId: string): void {
  const answers = `[data-options="${CSS.escape(paneId)}"]`;
  requestAnimationFrame(() => giveFocus(document.querySelector<HTMLElement>(answers)));
}
