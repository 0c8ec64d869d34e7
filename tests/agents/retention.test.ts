import { expect, test } from "bun:test";
import { Retention } from "../../src/agents/logs/reading.ts";
import { StoreFile } from "../../src/agents/store/store-file.ts";
import type { AgentStore } from "../../src/agents/store/store.ts";
import { AgentEvent } from "../../src/protocol/agent-replies.ts";
import { contents } from "./support/messages.ts";
import { openLogs, promptLine, questionLine } from "./support/records.ts";
import { allSessions, readingOf, memoryStore, newSession, onlySession } from "./support/store.ts";
import { FakeClock } from "../support/clock.ts";
import { temporary } from "../support/temporary.ts";

const DAY = 24 * 60 * 60;
const never = new AbortController().signal;

/** Between two checks of the retention. */
const CHECK_SECONDS = 2 * 60 * 60;

/** Deletes messages past the retention by the store's clock, as at the start of a run. */
function keep(store: AgentStore): Promise<void> {
  const clock = new FakeClock();
  clock.adjustWall(store.now - clock.now());
  return new Retention(store, 30, clock).keep(never);
}

test("messages past the retention are not imported, but give the session its goal", async () => {
  await using logs = await openLogs({ keptDays: 30 });
  const { store, clock } = logs;
  const old = clock.now - 31 * DAY;
  await logs.reads(promptLine("the goal", old) + promptLine("go on", clock.now - DAY));
  expect(contents(store)).toEqual(["go on"]);
  expect(onlySession(store).session.context).toMatchObject({
    goal: "the goal",
    message_history_truncated: true,
  });
});

test("messages past the retention are deleted, and their log does not bring them back", async () => {
  await using logs = await openLogs({ keptDays: 30 });
  const { store, clock } = logs;
  await logs.reads(promptLine("early", clock.now - 20 * DAY) + promptLine("late", clock.now));
  clock.now += 15 * DAY;
  await keep(store);
  expect(contents(store)).toEqual(["late"]);
  await logs.readsInstead(promptLine("early", clock.now - 35 * DAY));
  expect(contents(store)).toEqual(["late"]);
});

test("a session past the retention is deleted with an event, and begins anew when its log grows", async () => {
  await using logs = await openLogs({ keptDays: 30 });
  const { store, clock } = logs;
  const early = promptLine("early", clock.now);
  await logs.reads(early);
  const { id } = onlySession(store).session;
  const events: string[] = [];
  store.subscribe(({ kind, agent_id }) => events.push(`${kind} ${agent_id}`));
  clock.now += 31 * DAY;
  await keep(store);
  expect(events).toContain(`history_deleted ${id}`);
  expect(store.sessions.count()).toBe(0);
  await logs.readsAnew();
  expect(store.sessions.count()).toBe(0);
  await logs.reads(early + promptLine("resumed", clock.now));
  expect(contents(store)).toEqual(["resumed"]);
});

test("a live decision of a session in a pane outlasts the retention, its messages do not", async () => {
  await using logs = await openLogs();
  const { store, clock } = logs;
  await logs.reads(promptLine("ask me", clock.now) + questionLine("q1", clock.now));
  const known = onlySession(store);
  const { id } = known.session;
  store.write(() => store.sessions.set(id, { binding: { ...known.binding, paneId: "%1" } }));
  clock.now += 400 * DAY;
  await keep(store);
  expect(store.decisions.live(id)).toHaveLength(1);
  expect(contents(store)).toEqual([]);
});

test("a deleted history does not come back when its log is read again, and new messages follow", async () => {
  await using logs = await openLogs();
  const { store, clock } = logs;
  const past = promptLine("secret", clock.now) + questionLine("q1", clock.now);
  await logs.reads(past);
  const { id } = onlySession(store).session;
  const sequence = store.snapshots.latest(id)?.sequence ?? 0;
  const events: AgentEvent[] = [];
  store.subscribe((event) => events.push(AgentEvent.parse(event)));
  clock.now += 10;
  await store.deleteHistory(id);
  expect(contents(store)).toEqual([]);
  expect(store.snapshots.latest(id)).toBeNull();
  expect(store.decisions.live(id)).toEqual([]);
  expect(events.map(({ kind }) => kind)).toContain("history_deleted");
  clock.now += 10;
  await logs.readsInstead(past + promptLine("after", clock.now - 5));
  expect(contents(store)).toEqual(["after"]);
  expect(store.decisions.live(id)).toEqual([]);
  expect(store.snapshots.latest(id)?.sequence).toBeGreaterThan(sequence);
});

test("a decision and a visit made while a long history is being deleted stay", async () => {
  await using logs = await openLogs();
  const { store, clock } = logs;
  const past = Array.from({ length: 200 }, (_, i) => promptLine(`${i}`, clock.now - 300 + i)).join(
    "",
  );
  await logs.reads(past);
  const [id = ""] = store.sessions.ids();
  // A fast clock has dated some of it in the future.
  clock.now -= 200;
  const deleting = store.deleteHistory(id);
  clock.now += 1;
  store.write(() => {
    const request = { kind: "plan_approval", plan: "Count all of it" } as const;
    store.decisions.ask(id, "toolu_2", request, store.now);
    store.sessions.set(id, { lifecycle: "waiting" });
  });
  const snapshot = store.snapshots.latest(id);
  if (!snapshot) throw new Error("nothing was told of");
  store.mark("visit", snapshot);
  expect(contents(store).length).toBeGreaterThan(0);
  await deleting;
  expect(contents(store)).toEqual([]);
  expect(store.decisions.live(id)).toHaveLength(1);
  expect(store.marks.get(id, "visit")?.snapshot_id).toBe(snapshot.id);
});

test("after the store was cleared only newer records are read", async () => {
  await using logs = await openLogs();
  const { store, clock } = logs;
  const past = promptLine("secret", clock.now);
  await logs.reads(past);
  clock.now += 10;
  store.write(() => {
    store.database.run("DELETE FROM sessions");
    store.database.run("DELETE FROM logs");
    store.expiry.setCleared(store.now);
  });
  await logs.readsAnew();
  expect(allSessions(store)).toEqual([]);
  clock.now += 10;
  await logs.reads(past + promptLine("after", clock.now - 5));
  expect(contents(store)).toEqual(["after"]);
  expect(onlySession(store).session.context.goal).toBe("after");
});

test("a home that does not exist is no reason for a degraded reading", async () => {
  const { store } = memoryStore();
  const reading = readingOf(store, "/nonexistent");
  expect(await reading.pass(never)).toBe(false);
  expect(reading.degraded()).toBeNull();
});

test("a session whose last record is past the retention is not published until its log grows", async () => {
  await using logs = await openLogs({ keptDays: 30 });
  const { store, clock } = logs;
  const kinds: string[] = [];
  store.subscribe(({ kind }) => kinds.push(kind));
  const past = promptLine("long ago", clock.now - 45 * DAY);
  // The file may be newer than its records: the home was copied.
  await logs.reads(past);
  expect([store.sessions.count(), kinds]).toEqual([0, []]);
  await logs.readsAnew();
  expect(store.sessions.count()).toBe(0);
  await logs.reads(past + promptLine("again", clock.now - 1));
  expect(contents(store)).toEqual(["again"]);
});

test("a wall clock that jumps ahead deletes nothing, and keeps no record out, until it has stayed for hours", async () => {
  await using logs = await openLogs();
  const { store } = logs;
  const clock = new FakeClock();
  const retention = new Retention(store, 30, clock);
  const at = clock.now();
  await logs.reads(promptLine("kept", at));
  const jump = (days: number) => {
    clock.adjustWall(days * DAY);
    logs.clock.now = clock.now();
  };
  const check = async () => {
    clock.advance(CHECK_SECONDS);
    logs.clock.now = clock.now();
    await retention.keep(never);
  };
  jump(60);
  await retention.keep(never);
  expect(retention.from).toBeLessThan(at);
  await check();
  expect(contents(store)).toEqual(["kept"]);
  jump(-60);
  await check();
  jump(60);
  await check();
  expect(contents(store)).toEqual(["kept"]);
  await check();
  expect(contents(store)).toEqual([]);
});

test("messages that pass the retention while the machine sleeps are deleted at the second check", async () => {
  await using logs = await openLogs();
  const { store } = logs;
  const clock = new FakeClock();
  await logs.reads(promptLine("old", clock.now()));
  const retention = new Retention(store, 30, clock);
  clock.adjustWall(31 * DAY);
  const left: string[][] = [];
  for (let index = 0; index < 2; index++) {
    clock.advance(CHECK_SECONDS);
    await retention.keep(never);
    left.push(contents(store));
  }
  expect(left).toEqual([["old"], []]);
});

test("a long deletion turns automatic checkpoints off, and on again at its end", async () => {
  const folder = await temporary("retention");
  const log = { warn: () => undefined };
  const file = new StoreFile({
    stateDir: folder,
    clock: { now: () => 1_800_000_000, monotonic: () => 0 },
    log,
  });
  const store = await file.open();
  try {
    const id = newSession(store);
    store.database.run(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
       INSERT INTO messages (id, agent_id, role, content, status, source, generation, created_at,
         updated_at) SELECT 'm' || i, '${id}', 'user', '', 'observed', 'user', '', i, i FROM n`,
    );
    const pagesOf = () =>
      Object.values(store.database.query("PRAGMA wal_autocheckpoint").get() ?? {})[0];
    const usual = pagesOf();
    const deletion = store.deleteHistory(id);
    await Promise.resolve();
    expect(store.messages.retained(id).from).not.toBeNull();
    expect(pagesOf()).toBe(0);
    await deletion;
    expect(store.messages.retained(id).from).toBeNull();
    expect(pagesOf()).toBe(usual);
  } finally {
    store.close();
  }
});
