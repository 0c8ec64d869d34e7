import { loadavg } from "node:os";
import type { CDPSession, Page } from "playwright-core";
import { BrowserLab, PHONE } from "../support/browser.ts";
import { FixtureServer } from "../support/fixture-server.ts";
import { markdownTable } from "./figures.ts";

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

/** One screen of a phone, drawn and at rest when `run` begins; `prepare` runs before it is asked for. */
export async function onPhone(
  lab: BrowserLab,
  hash: string,
  panes: FixtureServer["panes"],
  run: (phone: Phone) => Promise<void>,
  prepare: (server: FixtureServer) => void = () => {},
): Promise<void> {
  const server = new FixtureServer(lab.folder, NEVER_MS);
  server.panes = panes;
  prepare(server);
  const { page, context, errors } = await lab.page(PHONE);
  const devtools = await context.newCDPSession(page);
  await slowDown(devtools);
  // Silence would make the page ask over REST.
  const beat = setInterval(() => server.pass(), 2000);
  try {
    await page.goto(`${server.url}${hash}`);
    await page.locator("[data-pane], [data-terminal], .row, article").first().waitFor();
    await page.waitForTimeout(1000);
    await run({ page, server, devtools });
    if (errors.length > 0) throw new Error(errors.join("; "));
  } finally {
    clearInterval(beat);
    await context.close();
    await server.stop();
  }
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

export function print(head: readonly string[], rows: readonly (readonly string[])[]): void {
  process.stdout.write(`${markdownTable(head, rows)}\n`);
}
