// Reads the logs below a home into a store: `reader.ts HOME DATABASE [once]`. With `once` it ends
// when nothing is left to read, and prints what it knows; without it reads on.
import { openStore, readingOf } from "./store.ts";
import { endOf } from "./ends.ts";

const [home = "", path = "", once] = process.argv.slice(2);

const { database, store } = await openStore(path);
const reading = readingOf(store, home);
const { signal } = new AbortController();
if (once === undefined) process.stdout.write("reading\n");
for (;;) {
  const hasMore = await reading.pass(signal);
  if (hasMore) continue;
  if (once !== undefined) break;
  await Bun.sleep(5);
}
process.stdout.write(JSON.stringify(endOf(store)));
database.close();
