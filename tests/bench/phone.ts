import { loadavg } from "node:os";
import type { CDPSession, Page } from "playwright-core";
import { BrowserLab, PHONE } from "../support/browser.ts";
import { FixtureServer } from "../support/fixture-server.ts";

/** How much slower a phone is than the machine that this runs on. */
const SLOWDOWN = 4;
/** Between two snapshots, as the server sends them. */
export const PASS_MS = 700;
/** A server that publishes only when it is told to. */
const NEVER_MS = 2 ** 30;

export interface Phone {
  page: Page;
  server: FixtureServer;
  devtools: CDPSession;
}

/** Chromium with a slowed processor for as long as `run` takes. */
export async function withPhones(run: (lab: BrowserLab) => Promise<void>): Promise<void> {
  const load = (loadavg()[0] ?? 0).toFixed(1);
  process.stdout.write(`Processor slowed ${SLOWDOWN} times; load of this machine: ${load}\n\n`);
  const lab = await BrowserLab.open();
  try {
    await run(lab);
  } finally {
    await lab.close();
  }
}

export async function slowDown(devtools: CDPSession): Promise<void> {
  await devtools.send("Performance.enable", { timeDomain: "threadTicks" });
  await devtools.send("Emulation.setCPUThrottlingRate", { rate: SLOWDOWN });
}

/** A new page of a phone on a server with these panes; an error of the page fails the bench. */
export async function withPage<T>(
  lab: BrowserLab,
  panes: FixtureServer["panes"],
  run: (phone: Phone) => Promise<T>,
  passMs?: number,
): Promise<T> {
  const server = new FixtureServer(lab.folder, passMs);
  server.panes = panes;
  const { page, context, errors } = await lab.page(PHONE);
  try {
    const result = await run({ page, server, devtools: await context.newCDPSession(page) });
    if (errors.length > 0) throw new Error(errors.join("; "));
    return result;
  } finally {
    await context.close();
    await server.stop();
  }
}

/** One screen of a slow phone, drawn and at rest when `run` begins. */
export function onPhone(
  lab: BrowserLab,
  hash: string,
  panes: FixtureServer["panes"],
  run: (phone: Phone) => Promise<void>,
): Promise<void> {
  const settled = async (phone: Phone) => {
    const { page, server, devtools } = phone;
    await slowDown(devtools);
    // Silence would make the page ask over REST.
    const beat = setInterval(() => server.pass(), 2000);
    try {
      await page.goto(`${server.url}${hash}`);
      await page.locator("[data-pane], [data-terminal], .row, article").first().waitFor();
      await page.waitForTimeout(1000);
      await run(phone);
    } finally {
      clearInterval(beat);
    }
  };
  return withPage(lab, panes, settled, NEVER_MS);
}

/** Milliseconds of work so far on the page's main thread, by its own clock. */
export interface Costs {
  readonly script: number;
  readonly render: number;
}

export async function costs(devtools: CDPSession): Promise<Costs> {
  const { metrics } = await devtools.send("Performance.getMetrics");
  const of = (name: string) => (metrics.find((metric) => metric.name === name)?.value ?? 0) * 1000;
  return { script: of("ScriptDuration"), render: of("LayoutDuration") + of("RecalcStyleDuration") };
}

/** What happened between two readings. */
export const between = (before: Costs, after: Costs): Costs => ({
  script: after.script - before.script,
  render: after.render - before.render,
});
