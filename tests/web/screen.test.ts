import { expect, test } from "bun:test";
import fc from "fast-check";
import { Window } from "happy-dom";
import { ScreenView } from "../../web/views/pane/screen.ts";

/** Output of a program: what was there stays, scrolls or is rewritten near its end. */
const step = fc.record({
  drop: fc.nat(120),
  keep: fc.nat(400),
  added: fc.nat(130),
  footer: fc.nat(12),
});

test("after any changes the rows are the lines, each once, in blocks of at most fifty", () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 12 }), (steps) => {
      const root = new Window().document.createElement("pre");
      const view = new ScreenView(root as unknown as HTMLElement, (style) => style);
      let body: string[] = [];
      let printed = 0;
      for (const { drop, keep, added, footer } of steps) {
        const fresh = Array.from({ length: added }, () => `line ${printed++}`);
        body = [...body.slice(drop, drop + keep), ...fresh];
        const texts = [...body, ...Array.from({ length: footer }, (_, i) => `foot ${i}`)];
        view.show(
          texts.map((text) => ({ text, runs: [] })),
          false,
        );
        const rows = [...root.querySelectorAll(".line")];
        expect(rows.map((row) => row.textContent)).toEqual(texts);
        expect(view.rows.map((row) => row.textContent)).toEqual(texts);
        const sizes = [...root.children].map((block) => block.childElementCount);
        expect(Math.min(1, ...sizes)).toBe(1);
        expect(Math.max(0, ...sizes)).toBeLessThanOrEqual(50);
      }
    }),
    { numRuns: 40 },
  );
});
