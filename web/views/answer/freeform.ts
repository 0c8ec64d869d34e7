import { useEffect } from "preact/hooks";
import { followPrompt } from "../../model/drafts.ts";
import { signatureOf } from "../../model/guard.ts";
import { asksForWords, type MenuOption, type Pane } from "../../model/pane.ts";
import { useServer } from "../../state/client.ts";
import { giveFocus } from "../../ui/focus.ts";

/** Leads to own words. */
export const REPLY_KEY = "r";
export const isLetter = (key: string): boolean => /^\p{L}$/u.test(key);

/** The freeform option that the reader is answering in words, while its prompt is still the same. */
export function useFreeform(pane: Pane): MenuOption | null {
  const { drafts } = useServer();
  const draft = drafts.of(pane).value;
  const signature = signatureOf(pane);
  const followed = followPrompt(draft, signature);
  useEffect(() => {
    // The prompt is another one: the text stays, as a text for the composer.
    if (followed !== draft) drafts.set(pane, { choice: null });
  }, [followed !== draft]);
  const key = followed.choice?.key;
  return pane.menu.find((option) => asksForWords(pane, option) && option.key === key) ?? null;
}

/** What stood in the place of the answers of a pane goes: the focus stays in that place. */
export function focusAnswers(paneId: string): void {
  const answers = `[data-options="${CSS.escape(paneId)}"]`;
  requestAnimationFrame(() => giveFocus(document.querySelector<HTMLElement>(answers)));
}
