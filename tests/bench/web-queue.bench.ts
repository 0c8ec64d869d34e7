// Queues of 30 and of 12 cards: what opening them costs a slow phone, what moves while one comes up, and
// when it is live over a slow link. A minute.
import { busyFleet } from "../support/busy-fleet.ts";
import { fixturePane, fixturePanes, option } from "../support/fixture-panes.ts";
import { Relay } from "../support/relay.ts";
import { ms, percentile, printTable } from "./figures.ts";
import { between, costs, onPhone, type Phone, withPage, withPhones } from "./phone.ts";
import { tasksDuring } from "./tasks.ts";

const CARDS = 30;
const FEW_CARDS = 12;
const DRAWN_MS = 1500;
const STARTS = 5;
const LINK = { bitsPerSecond: 400_000, delayMs: 120 };
const LINK_PANES = 60;

const asking = Array.from({ length: CARDS }, (_, i) =>
  fixturePane({
    number: 200 + i,
    session: `s${i % 6}`,
    window: `w${i}`,
    name: `agent ${i}`,
    kind: "agent_a",
    agent: { id: "agent_a", label: "Claude Code" },
    status: "needs_input",
    ago: 60 + i,
    evidence: [
      "Bash command",
      `bun test src/module-${i}/part.test.ts`,
      "Runs the tests of one part",
    ],
    question: "Do you want to proceed?",
    menu: [
      option("1", "Yes", { selected: true }),
      option("2", "Yes, and don't ask again this session"),
      option("3", "No, and tell it what to do differently", { freeform: true }),
    ],
    lines: Array.from({ length: 40 }, (_, row) => `line ${row} of agent ${i}`),
  }),
);

await withPhones(async (lab) => {
  const rows: string[][] = [];
  for (const cards of [CARDS, FEW_CARDS])
    await onPhone(lab, "#/all", asking.slice(0, cards), async ({ page, devtools }) => {
      const show = async (place: string) => {
        // Through a page of the test's tool this would run a script of its own first.
        await devtools.send("Runtime.evaluate", { expression: `location.hash = "${place}"` });
        await page.waitForTimeout(DRAWN_MS);
      };
      for (const name of ["first", "again", "a third time"]) {
        const before = await costs(devtools);
        const tasks = await tasksDuring(devtools, () => show("#/queue"));
        const { script, render } = between(before, await costs(devtools));
        rows.push([`${cards} cards, ${name}`, ms(script), ms(render), ms(Math.max(0, ...tasks))]);
        await show("#/all");
      }
    });
  printTable(["opened", "script", "style and layout", "longest task"], rows);

  const shifts: number[] = [];
  for (let start = 0; start < STARTS; start++)
    shifts.push(await withPage(lab, fixturePanes(), shiftOfStart));
  const live: number[] = [];
  for (let start = 0; start < STARTS; start++)
    live.push(await withPage(lab, busyFleet(LINK_PANES, 200), liveAfter));
  printTable(
    ["", `median of ${STARTS}`, "worst"],
    [
      ["layout shift of a cold start (CLS)", ...both(shifts, (value) => value.toFixed(4))],
      [
        `${LINK_PANES} panes live over ${LINK.bitsPerSecond / 1000} kbit/s, ${2 * LINK.delayMs} ms`,
        ...both(live, (value) => `${(value / 1000).toFixed(2)} s`),
      ],
    ],
  );
});

function both(values: readonly number[], text: (value: number) => string): string[] {
  return [percentile(values, 50), Math.max(...values)].map(text);
}

/** The sum of what moved by itself in the first seconds, with the agent workspace on. */
async function shiftOfStart({ page, server }: Phone): Promise<number> {
  server.switchWorkspace(true);
  await page.goto(`${server.url}#/queue`);
  await page.locator("[role=option]").first().waitFor();
  await page.waitForTimeout(DRAWN_MS);
  return page.evaluate(sumOfShifts);
}

function sumOfShifts(): Promise<number> {
  return new Promise((resolve) => {
    new PerformanceObserver((list) => {
      const shifts = list.getEntries().map((entry) => (entry as { value?: number }).value ?? 0);
      resolve(shifts.reduce((sum, value) => sum + value, 0));
    }).observe({ type: "layout-shift", buffered: true });
    // Nothing moved: nothing is told.
    setTimeout(() => resolve(0), 200);
  });
}

/** Milliseconds from the address to "Live". */
async function liveAfter({ page, server }: Phone): Promise<number> {
  const link = await Relay.to(Number(new URL(server.url).port), LINK);
  const startedAt = performance.now();
  await page.goto(link.url, { waitUntil: "commit" });
  await page.locator(".connection", { hasText: "Live" }).waitFor();
  const took = performance.now() - startedAt;
  await page.close();
  await link.stop();
  return took;
}
