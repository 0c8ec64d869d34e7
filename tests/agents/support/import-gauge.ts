// Imports the logs below a home in a process of its own and prints what that took:
// `import-gauge.ts HOME DATABASE [stop-after-ms]`.
import { openStore, readingOf } from "./store.ts";

/** What one import was seen to take. */
export interface ImportGauge {
  seconds: number;
  /** More resident memory than before, at most. */
  moreBytes: number;
  /** Longest time that everything else had to wait, and 99 of 100 waits. */
  longestMs: number;
  p99Ms: number;
  sessions: number;
  messages: number;
  databaseBytes: number;
  /** From the call to stop to the end of the pass; null when it was not stopped. */
  stoppedMs: number | null;
}

const SAMPLE_MS = 5;
const [home = "", path = "", stopAfter] = process.argv.slice(2);

const { database, store } = await openStore(path);
const reading = readingOf(store, home);
const stopping = new AbortController();

Bun.gc(true);
const before = process.memoryUsage.rss();
let most = before;
const waits: number[] = [];
let sampledAt = performance.now();
const sampler = setInterval(() => {
  const now = performance.now();
  waits.push(now - sampledAt - SAMPLE_MS);
  sampledAt = now;
  most = Math.max(most, process.memoryUsage.rss());
}, SAMPLE_MS);

let stopCalledAt: number | null = null;
if (stopAfter !== undefined) {
  setTimeout(() => {
    stopCalledAt = performance.now();
    stopping.abort();
  }, Number(stopAfter));
}
const startedAt = performance.now();
while (!stopping.signal.aborted && (await reading.pass(stopping.signal)));
const endedAt = performance.now();
clearInterval(sampler);

waits.sort((a, b) => a - b);
const gauge: ImportGauge = {
  seconds: (endedAt - startedAt) / 1000,
  moreBytes: most - before,
  longestMs: waits.at(-1) ?? 0,
  p99Ms: waits[Math.floor(waits.length * 0.99)] ?? 0,
  sessions: store.sessions.count(),
  messages:
    store.database.query<{ n: number }, []>("SELECT count(*) AS n FROM messages").get()?.n ?? 0,
  databaseBytes: Bun.file(path).size,
  stoppedMs: stopCalledAt === null ? null : endedAt - stopCalledAt,
};
process.stdout.write(JSON.stringify(gauge));
database.close();
