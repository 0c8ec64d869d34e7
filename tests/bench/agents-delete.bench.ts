// How long everything else waits while a large store loses what it holds, and what is left on the
// disk: one session's history, what is too old, and all of it.
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Retention } from "../../src/agents/logs/retention.ts";
import type { AgentStore } from "../../src/agents/store/store.ts";
import { StoreFile } from "../../src/agents/store/store-file.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { newSession } from "../agents/support/store.ts";
import { markdownTable } from "./figures.ts";

const ROWS = 44_000;
const TEXT_BYTES = 2600;
const DAY = 24 * 60 * 60;
const BUDGET_MS = 50;

const folder = await mkdtemp(join(tmpdir(), "agents-bench-delete-"));
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
  store.database.run("PRAGMA wal_checkpoint(TRUNCATE)");
  store.database.run("PRAGMA synchronous = FULL");
  return { store, id };
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
  ["history of one session", 1, (store, id) => store.deleteHistory(id)],
  ["retention", 40, (store) => new Retention(store, 30).keep(new AbortController().signal)],
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

let isTooSlow = false;
const rows: string[][] = [];
for (const [name, ageDays, work] of works) {
  const { store, id } = await filled(ageDays);
  const before = await mib();
  const { tookMs, ms } = await longestWait(() => work(store, id));
  if (ms > BUDGET_MS) isTooSlow = true;
  rows.push([name, `${ms.toFixed(0)} ms`, `${(tookMs / 1000).toFixed(2)} s`, before, await mib()]);
  if (name !== "everything") store.close();
}
await rm(folder, { recursive: true, force: true });
process.stdout.write(markdownTable(["deleted", "longest wait", "in all", "before", "after"], rows));
if (isTooSlow) process.stderr.write(`something waited for more than ${BUDGET_MS} ms\n`);
process.exit(isTooSlow ? 1 : 0);
