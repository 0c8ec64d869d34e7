import type { Page } from "playwright-core";
import { type PageOptions, PHONE, type Viewport } from "./browser.ts";
import type { FixtureServer } from "./fixture-server.ts";
import type { PageLab } from "./page-lab.ts";

export interface FixturePage {
  readonly server: FixtureServer;
  readonly page: Page;
}

export const DESK: Viewport = { width: 1440, height: 900 };

/**
 * The page on the fleet of the design, once it is live or shows a terminal, and keys are no longer
 * waiting for its later part; `prepare` runs before it.
 */
export async function openFixture(
  lab: PageLab,
  options: {
    viewport?: Viewport;
    page?: PageOptions;
    hash?: string;
    server?: FixtureServer;
    prepare?: (server: FixtureServer) => void;
  } = {},
): Promise<FixturePage> {
  const server = options.server ?? lab.server();
  options.prepare?.(server);
  const { page } = await lab.page(options.viewport ?? PHONE, options.page);
  await page.goto(`${server.url}${options.hash ?? ""}`);
  // On a phone an open pane has no room for the word "Live".
  const isLive = page.getByText("Live", { exact: true }).or(page.locator("[data-terminal]"));
  await isLive.first().waitFor();
  await page.locator("[data-loading]").first().waitFor({ state: "detached" });
  return { server, page };
}
