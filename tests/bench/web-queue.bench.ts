// What the agent workspace costs the page: opening its screens, and what changes while they stand.
//
//   bun tests/bench/web-queue.bench.ts               about five minutes
//   bun tests/bench/web-queue.bench.ts screens       opening alone; `changes` for the rest
import { busyFleet, nextPass } from "../support/busy-fleet.ts";
import type { FixtureServer } from "../support/fixture-server.ts";
import { manyAgents } from "../support/fixture-work.ts";
import { percentile } from "./figures.ts";
import { between, costs, type Costs, ms, onPhone, type Phone, print, withPhones } from "./phone.ts";

const GROUPS = 30;
const PANES = 100;
const LINES = 200;
/** Pages that are opened anew; each opens every screen twice. */
const PAGES = 5;
/** Longer than the page waits before it reads the cards again. */
const WINDOW_MS = 2500;
const WINDOWS = 8;
/** Longer than the slowed page takes for any of its screens. */
const OPENING_MS = 1500;

/** Samples of one thing, under its name. */
class Figures {
  readonly #found = new Map<string, Costs[]>();

  add(name: string, cost: Costs): void {
    this.#found.set(name, [...(this.#found.get(name) ?? []), cost]);
  }

  rows(): string[][] {
    return [...this.#found].map(([name, found]) => {
      const script = found.map((cost) => cost.script);
      const all = found.map((cost) => cost.script + cost.render);
      const longest = Math.max(...script);
      return [name, ms(percentile(script, 50)), ms(longest), ms(percentile(all, 50))];
    });
  }
}

const HEAD = ["script, median", "script, most", "with style and layout, median"];
const [part = ""] = process.argv.slice(2);

await withPhones(async (lab) => {
  const onQueue = async (hash: string, run: (phone: Phone) => Promise<void>) =>
    onPhone(lab, hash, busyFleet(PANES, LINES), run, prepare);
  if (part !== "changes") {
    const figures = new Figures();
    for (let i = 0; i < PAGES; i++)
      await onQueue("#/active", (phone) => openEverything(phone, figures));
    print([`Opening, ${GROUPS} groups`, ...HEAD], figures.rows());
  }
  if (part !== "screens") {
    const figures = new Figures();
    await onQueue("#/queue", (phone) => changeEverything(phone, figures));
    print([`${WINDOW_MS / 1000} s, ${GROUPS} groups on the screen`, ...HEAD], figures.rows());
  }
});

function prepare(server: FixtureServer): void {
  const working = server.panes.filter(({ status }) => status === "working");
  server.agents.agents = manyAgents(working.slice(0, GROUPS).map(({ id }) => id));
  server.switchWorkspace(true);
}

/** Every screen from the place that leads to it: with its code on the way, and once more. */
async function openEverything(phone: Phone, figures: Figures): Promise<void> {
  const [first, second] = phone.server.agents.agents.map(({ work }) => work.agent.id);
  const open = async (name: string, hash: string, ready: string) => {
    figures.add(name, await costOf(phone, OPENING_MS, `location.hash = "${hash}"`));
    await requireShown(phone, ready);
  };
  await costOf(phone, OPENING_MS, "0");
  for (const turn of ["for the first time", "again"]) {
    figures.add(`nothing, ${turn}`, await costOf(phone, OPENING_MS, "0"));
    await open(`the queue, ${turn}`, "#/queue", "article[data-agent]");
    await open(`going through, ${turn}`, "#/queue/one", "[data-later]");
    const id = turn === "again" ? second : first;
    await open(`an agent's page, ${turn}`, `#/agent/${id}`, ".now-facts");
    await open(`Active, ${turn}`, "#/active", "[data-row]");
  }
}

/** What stands on the screen while the world goes on; nothing, and one change, take turns. */
async function changeEverything(phone: Phone, figures: Figures): Promise<void> {
  const { server } = phone;
  await requireShown(phone, "article[data-agent]");
  const during = async (what: string, change: () => void) => {
    change();
    figures.add(what, await costOf(phone, WINDOW_MS, "0"));
  };
  await costOf(phone, WINDOW_MS, "0");
  for (let turn = 0; turn < WINDOWS; turn++) {
    await during("nothing", () => {});
    await during("one of the groups has changed", () => changeOne(server, turn));
    for (const busy of [10, 90])
      await during(`${busy} of ${PANES} panes print once`, () => {
        server.panes = nextPass(server.panes, turn * PANES + busy, busy);
        server.pass();
      });
  }
}

/** One more thing is done by one of them, as its log tells. */
function changeOne({ agents }: FixtureServer, turn: number): void {
  const { work } = agents.agents[turn % agents.agents.length] ?? {};
  if (!work?.current) return;
  const { id, sequence, at } = work.current;
  const done = { id: `done-${turn}`, title: `Step ${turn}`, completed_at: at };
  work.current = { id: `${id}-${turn}`, sequence: sequence + 1, at: at + 1 };
  work.changes = { ...work.changes, completed: [...(work.changes.completed ?? []), done] };
  agents.tell("agent_updated", work.agent.id, { snapshot_id: work.current.id });
}

/**
 * What the page did in so long, from a line of script on. Nothing looks at it meanwhile: looking for
 * an element runs a large script inside it.
 */
async function costOf({ page, devtools }: Phone, forMs: number, script: string): Promise<Costs> {
  const before = await costs(devtools);
  await devtools.send("Runtime.evaluate", { expression: script });
  await page.waitForTimeout(forMs);
  return between(before, await costs(devtools));
}

async function requireShown({ page }: Phone, selector: string): Promise<void> {
  if ((await page.locator(selector).count()) === 0) throw new Error(`${selector} is not there`);
}
