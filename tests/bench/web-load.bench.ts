// The first load of the page: what travels, and when an answer can be tapped. Half a minute.
import { type BrowserLab, PHONE } from "../support/browser.ts";
import { fixturePanes } from "../support/fixture-panes.ts";
import { FixtureServer } from "../support/fixture-server.ts";
import { percentile } from "./figures.ts";
import { ms, print, slowDown, withPhones } from "./phone.ts";

const LOADS = 9;
const SETTLED_MS = 3000;

await withPhones(measure);

async function measure(lab: BrowserLab): Promise<void> {
  const server = new FixtureServer(lab.folder);
  server.panes = fixturePanes();
  const times: number[] = [];
  let shellBytes = 0;
  let allBytes = 0;
  const busy: number[] = [];
  for (let i = 0; i < LOADS; i++) {
    const { page, context } = await lab.page(PHONE);
    const devtools = await context.newCDPSession(page);
    await devtools.send("Network.enable");
    await slowDown(devtools);
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
    await page.goto(`${server.url}#/queue`, { waitUntil: "commit" });
    // Looking for an element would run a large script inside the page while it starts.
    await page.waitForTimeout(SETTLED_MS);
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
  print(["First load", ""], rows);
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
