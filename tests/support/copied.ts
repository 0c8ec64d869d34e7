import type { Page } from "playwright-core";

/**
 * What the page copies from now on, until it is loaded anew: all pages of a browser have one
 * clipboard. The result tells the text that was copied last, null before the first.
 */
export async function watchCopied(page: Page): Promise<() => Promise<string | null>> {
  await page.evaluate(() => {
    const writeText = async (text: string) =>
      document.documentElement.setAttribute("data-copied", text);
    Object.assign(navigator.clipboard, { writeText });
  });
  return () => page.locator("html").getAttribute("data-copied");
}
