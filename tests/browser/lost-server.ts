import type { Page } from "playwright-core";
import type { FixtureServer } from "../support/fixture-server.ts";

/** The server is gone, and the page, whose clock is a test's, has noticed. */
export async function loseServer(page: Page, server: FixtureServer): Promise<void> {
  server.isUnreachable = true;
  server.closeSockets();
  // The grace before Offline is said, without waiting for it.
  for (let i = 0; i < 4; i++) {
    await page.clock.fastForward(4000);
    await page.waitForTimeout(50);
  }
}
