import { expect, test } from "bun:test";
import { join } from "node:path";
import { failureOf } from "../../src/store/store-error.ts";
import { atOnce, endOf, sizesOf } from "./support/ends.ts";
import { recordingOf, Replay } from "./support/recordings.ts";
import { FakeClock } from "../support/clock.ts";
import { temporary } from "../support/temporary.ts";
import { openStore } from "./support/store.ts";

test("a store that is full tells so and loses nothing: once there is room, it goes on", async () => {
  const recording = recordingOf("agent-a", "long-and-odd-text");
  const whole = await atOnce(recording);
  const folder = await temporary("full");
  const path = join(folder, "agents.sqlite3");
  const { database, store } = await openStore(path, new FakeClock());
  await using replay = await Replay.create(store);
  await replay.grow(recording, sizesOf(recording));
  const { page_count } = database.query<{ page_count: number }, []>("PRAGMA page_count").get() ?? {
    page_count: 0,
  };
  database.run(`PRAGMA max_page_count = ${page_count + 2}`);
  const failure = await replay.read().catch(failureOf);
  expect(failure).toBe("full");
  database.run("PRAGMA max_page_count = 1000000");
  await replay.read();
  expect(endOf(store)).toEqual(whole);
  database.close();
});
