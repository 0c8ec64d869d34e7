// Imports the logs below a home in a process of its own and prints what that took:
// `import-gauge.ts HOME DATABASE [stop-after-ms]`.
import { openStore, readingOf } from "./store.ts";

export interface ImportGauge {
  /** Peak of the additional resident memory. */
  moreBytes: number;
  sessions: number;
  messages: number;
}

const SAMPLE_MS = 5;
const [home = "", path = "", stopAfter] = process.argv.slice(2);

const { database, store } = await openStore(path);
const reading = readingOf(store, home);
const stopping = new AbortController();

Bun.gc(true);
const before = process.memoryUsage.rss();
let most = before;
const sampler = setInterval(() => {
  most = Math.max(most, process.memoryUsage.rss());
}, SAMPLE_MS);

if (stopAfter !== undefined) setTimeout(() => stopping.abort(), Number(stopAfter));
while (!stopping.signal.aborted && (await reading.pass(stopping.signal)));
clearInterval(sampler);

const gauge: ImportGauge = {
  moreBytes: most - before,
  sessions: store.sessions.count(),
  messages:
    store.database.query<{ n: number }, []>("SELECT count(*) AS n FROM messages").get()?.n ?? 0,
};
process.stdout.write(JSON.stringify(gauge));
database.close();
