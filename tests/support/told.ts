import type { Page } from "playwright-core";

/**
 * Does what the page answers with words that stand for two seconds, or five. The page itself notes
 * them, also the one that `act` loads: a busy machine may look from outside not once meanwhile.
 */
export async function tellsInPassing(page: Page, words: string, act: () => Promise<unknown>) {
  await page.addInitScript(listen, words);
  await page.evaluate(listen, words);
  await act();
  await page.waitForFunction((told) => Reflect.get(window, told) === true, words);
}

/** Runs in the page. */
function listen(words: string): void {
  Object.assign(window, { [words]: false });
  new MutationObserver((_, observer) => {
    // A page that is being loaded has no body yet.
    if (document.querySelector("body")?.textContent.includes(words) !== true) return;
    observer.disconnect();
    Object.assign(window, { [words]: true });
  }).observe(document, { characterData: true, childList: true, subtree: true });
}
