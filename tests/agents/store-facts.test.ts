import { afterAll, expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readStoreFacts } from "../../src/agents/store/store-file.ts";
import { AGENT_MIGRATIONS } from "../../src/agents/store/schema.ts";
import { newSession, openStore } from "./support/store.ts";
import { FakeClock } from "../support/clock.ts";
import { temporary } from "../support/temporary.ts";

const folder = await temporary("facts", afterAll);

test("a store is looked at while a service has it open", async () => {
  const path = join(folder, "a.sqlite3");
  const { database, store } = await openStore(path, new FakeClock());
  const id = newSession(store);
  const known = store.sessions.known(id);
  if (!known) throw new Error("no session");
  store.write(() =>
    store.sessions.bind(id, {
      ...known.binding,
      association: "confirmed",
      paneId: "%3",
      target: "shop:0.1",
      source: "process",
    }),
  );
  expect(readStoreFacts(path)).toEqual({
    version: AGENT_MIGRATIONS.length,
    known: AGENT_MIGRATIONS.length,
    sessions: 1,
    messages: 0,
    bound: [
      { runtime: "agent_a", target: "shop:0.1", association: "confirmed", source: "process" },
    ],
  });
  database.run("PRAGMA user_version = 99");
  expect(readStoreFacts(path)).toMatchObject({ version: 99, sessions: 0 });
  database.close();
});

test("a file that is no store is told as damaged, and left as it is", async () => {
  const path = join(folder, "b.sqlite3");
  await writeFile(path, "no database at all, but long enough to be taken for one".repeat(40));
  expect(readStoreFacts(path)).toEqual({ failure: "corrupt" });
});
