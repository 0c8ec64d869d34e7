// How long everything else waits while a large store loses what it holds, and what is left on the
// disk: one session's history, what is too old, and all of it; with the disk at rest, and while
// another process writes to it all the time.
import { mkdtemp, open, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentStore } from "../../src/agents/store/store.ts";
import { StoreFile } from "../../src/agents/store/store-file.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { newSession } from "../agents/support/store.ts";
import { printTable } from "./figures.ts";

const ROWS = 44_000;
const TEXT_BYTES = 2600;
const DAY = 24 * 60 * 60;
const BUDGET_MS = 50;

const folder = await mkdtemp(join(tmpdir(), "agents-bench-delete-"));
const others = await mkdtemp(join(tmpdir(), "agents-bench-others-"));
const log = { warn: (message: string) => void process.stderr.write(`${message}\n`) };
const file = new StoreFile({ stateDir: folder, clock: systemClock, log });

/** All rows are one session's, so old or so new. */
async function filled(ageDays: number): Promise<{ store: AgentStore; id: string }> {
  await Promise.all((await readdir(folder)).map((name) => rm(join(folder, name))));
  const store = await file.open();
  const id = newSession(store);
  const at = store.now - ageDays * DAY;
  const rows = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ROWS})`;
  const text = `hex(randomblob(${TEXT_BYTES / 2}))`;
  store.database.run("PRAGMA synchronous = OFF");
  store.database.run(
    `${rows} INSERT INTO messages (id, agent_id, role, content, status, source, generation,
       created_at, updated_at, observed_at)
     SELECT 'm' || i, '${id}', 'user', ${text}, 'observed', 'user', 'log#0', ${at} + i / 1000.0, 0,
       ${at} + i / 1000.0 FROM n`,
  );
  store.database.run(
    `${rows} INSERT INTO snapshots (id, agent_id, sequence, created_at, occurred_at, type, title,
       delta, context)
     SELECT 's' || i, '${id}', i + 10, ${at} + i / 1000.0, 0, 'activity', '', '{}',
       json_object('goal', ${text}) FROM n`,
  );
  store.database.run("PRAGMA synchronous = FULL");
  store.database.run("PRAGMA wal_checkpoint(TRUNCATE)");
  // What filled it is not what is measured.
  for (const name of await readdir(folder)) await synced(join(folder, name));
  return { store, id };
}

async function synced(path: string): Promise<void> {
  await using handle = await open(path, "r+");
  await handle.sync();
}

async function mib(): Promise<string> {
  const names = await readdir(folder);
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).size));
  return `${(sizes.reduce((sum, size) => sum + size, 0) / 2 ** 20).toFixed(0)} MiB`;
}

/** How long a timer that is due every millisecond waited at most. */
async function longestWait(work: () => Promise<unknown>): Promise<{ tookMs: number; ms: number }> {
  let ms = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    ms = Math.max(ms, now - last);
    last = now;
  }, 1);
  await Bun.sleep(20);
  ms = 0;
  const began = performance.now();
  await work();
  const tookMs = performance.now() - began;
  await Bun.sleep(5);
  clearInterval(timer);
  return { tookMs, ms };
}

const works: [string, number, (store: AgentStore, id: string) => Promise<unknown>][] = [
  ["nothing, for 3 s", 1, () => Bun.sleep(3000)],
  ["history of one session", 1, (store, id) => store.deleteHistory(id)],
  ["retention", 40, (store) => store.inBatches(() => store.expiry.expire(store.now - 30 * 86_400))],
  [
    "everything",
    1,
    async (store) => {
      store.close();
      await file.clear();
      (await file.open()).close();
    },
  ],
];

/** Writes and waits for the disk, as others on it do, until its standard input ends. */
const OTHERS = `
  const { openSync, writeSync, fsyncSync } = require("node:fs");
  process.stdin.on("end", () => process.exit()).resume();
  const file = openSync(process.argv[1], "w");
  const bytes = Buffer.alloc(16 * 1024 * 1024, 1);
  setInterval(() => (writeSync(file, bytes, 0, bytes.length, 0), fsyncSync(file)), 1);`;

let isTooSlow = false;
const rows: string[][] = [];
for (const isBusy of [false, true])
  for (const [name, ageDays, work] of works) {
    const { store, id } = await filled(ageDays);
    const before = await mib();
    const argv = [process.execPath, "-e", OTHERS, join(others, "file")];
    const busy = isBusy ? Bun.spawn(argv, { stdin: "pipe" }) : null;
    if (busy) await Bun.sleep(300);
    const { tookMs, ms } = await longestWait(() => work(store, id));
    await busy?.stdin.end();
    await busy?.exited;
    if (ms > BUDGET_MS) isTooSlow = true;
    const disk = isBusy ? "busy" : "calm";
    const took = `${(tookMs / 1000).toFixed(2)} s`;
    rows.push([name, disk, `${ms.toFixed(0)} ms`, took, before, await mib()]);
    if (name !== "everything") store.close();
  }
await rm(folder, { recursive: true, force: true });
await rm(others, { recursive: true, force: true });
const head = ["deleted", "disk", "longest wait", "in all", "before", "after"];
printTable(head, rows);
if (isTooSlow) process.stderr.write(`something waited for more than ${BUDGET_MS} ms\n`);
process.exit(isTooSlow ? 1 : 0);
