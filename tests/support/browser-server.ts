import { chromium } from "playwright-core";
import { LIGHT_ARGS, LIGHT_CHROMIUM } from "./browser.ts";
import { cpuSecondsBelow } from "./cpu-seconds.ts";
import type { Prepared } from "./suite.ts";

/** One browser for a whole run: each file of tests connects to it instead of starting its own. */
export async function openBrowserServer(): Promise<Prepared> {
  const server = await chromium.launchServer({
    executablePath: LIGHT_CHROMIUM,
    args: LIGHT_ARGS,
    host: "127.0.0.1",
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  });
  return {
    env: { PANEWATCH_TEST_BROWSER: server.wsEndpoint() },
    cpuSeconds: () => cpuSecondsBelow(server.process().pid ?? 0),
    close: () => server.close(),
  };
}
