// The first load of the page, with the agent workspace off and on in turns: what travels, when an
// answer can be tapped, and what it costs. A minute.
import { fixturePanes } from "../support/fixture-panes.ts";
import { ms, percentile, printTable } from "./figures.ts";
import { costs, type Phone, slowDown, withPage, withPhones } from "./phone.ts";

const LOADS = 9;
const SETTLED_MS = 3000;

/** What one load took; bytes as received. */
interface Load {
  /** Page, scripts and style that an answer waits for. */
  shellBytes: number;
  /** Those that come once the first panes are there. */
  laterBytes: number;
  allBytes: number;
  interactiveMs: number;
  scriptMs: number;
  busyMs: number;
}

await withPhones(async (lab) => {
  const loads = { off: [] as Load[], on: [] as Load[] };
  for (let i = 0; i < LOADS; i++)
    for (const workspace of ["off", "on"] as const)
      loads[workspace].push(
        await withPage(lab, fixturePanes(), (phone) => load(phone, workspace === "on")),
      );
  const row = (name: string, text: (of: (pick: (load: Load) => number) => number) => string) => [
    name,
    ...[loads.off, loads.on].map((found) => text((pick) => percentile(found.map(pick), 50))),
  ];
  const kb = (bytes: number) => `${(bytes / 1000).toFixed(1)} KB`;
  printTable(
    ["First load, median", "workspace off", "workspace on"],
    [
      row("page, script and style until something can be answered", (of) =>
        kb(of((one) => one.shellBytes)),
      ),
      row("views that come after it", (of) => kb(of((one) => one.laterBytes))),
      row("with icons, configuration and a plain first state", (of) =>
        kb(of((one) => one.allBytes)),
      ),
      row("answers can be tapped after", (of) => ms(of((one) => one.interactiveMs))),
      row("script in the first seconds", (of) => ms(of((one) => one.scriptMs))),
      row("main thread busy in the first seconds", (of) => ms(of((one) => one.busyMs))),
    ],
  );
});

async function load({ page, server, devtools }: Phone, hasWorkspace: boolean): Promise<Load> {
  server.switchWorkspace(hasWorkspace);
  await devtools.send("Network.enable");
  await slowDown(devtools);
  const shell = new Set<string>();
  const later = new Set<string>();
  const found: Load = {
    ...{ shellBytes: 0, laterBytes: 0, allBytes: 0 },
    ...{ interactiveMs: 0, scriptMs: 0, busyMs: 0 },
  };
  const first = await firstNames(server.url);
  devtools.on("Network.responseReceived", ({ requestId, type, response }) => {
    if (!["Document", "Script", "Stylesheet"].includes(type)) return;
    (first.has(new URL(response.url).pathname) ? shell : later).add(requestId);
  });
  devtools.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    found.allBytes += encodedDataLength;
    if (shell.has(requestId)) found.shellBytes += encodedDataLength;
    if (later.has(requestId)) found.laterBytes += encodedDataLength;
  });
  await page.addInitScript(markFirstAnswer);
  await page.goto(`${server.url}#/queue`, { waitUntil: "commit" });
  // Looking for an element would run a large script inside the page while it starts.
  await page.waitForTimeout(SETTLED_MS);
  found.scriptMs = (await costs(devtools)).script;
  const { metrics } = await devtools.send("Performance.getMetrics");
  found.busyMs = (metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0) * 1000;
  found.interactiveMs = await page.evaluate(interactiveAt);
  return found;
}

/** Paths of the page and of what it names: no part of it starts without them. */
async function firstNames(url: string): Promise<ReadonlySet<string>> {
  const page = await (await fetch(url)).text();
  const named = [...page.matchAll(/(?:src|href)="(\/[^"]+\.(?:js|css))"/g)];
  return new Set(["/", ...named.map(([, path = ""]) => path)]);
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
