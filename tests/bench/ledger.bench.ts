// What the record of acts costs an answer: the same answer with the record on the disk of the temporary
// folder and in memory, beside one block that is appended to a file and synced, which is what the disk
// takes for any promise. The panes are simulated: nothing else takes time.
import { mkdtemp, open, rm } from "node:fs/promises";
import { fdatasyncSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LEDGER_FILE, openActStore } from "../../src/ledger/store/open-store.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { createLog } from "../../src/lib/log.ts";
import { dialog, option, SimulatedPanes } from "../input/simulated.ts";
import { memoryLedger } from "../support/ledger.ts";
import { markdownTable, percentile } from "./figures.ts";

const BENCH = { grant: "bench", name: "bench" };
const CLIENT = { name: "bench", scope: "own", by: BENCH } as const;
const ANSWERS = 400;
const TARGET_MS = 1;

const folder = await mkdtemp(join(tmpdir(), "panewatch-bench-ledger-"));
const path = join(folder, LEDGER_FILE);
const log = createLog(() => {});
try {
  const inMemory = memoryLedger({ clock: systemClock });
  const onDisk = memoryLedger({
    open: () => openActStore({ path, log, clock: systemClock }),
    clock: systemClock,
  });
  const far = memoryLedger({
    open: () => openActStore({ path: `${path}-far`, log, clock: systemClock }),
    isLocalPane: () => false,
    clock: systemClock,
  });
  const plain = await open(join(folder, "plain"), "a");
  const block = Buffer.alloc(4096);
  const times = {
    memory: [] as number[],
    disk: [] as number[],
    far: [] as number[],
    synced: [] as number[],
  };
  // In turns: what the machine does beside it hits both.
  for (let at = 0; at < ANSWERS; at++) {
    times.memory.push(await answer(new SimulatedPanes(inMemory), at));
    times.disk.push(await answer(new SimulatedPanes(onDisk), at));
    times.far.push(await answer(new SimulatedPanes(far), at));
    const startedAt = performance.now();
    writeSync(plain.fd, block);
    fdatasyncSync(plain.fd);
    times.synced.push(performance.now() - startedAt);
  }
  onDisk.close();
  far.close();
  await plain.close();
  const base = percentile(times.memory, 50);
  const cost = percentile(times.disk, 50) - base;
  const ratio = (percentile(times.far, 50) - base) / percentile(times.synced, 50);
  process.stdout.write(
    markdownTable(
      ["an answer, its record in memory, on the disk, synced; one synced block", "median", "p95"],
      Object.entries(times).map(([where, one]) => [
        where,
        `${percentile(one, 50).toFixed(2)} ms`,
        `${percentile(one, 95).toFixed(2)} ms`,
      ]),
    ) +
      `\nThe record costs ${cost.toFixed(2)} ms at the median (aim: below ${TARGET_MS}); ` +
      `to another machine, where it is synced, ${ratio.toFixed(1)} times one synced block.\n`,
  );
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function answer(panes: SimulatedPanes, at: number): Promise<number> {
  panes.show("%1", dialog("Proceed?", [option("1", "Yes"), option("2", "No")]));
  const startedAt = performance.now();
  await panes.legacy.select({ id: "%1", key: "1", idempotency_key: `k${at}` }, CLIENT);
  return performance.now() - startedAt;
}
