import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";

const SOURCE = await Bun.file(fileURLToPath(import.meta.resolve("axe-core/axe.min.js"))).text();

interface AxeResult {
  violations: { id: string; nodes: { target: unknown[]; failureSummary?: string }[] }[];
}

/** Violations of accessibility rules, one line each; only the named rules where some are named. */
export async function violations(page: Page, rules: readonly string[] = []): Promise<string[]> {
  // Not a script of the page: its policy would not let it run.
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(SOURCE);
  const found = await page.evaluate(async (only) => {
    const axe = Reflect.get(window, "axe") as {
      run(where: Document, options: object): Promise<AxeResult>;
    };
    const runOnly = only.length > 0 ? { runOnly: { type: "rule", values: only } } : {};
    // Of the rest only the result would be large.
    const result = await axe.run(document, { resultTypes: ["violations"], ...runOnly });
    return result.violations;
  }, rules);
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary = "" }) => {
      const why = failureSummary.split("\n").slice(1, 2).join(" ").trim();
      return `${id}: ${target.join(" ")} (${why})`;
    }),
  );
}

/** In both themes: the other one changes colours alone. */
export async function violationsInBoth(page: Page): Promise<string[]> {
  await page.emulateMedia({ colorScheme: "light" });
  const found = await violations(page);
  await page.emulateMedia({ colorScheme: "dark" });
  const inDark = await violations(page, ["color-contrast"]);
  return [...found, ...inDark.map((text) => `dark: ${text}`)];
}
