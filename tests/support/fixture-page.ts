import type { Page } from "playwright-core";
import { PHONE, type BrowserLab, type Viewport } from "./browser.ts";
import { fixturePanes } from "./fixture-panes.ts";
import { FixtureServer } from "./fixture-server.ts";

export interface FixturePage {
  readonly server: FixtureServer;
  readonly page: Page;
  /** What the page itself reported as wrong. */
  readonly errors: readonly string[];
  close(): Promise<void>;
}

export const DESK: Viewport = { width: 1440, height: 900 };

/** The page on the fleet of the design, live. `prepare` runs before the page is asked for. */
export async function openFixture(
  lab: BrowserLab,
  options: { viewport?: Viewport; prepare?: (server: FixtureServer) => void } = {},
): Promise<FixturePage> {
  const server = new FixtureServer(lab.folder);
  server.panes = fixturePanes();
  options.prepare?.(server);
  const { page, context, errors } = await lab.page(options.viewport ?? PHONE);
  await page.goto(server.url);
  await page.getByText("Live", { exact: true }).first().waitFor();
  return {
    server,
    page,
    errors,
    async close() {
      await context.close();
      await server.stop();
    },
  };
}
