import { chromium } from "playwright-core";
import { ARGS, LIGHT_CHROMIUM } from "./browser.ts";

/** One browser for a whole run: each file of tests connects to it instead of starting its own. */
export async function openBrowserServer() {
  const server = await chromium.launchServer({
    executablePath: LIGHT_CHROMIUM,
    args: ARGS,
    host: "127.0.0.1",
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  });
  return {
    env: { PANEWATCH_TEST_BROWSER: server.wsEndpoint() },
    close: () => server.close(),
  };
}
