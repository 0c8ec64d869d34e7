// What the page costs on a phone: Chromium with its processor slowed four times.
//
//   bun tests/bench/web.bench.ts            about two minutes
//   bun tests/bench/web.bench.ts --full     heap over ten minutes instead of one
import { loadavg } from "node:os";
import type { CDPSession, Page } from "playwright-core";
import { BrowserLab, PHONE } from "../support/browser.ts";
import { busyFleet, nextPass } from "../support/busy-fleet.ts";
import { fixturePanes } from "../support/fixture-panes.ts";
import { FixtureServer } from "../support/fixture-server.ts";
import { markdownTable, percentile } from "./figures.ts";

const SLOWDOWN = 4;
const PASSES = 40;
const WARM_UP_PASSES = 8;
const PASS_MS = 700;
const LONG_TASK_MS = 50;
const isFull = process.argv.includes("--full");
const HEAP_SECONDS = isFull ? 600 : 60;
/** A server that publishes only when it is told to. */
const NEVER_MS = 2 ** 30;

interface Costs {
  script: number;
  render: number;
}

interface Phone {
  page: Page;
  server: FixtureServer;
  devtools: CDPSession;
}

const ms = (value: number) => `${value.toFixed(1)} ms`;
process.stdout.write(
  `Processor slowed ${SLOWDOWN} times; load of this machine before: ${(loadavg()[0] ?? 0).toFixed(1)}\n\n`,
);
const lab = await BrowserLab.open();
try {
  await measureSnapshots();
  await measureTerminal();
  await measureScrolling();
  await measureFirstLoad();
  await measureHeap();
} finally {
  await lab.close();
}

async function onPhone(
  hash: string,
  prepare: (server: FixtureServer) => void,
  run: (phone: Phone) => Promise<void>,
): Promise<void> {
  const server = new FixtureServer(lab.folder, NEVER_MS);
  prepare(server);
  const { page, context, errors } = await lab.page(PHONE);
  const devtools = await context.newCDPSession(page);
  await devtools.send("Performance.enable", { timeDomain: "threadTicks" });
  await devtools.send("Emulation.setCPUThrottlingRate", { rate: SLOWDOWN });
  // Silence would make the page ask over REST.
  const beat = setInterval(() => server.pass(), 2000);
  try {
    await page.goto(`${server.url}${hash}`);
    await page.locator("[data-pane], [data-terminal], .row").first().waitFor();
    await page.waitForTimeout(1000);
    await run({ page, server, devtools });
    if (errors.length > 0) throw new Error(errors.join("; "));
  } finally {
    clearInterval(beat);
    await context.close();
    await server.stop();
  }
}

async function costs(devtools: CDPSession): Promise<Costs> {
  const { metrics } = await devtools.send("Performance.getMetrics");
  const of = (name: string) => (metrics.find((metric) => metric.name === name)?.value ?? 0) * 1000;
  return { script: of("ScriptDuration"), render: of("LayoutDuration") + of("RecalcStyleDuration") };
}

/** What each of the passes cost, one after another, without what the page costs when nothing comes. */
async function costOfPasses(phone: Phone, change: (pass: number) => void): Promise<Costs[]> {
  const { page, server, devtools } = phone;
  const found: Costs[] = [];
  for (let pass = 0; pass < PASSES + WARM_UP_PASSES; pass++) {
    const before = await costs(devtools);
    change(pass);
    server.pass();
    await page.waitForTimeout(PASS_MS);
    const after = await costs(devtools);
    if (pass < WARM_UP_PASSES) continue;
    found.push({ script: after.script - before.script, render: after.render - before.render });
  }
  return found;
}

function row(name: string, found: readonly Costs[]): string[] {
  const script = found.map((cost) => cost.script);
  const all = found.map((cost) => cost.script + cost.render);
  return [name, ms(percentile(script, 50)), ms(percentile(script, 95)), ms(percentile(all, 50))];
}

async function measureSnapshots(): Promise<void> {
  const rows: string[][] = [];
  for (const [screen, hash] of [
    ["queue", "#/queue"],
    ["all panes", "#/all"],
    ["one pane", "#/pane/%25100"],
  ] as const)
    for (const busy of [10, 97]) {
      const prepare = (server: FixtureServer) => {
        server.panes = busyFleet(100, 200);
      };
      await onPhone(hash, prepare, async (phone) => {
        const found = await costOfPasses(phone, (pass) => {
          phone.server.panes = nextPass(phone.server.panes, pass, busy);
        });
        rows.push(row(`${screen}, ${busy} of 100 panes print`, found));
      });
    }
  print("One snapshot of 100 panes x 200 lines", rows);
}

async function measureTerminal(): Promise<void> {
  const rows: string[][] = [];
  for (const added of [1, 20, 200]) {
    const prepare = (server: FixtureServer) => {
      server.panes = busyFleet(4, 2000);
    };
    await onPhone("#/pane/%25100", prepare, async (phone) => {
      const found = await costOfPasses(phone, (pass) => {
        phone.server.panes = nextPass(phone.server.panes, pass, 1, added);
      });
      rows.push(row(`${added} new lines`, found));
    });
  }
  print("One update of a terminal with 2000 lines", rows);
}

function print(title: string, rows: readonly (readonly string[])[]): void {
  const head = [title, "script, median", "script, 95 %", "with style and layout, median"];
  process.stdout.write(`${markdownTable(head, rows)}\n`);
}

async function measureScrolling(): Promise<void> {
  const rows: string[][] = [];
  for (const [name, hash, area] of [
    ["all panes", "#/all", "main.scroll"],
    ["queue", "#/queue", "main.scroll"],
    ["terminal of 2000 lines", "#/pane/%25100", "[data-terminal]"],
  ] as const) {
    const prepare = (server: FixtureServer) => {
      server.panes = busyFleet(
        name.startsWith("terminal") ? 4 : 100,
        name.startsWith("t") ? 2000 : 200,
      );
    };
    await onPhone(hash, prepare, async ({ page, server }) => {
      await page.evaluate(() => {
        const longest: number[] = [];
        Object.assign(window, { longest });
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) longest.push(entry.duration);
        }).observe({ type: "longtask" });
      });
      const box = await page.locator(area).first().boundingBox();
      await page.mouse.move((box?.x ?? 0) + 100, (box?.y ?? 0) + 200);
      for (let i = 0; i < 60; i++) {
        if (i % 5 === 0) {
          server.panes = nextPass(server.panes, i, 10);
          server.pass();
        }
        await page.mouse.wheel(0, i < 30 ? -400 : 400);
        await page.waitForTimeout(100);
      }
      const tasks = await page.evaluate(() => Reflect.get(window, "longest") as number[]);
      const longest = tasks.length === 0 ? "none" : ms(Math.max(...tasks));
      rows.push([name, String(tasks.length), longest]);
    });
  }
  const head = ["Scrolling while output comes", `tasks over ${LONG_TASK_MS} ms`, "longest"];
  process.stdout.write(`${markdownTable(head, rows)}\n`);
}

async function measureFirstLoad(): Promise<void> {
  const server = new FixtureServer(lab.folder);
  server.panes = fixturePanes();
  const times: number[] = [];
  let shellBytes = 0;
  let allBytes = 0;
  const busy: number[] = [];
  for (let i = 0; i < 5; i++) {
    const { page, context } = await lab.page(PHONE);
    const devtools = await context.newCDPSession(page);
    await devtools.send("Network.enable");
    await devtools.send("Performance.enable", { timeDomain: "threadTicks" });
    await devtools.send("Emulation.setCPUThrottlingRate", { rate: SLOWDOWN });
    const shell = new Set<string>();
    shellBytes = allBytes = 0;
    devtools.on("Network.responseReceived", ({ requestId, type }) => {
      if (["Document", "Script", "Stylesheet"].includes(type)) shell.add(requestId);
    });
    devtools.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
      allBytes += encodedDataLength;
      if (shell.has(requestId)) shellBytes += encodedDataLength;
    });
    await page.addInitScript(markFirstAnswer);
    await page.goto(`${server.url}#/queue`);
    await page.locator("[role=option]").first().waitFor();
    await page.waitForTimeout(1000);
    times.push(await page.evaluate(interactiveAt));
    const { metrics } = await devtools.send("Performance.getMetrics");
    busy.push((metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0) * 1000);
    await context.close();
  }
  await server.stop();
  const rows = [
    ["page, script and style, as received", `${(shellBytes / 1000).toFixed(1)} KB`],
    ["with icons, configuration and a plain first state", `${(allBytes / 1000).toFixed(1)} KB`],
    ["answers can be tapped after", ms(percentile(times, 50))],
    ["main thread busy in the first seconds", ms(percentile(busy, 50))],
  ];
  process.stdout.write(`${markdownTable(["First load", ""], rows)}\n`);
}

/** Runs before the page: notes when the first answer can be tapped. */
function markFirstAnswer(): void {
  const observer = new MutationObserver(() => {
    const option = document.querySelector("[role=option]:not([aria-disabled=true])");
    if (option === null) return;
    observer.disconnect();
    // Two frames later it has been painted, and the work of its task is done.
    requestAnimationFrame(() => requestAnimationFrame(() => performance.mark("first-answer")));
  });
  observer.observe(document, { subtree: true, childList: true, attributes: true });
}

function interactiveAt(): number {
  return performance.getEntriesByName("first-answer")[0]?.startTime ?? NaN;
}

async function measureHeap(): Promise<void> {
  const prepare = (server: FixtureServer) => {
    server.panes = busyFleet(100, 200);
  };
  await onPhone("#/pane/%25100", prepare, async ({ page, server, devtools }) => {
    let pass = 0;
    const everyMs = isFull ? PASS_MS : 100;
    const runFor = async (seconds: number) => {
      const end = performance.now() + seconds * 1000;
      while (performance.now() < end) {
        server.panes = nextPass(server.panes, ++pass, 97);
        server.pass();
        await page.waitForTimeout(everyMs);
      }
    };
    const usedKb = async () => {
      for (let i = 0; i < 3; i++) await devtools.send("HeapProfiler.collectGarbage");
      return (await devtools.send("Runtime.getHeapUsage")).usedSize / 1024;
    };
    await runFor(isFull ? 60 : 30);
    const before = await usedKb();
    const from = pass;
    await runFor(HEAP_SECONDS / 2);
    const half = await usedKb();
    await runFor(HEAP_SECONDS / 2);
    const after = await usedKb();
    const growth = `${(((after - before) / before) * 100).toFixed(1)} %`;
    const rows = [
      [
        String(pass - from),
        `${before.toFixed(0)} KB`,
        `${half.toFixed(0)} KB`,
        `${after.toFixed(0)} KB`,
        growth,
      ],
    ];
    process.stdout.write(
      markdownTable(["Passes", "heap after warm-up", "half way", "at the end", "growth"], rows),
    );
  });
}
