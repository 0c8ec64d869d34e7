// What one snapshot costs the page, with the time that a second of it passes.
//
//   bun tests/bench/web-snapshots.bench.ts              about four minutes
//   bun tests/bench/web-snapshots.bench.ts all 2000     rows whose name holds one of the words
import { busyFleet, nextPass } from "../support/busy-fleet.ts";
import { ms, percentile, printTable } from "./figures.ts";
import { between, type Costs, costs, onPhone, PASS_MS, type Phone, withPhones } from "./phone.ts";

const PASSES = 40;
const WARM_UP_PASSES = 8;

const words = process.argv.slice(2);
const cases = allCases().filter(
  ({ name }) => words.length === 0 || words.some((word) => name.includes(word)),
);
await withPhones(async (lab) => {
  const rows: string[][] = [];
  for (const { name, hash, panes, lines, busy, added } of cases)
    await onPhone(lab, hash, busyFleet(panes, lines), async (phone) => {
      const found = await costOfPasses(phone, (pass) => {
        phone.server.panes = nextPass(phone.server.panes, pass, busy, added);
      });
      rows.push(row(name, found));
    });
  const head = ["One snapshot", "script, median", "script, 95 %", "with style and layout, median"];
  printTable(head, rows);
});

/** `busy` of the panes print `added` lines with each snapshot. */
function allCases() {
  const fleet = (["queue", "all panes", "one pane"] as const).flatMap((screen) =>
    [10, 97].map((busy) => ({
      name: `${screen}, ${busy} of 100 panes print`,
      hash: { queue: "#/queue", "all panes": "#/all", "one pane": "#/pane/%25100" }[screen],
      panes: 100,
      lines: 200,
      busy,
      added: 3,
    })),
  );
  const terminal = [1, 20, 200].map((added) => ({
    name: `terminal of 2000 lines, ${added} new`,
    hash: "#/pane/%25100",
    panes: 4,
    lines: 2000,
    busy: 1,
    added,
  }));
  return [...fleet, ...terminal];
}

/** What each of the passes cost, one after another, the clock on the screen included. */
async function costOfPasses(phone: Phone, change: (pass: number) => void): Promise<Costs[]> {
  const { page, server, devtools } = phone;
  const found: Costs[] = [];
  for (let pass = 0; pass < PASSES + WARM_UP_PASSES; pass++) {
    const before = await costs(devtools);
    change(pass);
    server.pass();
    await page.waitForTimeout(PASS_MS);
    const after = await costs(devtools);
    if (pass >= WARM_UP_PASSES) found.push(between(before, after));
  }
  return found;
}

function row(name: string, found: readonly Costs[]): string[] {
  const script = found.map((cost) => cost.script);
  const all = found.map((cost) => cost.script + cost.render);
  return [name, ms(percentile(script, 50)), ms(percentile(script, 95)), ms(percentile(all, 50))];
}
