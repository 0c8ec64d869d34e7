import type { Page } from "playwright-core";

/**
 * Does what the page answers with words that stand for two seconds, or five, and waits for them in
 * the page itself: a busy machine may look from outside not once meanwhile.
 */
export async function tellsInPassing(page: Page, words: string, act: () => Promise<unknown>) {
  // A page that is being loaded has no body yet.
  const isTold = (text: string) => document.querySelector("body")?.innerText.includes(text);
  await Promise.all([page.waitForFunction(isTold, words), act()]);
}
