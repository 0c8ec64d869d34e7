// Reads the logs below a home into a store: `reader.ts HOME DATABASE [once]`. With `once` it ends
// when nothing is left to read, and prints what it knows; without it reads on.
import { join } from "node:path";
import { LogReading } from "../../../src/agents/logs/reading.ts";
import { AgentStore } from "../../../src/agents/store/store.ts";
import { AGENT_MIGRATIONS } from "../../../src/agents/store/schema.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { openDatabase } from "../../../src/store/database.ts";
import { endOf } from "./ends.ts";

const [home = "", path = "", once] = process.argv.slice(2);

const log = { warn: (message: string) => void process.stderr.write(`${message}\n`) };
const database = await openDatabase({
  path,
  migrations: AGENT_MIGRATIONS,
  log,
  clock: systemClock,
});
const store = new AgentStore({ database, clock: systemClock });
const homes = { agent_a: join(home, ".claude"), agent_b: join(home, ".codex") };
const reading = new LogReading({ store, homes, retainedFrom: () => 0, clock: systemClock, log });
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
