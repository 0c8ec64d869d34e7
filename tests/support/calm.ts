import type { Locator, Page } from "playwright-core";

/** Longer than the shield, so that a steady card takes answers. */
const CALM_MS = 500;
/** Each look makes the page lay itself out. */
const LOOK_MS = CALM_MS / 2;

/**
 * Waits until the page is whole and has stood still for longer than the shield, by the page's own
 * clock: a busy machine may draw long after the test has seen the words. What was to be sent has been
 * sent by then.
 */
export function calm(page: Page): Promise<void> {
  return page.evaluate(
    ({ calmMs, lookMs }) =>
      new Promise<void>((resolve) => {
        const look = () =>
          JSON.stringify([
            location.hash,
            history.state,
            ...[
              ...document.querySelectorAll("main, article, footer, [role=dialog], [role=option]"),
            ].map((element) => {
              const { x, y, width, height } = element.getBoundingClientRect();
              return [x, y, width, height].map(Math.round);
            }),
          ]);
        let seen = look();
        let since = performance.now();
        const frame = () => {
          const now = look();
          const isWhole = document.querySelector("[data-loading]") === null;
          if (now !== seen || !isWhole) since = performance.now();
          seen = now;
          if (performance.now() - since < calmMs) later();
          else resolve();
        };
        const later = () => setTimeout(() => requestAnimationFrame(frame), lookMs);
        later();
      }),
    { calmMs: CALM_MS, lookMs: LOOK_MS },
  );
}

/** As a person taps who has read it: once it is there and the page has stood still. */
export async function tapCalmly(target: Locator): Promise<void> {
  await target.waitFor();
  await calm(target.page());
  await target.tap();
}

export async function clickCalmly(target: Locator): Promise<void> {
  await target.waitFor();
  await calm(target.page());
  await target.click();
}

/** Taps the buttons of these names, one after another. */
export async function taps(page: Page, ...names: readonly (string | RegExp)[]): Promise<void> {
  for (const name of names) await page.getByRole("button", { name, exact: true }).tap();
}
