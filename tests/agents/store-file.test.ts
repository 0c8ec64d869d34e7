import { Database } from "bun:sqlite";
import { beforeEach, expect, test } from "bun:test";
import { open, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { AgentStore } from "../../src/agents/store/store.ts";
import { AGENT_MIGRATIONS } from "../../src/agents/store/schema.ts";
import { readStoreFacts, StoreFile } from "../../src/agents/store/store-file.ts";
import { ReviewStore } from "../../src/agents/review/store.ts";
import { until } from "../support/until.ts";
import { exists } from "../../src/lib/json-file.ts";
import { AgentStage } from "./support/agent-stage.ts";
import { FakeClock } from "../support/clock.ts";
import { newSession, openStore } from "./support/store.ts";
import { temporary } from "../support/temporary.ts";

const NOW = 1_800_000_000;

let folder: string;
let file: StoreFile;
let warnings: string[];
beforeEach(async () => {
  folder = await temporary("store-file");
  warnings = [];
  const log = { warn: (message: string) => warnings.push(message) };
  file = new StoreFile({ stateDir: folder, clock: { now: () => NOW, monotonic: () => 0 }, log });
});

/** Enough sessions to fill pages of the database. */
function fill(store: AgentStore): void {
  store.write(() => {
    for (let index = 0; index < 200; index++) newSession(store, `session ${index}`);
  });
}

async function createFilled(where = file): Promise<void> {
  const store = await where.open();
  fill(store);
  store.close();
}

/** Another store, filled like that of the service. */
async function createBeside(name: string): Promise<string> {
  const clock = { now: () => NOW, monotonic: () => 0 };
  const other = new StoreFile({ stateDir: join(folder, name), clock, log: { warn: () => {} } });
  await createFilled(other);
  return other.path;
}

/** Overwrites the last four pages; the first has the schema. */
async function damage(path = file.path): Promise<void> {
  const { size } = await stat(path);
  const handle = await open(path, "r+");
  await handle.write(Buffer.alloc(size - 4096 * 4, 0xa5), 0, size - 4096 * 4, 4096 * 4);
  await handle.close();
}

test("a cleared store is another, smaller file with the review timer and the time of the clearing", async () => {
  const store = await file.open();
  fill(store);
  new ReviewStore(store.database).change((timer) => ({
    ...timer,
    ...{ interval_minutes: 30, next_due_at: NOW + 60 },
  }));
  store.close();
  const { size, ino } = await stat(file.path);
  await file.clear();
  const after = await stat(file.path);
  expect([after.size < size, after.ino === ino, after.mode & 0o777]).toEqual([true, false, 0o600]);
  expect((await readdir(folder)).toSorted()).toEqual(["panewatch-agents.sqlite3"]);
  const next = await file.open();
  expect(next.sessions.count()).toBe(0);
  expect(next.expiry.forgottenUntil("anybody")).toBe(NOW);
  expect(new ReviewStore(next.database).timer()).toMatchObject({
    ...{ interval_minutes: 30, next_due_at: NOW + 60 },
  });
  next.close();
});

test("a damaged store can be cleared", async () => {
  await createFilled();
  await damage();
  await file.clear();
  const next = await file.open();
  expect(next.sessions.count()).toBe(0);
  next.close();
});

test("a store that cannot be cleared keeps its sessions, and the error says why", async () => {
  await createFilled();
  await Bun.write(join(`${file.path}.new`, "in the way"), "");
  expect(file.clear()).rejects.toThrow("The store panewatch-agents.sqlite3 cannot be used");
  const same = await file.open();
  expect(same.sessions.count()).toBe(200);
  same.close();
});

function stageOver(): AgentStage {
  const stage = new AgentStage();
  stage.openStore = async () => (stage.store = await file.open());
  stage.setAside = () => file.setAside(new Error("damaged"));
  return stage;
}

test("a store found damaged at the start is moved aside, and the workspace begins with an empty one", async () => {
  await createFilled();
  await damage();
  const stage = stageOver();
  await stage.switchTo(true);
  expect(stage.workspace.capability()).toMatchObject({ enabled: true, degraded_reason: null });
  expect(stage.store.sessions.count()).toBe(0);
  const kept = (await readdir(folder)).filter((name) => name.includes(".corrupt-"));
  expect([kept.length > 0, warnings.length]).toEqual([true, 1]);
  await stage.workspace.stop();
});

/** The error of a database with overwritten pages. */
async function corruption(): Promise<unknown> {
  const path = await createBeside("other");
  await damage(path);
  const database = new Database(path);
  try {
    return database.query("SELECT * FROM sessions").all();
  } catch (error) {
    return error;
  } finally {
    database.close();
  }
}

test("a store found damaged by a request is begun anew once, the second time the workspace goes off", async () => {
  const stage = stageOver();
  await stage.switchTo(true);
  const { store: first } = stage;
  const error = await corruption();
  const broken = () => {
    stage.store.sessions.page = () => {
      throw error;
    };
  };
  broken();
  const sentence = "The store panewatch-agents.sqlite3 cannot be used: it is damaged.";
  expect<object>(await stage.request("GET", "/api/agents")).toEqual({
    ...{ status: 507, body: { detail: sentence } },
  });
  await until(() => stage.workspace.current && stage.store !== first);
  expect((await stage.request("GET", "/api/agents")).body.agents).toEqual([]);
  // A store that breaks again is not begun anew a second time.
  broken();
  await stage.request("GET", "/api/agents");
  await until(() => stage.workspace.current === null);
  expect(stage.workspace.capability()).toMatchObject({ enabled: false, degraded_reason: sentence });
  await stage.workspace.stop();
});

test("a full disk refuses a visit and a deletion with 507 and the store's sentence", async () => {
  const stage = stageOver();
  await stage.switchTo(true);
  const id = stage.session("a", ["What does greet.js do?"]);
  const { database } = stage.store;
  database.run("CREATE TABLE spent (x)");
  const { page_count } = database.query("PRAGMA page_count").get() as { page_count: number };
  database.run(`PRAGMA max_page_count = ${page_count}`);
  const fail = () => database.run("INSERT INTO spent VALUES (zeroblob(9000000))");
  stage.store.deleteHistory = async () => void fail();
  stage.store.mark = () => (fail(), false);
  const detail = "The store panewatch-agents.sqlite3 cannot be used: its disk is full.";
  const asked: [string, string, object?][] = [
    ["DELETE", `/api/agents/${id}/history`],
    ["PUT", `/api/agents/${id}/visit`, { snapshot_id: stage.snapshotOf(id) }],
  ];
  for (const [method, path, body] of asked)
    expect<object>(await stage.request(method, path, body)).toEqual({
      status: 507,
      body: { detail },
    });
  await stage.workspace.stop();
});

test("a store whose file is removed during a run is begun anew", async () => {
  const stage = stageOver();
  await stage.switchTo(true);
  const { store: first, run } = stage;
  await stage.pass();
  for (const suffix of ["", "-wal", "-shm"]) await rm(file.path + suffix, { force: true });
  stage.clock.advance(61);
  await stage.pass().catch(() => undefined);
  await until(() => stage.workspace.current && stage.workspace.current !== run);
  expect([stage.store === first, await exists(file.path)]).toEqual([false, true]);
  expect(stage.workspace.capability().degraded_reason).toBe(null);
  await stage.workspace.stop();
});

test("a visit is refused when the store's file was replaced, and the new file is opened", async () => {
  const stage = stageOver();
  await stage.switchTo(true);
  const id = stage.session("a", ["What does greet.js do?"]);
  await stage.pass();
  const { run } = stage;
  const visit = { snapshot_id: stage.snapshotOf(id) };
  await rename(await createBeside("kept"), file.path);
  const reply = await stage.request("PUT", `/api/agents/${id}/visit`, visit);
  // The request finds the other file, or an earlier turn did and has stopped the run.
  expect([
    "The store panewatch-agents.sqlite3 cannot be used: its file was removed or replaced.",
    "agent context is disabled",
  ]).toContain(String(reply.body.detail));
  expect([507, 503]).toContain(reply.status);
  await until(() => stage.workspace.current && stage.workspace.current !== run);
  expect(stage.store.sessions.count()).toBe(200);
  expect((await readdir(folder)).filter((name) => name.includes(".corrupt-"))).toEqual([]);
  await stage.workspace.stop();
});

test("the facts of a store are read while a service has it open, of a newer version only its number", async () => {
  const path = join(folder, "a.sqlite3");
  const { database, store } = await openStore(path, new FakeClock());
  const id = newSession(store);
  const known = store.sessions.find(id);
  if (!known) throw new Error("no session");
  store.write(() =>
    store.sessions.set(id, {
      binding: {
        ...known.binding,
        association: "confirmed",
        paneId: "%3",
        target: "shop:0.1",
        source: "process",
      },
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

test("a file that is no database is reported as a damaged store", async () => {
  const path = join(folder, "b.sqlite3");
  await writeFile(path, "no database at all, but long enough to be taken for one".repeat(40));
  expect(readStoreFacts(path)).toEqual({
    failure: `The store ${path} cannot be used: it is damaged.`,
  });
});
