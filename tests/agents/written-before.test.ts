import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { addMessage, EVERYTHING, messageEvent } from "./support/messages.ts";
import { AGENT_MIGRATIONS } from "../../src/agents/store/schema.ts";
import { AgentStore } from "../../src/agents/store/store.ts";
import { Table } from "../../src/store/table.ts";
import { migrate } from "../../src/store/database.ts";
import { FakeClock } from "../support/clock.ts";
import { sessionNamed } from "./support/store.ts";

type Stored = Record<string, string | number | null>;
/** Rows as the release before wrote them, parents first. */
const WRITTEN: { version: number; tables: Record<string, Stored[]> } = await Bun.file(
  new URL("../fixtures/stores/agents.json", import.meta.url),
).json();

test("a store that the release before has written is read on, and written", () => {
  const database = new Database(":memory:", { strict: true });
  database.run("PRAGMA foreign_keys = ON");
  migrate(database, AGENT_MIGRATIONS.slice(0, WRITTEN.version));
  for (const [name, rows] of Object.entries(WRITTEN.tables))
    for (const row of rows) new Table<Stored>(database, name).insert(row);
  migrate(database, AGENT_MIGRATIONS);
  const store = new AgentStore({ database, clock: new FakeClock() });

  const known = sessionNamed(store, "agent_a", "0190aaaa");
  if (!known) throw new Error("the session is lost");
  const { id } = known.session;
  expect(known.facts).toMatchObject({ cwd: "/shop", lastAt: 1_799_999_900 });
  expect(known.binding).toMatchObject({
    ...{ association: "confirmed", paneId: "%1", source: "screen", left: ["other"], revision: 1 },
    hand: { incarnation: "x", kind: "released" },
  });
  expect(known.session).toMatchObject({ lifecycle: "waiting", pane_id: "%1", target: "work:1.1" });
  expect(store.sessions.state(id).goal?.text).toBe("Count the apples");

  const { messages } = store.messages.page(id, EVERYTHING);
  expect(messages.map(({ content, status }) => [content, status])).toEqual([
    ["Count the Äpfel", "observed"],
    ["There are twelve.", "observed"],
    ["And the pears?", "submitting"],
  ]);
  expect(store.messages.page(id, { ...EVERYTHING, q: "apfel" }).messages).toHaveLength(1);
  expect(store.messages.findClient(id, "client-1")?.content).toBe("And the pears?");

  const live = store.decisions.live(id);
  expect(live.map(({ asked, decision }) => [asked, decision.status])).toEqual([
    [{ kind: "plan_approval", plan: "Count all of it" }, "pending"],
    [{ kind: "plan_approval", plan: "Count none of it" }, "unverified"],
  ]);

  expect(store.logs.get("/home/dev/a.jsonl")).toEqual({
    ...{ path: "/home/dev/a.jsonl", runtime: "agent_a", sessionId: id, isAside: false },
    ...{ born: 1_799_999_000, inode: "1:2", generation: 0, position: 300, anchor: "64:ab" },
    ...{ isSkipping: false, isBehind: false, isDormant: false },
  });
  const { events } = store.snapshots.page(id, null, 10);
  expect(events.map(({ sequence, context }) => [sequence, context?.lifecycle])).toEqual([
    [2, "waiting"],
    [1, "observing"],
  ]);
  expect(store.marks.get(id, "visit")).toMatchObject({ sequence: 2, markedAt: 1_800_000_020 });
  expect([store.expiry.beganAt(), store.expiry.clearedUntil()]).toEqual([
    1_800_000_000, 1_700_000_000,
  ]);

  // The words of a message that was read before are found again by its digest.
  const twin = { at: 1_799_999_100, source: "other", nativeId: "n9", marksRewinds: false };
  const event = messageEvent("Count the Äpfel", twin);
  expect(addMessage(store, id, event, { generation: "/home/dev/b.jsonl#0" })).toBeNull();
  store.write(() => store.sessions.bind(id, { ...known.binding, paneId: null, revision: 2 }));
  expect(store.sessions.known(id)?.session).toMatchObject({ pane_id: null, binding_revision: 2 });
});
