import type { Page } from "playwright-core";
import { PHONE, type Viewport } from "./browser.ts";
import type { FixtureServer } from "./fixture-server.ts";
import type { PageLab } from "./page-lab.ts";

export interface FixturePage {
  readonly server: FixtureServer;
  readonly page: Page;
}

export const DESK: Viewport = { width: 1440, height: 900 };

/** The page on the fleet of the design, live. `prepare` runs before the page is asked for. */
export async function openFixture(
  lab: PageLab,
  options: {
    viewport?: Viewport;
    server?: FixtureServer;
    prepare?: (server: FixtureServer) => void;
  } = {},
): Promise<FixturePage> {
  const server = options.server ?? lab.server();
  options.prepare?.(server);
  const { page } = await lab.page(options.viewport ?? PHONE);
  await page.goto(server.url);
  await page.getByText("Live", { exact: true }).first().waitFor();
  return { server, page };
}
