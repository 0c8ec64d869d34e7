import type { Page } from "playwright-core";

/** Longer than the shield, so that a steady card takes answers. */
const CALM_MS = 500;

/**
 * Until the screen has stood still for longer than the shield, by the page's own time: on a busy
 * machine the page may draw long after the test has seen its words. What was to be sent before has
 * been sent by then.
 */
export function calm(page: Page): Promise<void> {
  return page.evaluate(
    (calmMs) =>
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
          if (now !== seen) since = performance.now();
          seen = now;
          if (performance.now() - since < calmMs) requestAnimationFrame(frame);
          else resolve();
        };
        requestAnimationFrame(frame);
      }),
    CALM_MS,
  );
}
