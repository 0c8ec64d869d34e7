import { Database } from "bun:sqlite";
import { beforeEach, describe, expect, test } from "bun:test";
import { copyFile, readdir, rename, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../../src/errors.ts";
import { Ledger, type LedgerDeps, SERVICE, isConfirmed } from "../../src/ledger/ledger.ts";
import { ActStore } from "../../src/ledger/store/act-store.ts";
import { LEDGER_FILE, LEDGER_MIGRATIONS, openActStore } from "../../src/ledger/store/open-store.ts";
import { createLog } from "../../src/lib/log.ts";
import type { ActKind, ActState } from "../../src/protocol/act.ts";
import type { ExpectedPrompt } from "../../src/protocol/input.ts";
import type { PaneState } from "../../src/protocol/pane.ts";
import { openDatabase } from "../../src/store/database.ts";
import { dialog, SimulatedPanes } from "../input/simulated.ts";
import { becomes } from "../support/becomes.ts";
import { FakeClock } from "../support/clock.ts";
import { option } from "../support/detect-input.ts";
import { memoryLedger } from "../support/in-memory.ts";
import { pane } from "../support/pane.ts";
import { temporary } from "../support/temporary.ts";
import { until } from "../support/until.ts";

const PIXEL = { grant: "pixel", name: "Pixel 9" };
const CLIENT = { name: "Pixel 9 at 192.0.2.7", scope: "type", by: PIXEL } as const;
const ASKED = dialog("Proceed?", [option("1", "Yes"), option("2", "No")]);

let folder: string;
let clock: FakeClock;
let log: string[];

beforeEach(async () => {
  folder = await temporary("ledger");
  clock = new FakeClock();
  log = [];
});

/** The ledger of a new run of the service, over the file of the runs before. */
function run(deps: Partial<LedgerDeps> = {}): Ledger {
  const lines = createLog((line) => log.push(line));
  const path = file();
  const open = (damage: unknown) => openActStore({ path, log: lines, clock }, damage);
  return memoryLedger({ open, clock, log: lines, incarnation: crypto.randomUUID(), ...deps });
}

/** The acts in the file, read by another connection. */
function onDisk(): { state: ActState; key: string; label: string; about_text: string | null }[] {
  const database = new Database(file(), { readonly: true });
  try {
    return database
      .query<{ state: ActState; key: string; label: string; about_text: string | null }, []>(
        "SELECT state, key, label, about_text FROM record WHERE state IS NOT NULL ORDER BY seq",
      )
      .all();
  } finally {
    database.close();
  }
}

/** Damages the first page of a table in a closed store. */
async function spoil(table: string): Promise<void> {
  const path = file();
  const database = new Database(path);
  const query = database.query<{ rootpage: number }, [string]>(
    "SELECT rootpage FROM sqlite_schema WHERE name = ?",
  );
  const { rootpage = 0 } = query.get(table) ?? {};
  database.close();
  const bytes = await readFile(path);
  await writeFile(path, bytes.fill(0x55, (rootpage - 1) * 4096, rootpage * 4096));
}

const file = (suffix = "") => join(folder, LEDGER_FILE + suffix);
const removeFile = () =>
  Promise.all(["", "-wal", "-shm"].map((suffix) => rm(file(suffix), { force: true })));

/** A pane with a prompt, over a ledger on the disk. */
function panesWithPrompt(deps: Partial<LedgerDeps> = {}): SimulatedPanes {
  const panes = new SimulatedPanes(run(deps));
  panes.show("%1", ASKED);
  return panes;
}
const answer = (panes: SimulatedPanes, key: string, expected?: ExpectedPrompt) =>
  panes.legacy.select({ id: "%1", key: "1", expected, idempotency_key: key }, CLIENT);

const codeOf = (error: unknown): unknown =>
  error instanceof AppError ? ((error.detail as { code?: string }).code ?? error.kind) : error;

const facts = (more: object = {}) => ({
  ...({ kind: "key", by: PIXEL, input: { label: "Enter" } } as const),
  ...{ id: "%1", target: "work:1.1", identity: "one", ...more },
});

/** Begins and ends an act. */
async function send(
  ledger: Ledger,
  more: object = {},
  { state = null, end = "sent" }: { state?: PaneState | null; end?: "sent" | "confirmed" } = {},
): Promise<void> {
  const act = ledger.act(facts(more));
  await act.begin(state);
  act.end(end);
}

const openFile = () =>
  openDatabase({ path: file(), migrations: LEDGER_MIGRATIONS, log: createLog(() => {}), clock });

async function makeStore(): Promise<void> {
  const ledger = run();
  await ledger.open();
  ledger.close();
}

describe("the ledger's row of an answer", () => {
  test("the row is on the disk as sending before the answer leaves, and as sent afterwards", async () => {
    const panes = panesWithPrompt();
    const seen: string[] = [];
    panes.beforeSend = () => void seen.push(...onDisk().map(({ state, key }) => `${state} ${key}`));
    await answer(panes, "k");
    expect(seen).toEqual(["sending k"]);
    expect(onDisk()).toEqual([{ state: "sent", key: "k", label: "Yes", about_text: "Proceed?" }]);
    const { acts } = await panes.ledger.fatesOf(["k"]);
    expect(acts).toMatchObject([
      {
        ...{ pane_id: "%1", target: "main:1.0", kind: "select", by: PIXEL },
        ...{ about: { kind: "question", text: "Proceed?" }, reason: null },
      },
    ]);
  });

  test("a refusal by the guard is a row with its reason", async () => {
    const panes = panesWithPrompt();
    const expected = { prompt_fingerprint: "sha256:other" };
    await answer(panes, "k", expected).catch(() => {});
    expect((await panes.ledger.fatesOf(["k"])).acts).toMatchObject([
      { state: "refused", reason: "prompt_changed" },
    ]);
    expect(panes.sent).toEqual([]);
  });

  test("an answer to an unknown pane is a refused row, and its key is not unseen", async () => {
    const panes = new SimulatedPanes(run());
    const ask = () =>
      panes.legacy.key({ id: "nowhere", key: "Enter", idempotency_key: "k" }, CLIENT);
    expect(await ask().catch(codeOf)).toBe("unknown_pane");
    expect(await panes.ledger.fatesOf(["k"])).toMatchObject({
      acts: [{ state: "refused", reason: "unknown_pane", pane_id: "nowhere" }],
      unseen: [],
    });
    expect(await ask().catch(codeOf)).toBe("unknown_pane");
    expect(onDisk()).toHaveLength(1);
  });

  test("an answer without confirmation of its delivery is an unknown row", async () => {
    const panes = panesWithPrompt();
    panes.outcome = "unknown";
    await answer(panes, "k").catch(() => {});
    expect(onDisk()).toMatchObject([{ state: "unknown" }]);
  });

  test("a broadcast has a row for each pane under one key", async () => {
    const panes = new SimulatedPanes(run());
    panes.show("%1", { lines: ["$"] });
    panes.show("%2", ASKED);
    const request = { ids: ["%1", "%2"], text: "hello", enter: true, skip_waiting: true };
    await panes.legacy.broadcast({ ...request, idempotency_key: "k" }, CLIENT);
    const { acts } = await panes.ledger.fatesOf(["k"]);
    expect(acts.map(({ pane_id, state }) => `${pane_id} ${state}`).toSorted()).toEqual([
      "%1 sent",
      "%2 refused",
    ]);
  });

  test("the row of a pane is on the disk as sent while the broadcast goes on to others", async () => {
    const panes = new SimulatedPanes(run());
    for (const id of ["%1", "%2"]) panes.show(id, { lines: ["$"] });
    const states = () => onDisk().map(({ state }) => state);
    panes.beforeSend = async (id) => {
      if (id === "%2") await until(() => states().includes("sent"));
    };
    const request = { ids: ["%1", "%2"], text: "hello", enter: true, skip_waiting: true };
    await panes.legacy.broadcast({ ...request, idempotency_key: "k" }, CLIENT);
    expect(states()).toEqual(["sent", "sent"]);
  });

  test("the disk has only the length of a text; the memory has its first 80 characters, for agents only", async () => {
    const ledger = run();
    const words = "secret words ".repeat(10);
    const agent = pane({ agent: { id: "agent_a", label: "Claude Code" } });
    for (const [key, state] of [
      ["agent", agent],
      ["shell", pane({ kind: "shell" })],
    ] as const) {
      await send(ledger, { kind: "text", key, input: { text: words } }, { state });
    }
    const [agents, shells] = (await ledger.fatesOf(["agent", "shell"])).acts;
    expect(agents?.label).toBe(words.slice(0, 80));
    expect(shells?.label).toBe("text of 130 characters");
    ledger.close();
    expect(await readFile(file(), "latin1")).not.toContain("secret");
  });

  test("with keepsAbout off the row has no question", async () => {
    const panes = panesWithPrompt({ keepsAbout: false });
    await answer(panes, "k");
    expect(onDisk()).toMatchObject([{ label: "Yes", about_text: null }]);
  });
});

describe("a service that was killed while it sent an answer", () => {
  async function killWhileSending(): Promise<SimulatedPanes> {
    const panes = panesWithPrompt();
    panes.beforeSend = () => new Promise(() => {});
    void answer(panes, "k");
    await until(() => panes.readings > 0 && onDisk().length > 0);
    expect(onDisk()).toMatchObject([{ state: "sending" }]);
    return panes;
  }

  test("the next run marks the row unknown, for its pane and for its key", async () => {
    await killWhileSending();
    const ledger = run();
    await ledger.open();
    expect(onDisk()).toMatchObject([{ state: "unknown" }]);
    const fate = { state: "unknown", reason: "delivery_unknown" } as const;
    expect(await ledger.fatesOf(["k"])).toMatchObject({ acts: [fate], unseen: [] });
    expect(ledger.of("server/%1/100")).toMatchObject({ key: "k", ...fate });
    expect(log.join("")).toContain("select for main:1.0 may have arrived");
  });
});

describe("a ledger whose disk fails", () => {
  test("a full disk refuses an answer before it is sent, with kind storage", async () => {
    let database: Database | null = null;
    const ledger = run({
      open: async () => new ActStore((database = await openFile())),
    });
    const panes = new SimulatedPanes(ledger);
    panes.show("%1", ASKED);
    await ledger.open();
    (database as Database | null)?.run("PRAGMA max_page_count = 1");
    const long = "x".repeat(100);
    const asks = Array.from({ length: 200 }, (_, at) =>
      answer(panes, `${long}${at}`).then(
        () => "sent",
        (error: AppError) => error.kind,
      ),
    );
    const outcomes = await Promise.all(asks);
    const sent = outcomes.filter((outcome) => outcome === "sent");
    expect(new Set(outcomes)).toEqual(new Set(["sent", "storage"]));
    expect(panes.sent).toHaveLength(sent.length);
  });

  test("a lock of another service refuses an answer before it is sent", async () => {
    const refused = new AppError("persist_failed", "it is another's");
    const panes = panesWithPrompt({ requireLock: () => Promise.reject(refused) });
    expect(await answer(panes, "a").catch(codeOf)).toBe("persist_failed");
    expect(panes.sent).toEqual([]);
  });

  test("a removed file is created again, with the next answer in it", async () => {
    const panes = panesWithPrompt();
    await answer(panes, "before");
    await removeFile();
    panes.show("%1", ASKED);
    await answer(panes, "after");
    expect(onDisk().map(({ key }) => key)).toEqual(["after"]);
    expect(panes.sent).toHaveLength(2);
  });

  test("a replaced file gets the next answer and no row of before", async () => {
    await makeStore();
    const copy = join(folder, "kept.sqlite");
    await copyFile(file(), copy);
    const panes = panesWithPrompt();
    await answer(panes, "before");
    await rename(copy, file());
    panes.show("%1", ASKED);
    await answer(panes, "after");
    expect(onDisk().map(({ key }) => key)).toEqual(["after"]);
    expect(panes.sent).toHaveLength(2);
  });

  test.each(["requests", "record"])(
    "a file that is damaged in its %s is moved aside and created again",
    async (table) => {
      const first = run();
      await first.open();
      for (let at = 0; at < 300; at++) {
        const key = `${"x".repeat(100)}${at}`;
        await first.runOnce(key, at, () => send(first, { key }));
      }
      first.close();
      await spoil(table);
      const panes = panesWithPrompt();
      expect(await answer(panes, "a").catch(codeOf)).toBe("persist_failed");
      expect(panes.sent).toEqual([]);
      clock.advance(6);
      await answer(panes, "b");
      // If a write has found the damage, the refusal is a row too.
      const others = onDisk().filter(({ state }) => state !== "refused");
      expect(others).toMatchObject([{ key: "b", state: "sent" }]);
      const names = await readdir(folder);
      expect(names.filter((name) => name.startsWith(`${LEDGER_FILE}.corrupt-`))).toHaveLength(1);
    },
  );

  test("a damaged file that is removed by hand is created again", async () => {
    await makeStore();
    await spoil("requests");
    const panes = panesWithPrompt();
    expect(await answer(panes, "a").catch(codeOf)).toBe("persist_failed");
    await removeFile();
    for (const key of ["b", "c"]) {
      clock.advance(6);
      await answer(panes, key).catch(codeOf);
    }
    expect(onDisk()).toMatchObject([{ key: "c", state: "sent" }]);
  });

  test("a store whose run cannot be recorded is closed", async () => {
    let closed = 0;
    class Full extends ActStore {
      override beginRun(): never {
        throw Object.assign(new Error("full"), { code: "ENOSPC" });
      }
      override close(): void {
        closed += 1;
        super.close();
      }
    }
    const ledger = run({ open: async () => new Full(await openFile()) });
    expect(await ledger.act(facts()).begin(null).catch(codeOf)).toBe("storage");
    expect(closed).toBe(1);
  });

  test("a store that cannot be opened refuses answers, and is opened again later", async () => {
    let isThere = false;
    const open = run({
      async open() {
        if (!isThere) throw new Error("no such disk");
        return openActStore({ path: file(), log: createLog(() => {}), clock });
      },
    });
    await open.open();
    const panes = new SimulatedPanes(open);
    panes.show("%1", ASKED);
    expect(await answer(panes, "a").catch(codeOf)).toBe("persist_failed");
    isThere = true;
    clock.advance(6);
    await answer(panes, "a");
    expect(panes.sent).toHaveLength(1);
  });
});

test("only a row for another machine is synced to the disk before its answer is sent", async () => {
  const synced: boolean[] = [];
  class Watched extends ActStore {
    override write<T>(isSynced: boolean, change: () => T): T {
      synced.push(isSynced);
      return super.write(isSynced, change);
    }
  }
  const ledger = run({
    isLocalPane: (id) => id === "%1",
    open: async () => new Watched(await openFile()),
  });
  await ledger.open();
  for (const id of ["%1", "%7000001"]) {
    synced.length = 0;
    await ledger.act(facts({ id })).begin(null);
    expect(synced).toEqual([id !== "%1"]);
  }
});

test("a store that is slow to open is opened once", async () => {
  const gate = Promise.withResolvers<void>();
  let opened = 0;
  const ledger = run({
    async open() {
      opened += 1;
      await gate.promise;
      return openActStore({ path: file(), log: createLog(() => {}), clock });
    },
  });
  const first = ledger.act(facts({ key: "a" }));
  const begun = first.begin(null);
  clock.advance(60);
  const fates = ledger.fatesOf(["a"]);
  gate.resolve();
  await Promise.all([begun, fates]);
  first.end("sent");
  expect(opened).toBe(1);
  expect(onDisk()).toMatchObject([{ key: "a", state: "sent" }]);
});

test("a refused act of the service itself leaves no row, a sent act does", async () => {
  const ledger = run();
  ledger.act(facts({ by: SERVICE })).failed(new AppError("conflict", "busy"), false);
  await send(ledger, { by: SERVICE, kind: "continue" }, { end: "confirmed" });
  expect(await ledger.page({ withEvents: true })).toMatchObject([
    { kind: "continue", state: "confirmed", by: { grant: "service" } },
  ]);
});

describe("the fate of an idempotency key", () => {
  test("a key is unseen if it never arrived in a known run, and not for an unknown run", async () => {
    const first = run();
    await first.open();
    const of = (ledger: Ledger) => `at:${ledger.incarnation}:x`;
    expect(await first.fatesOf([of(first), "plain"])).toEqual({
      acts: [],
      unseen: [of(first), "plain"],
    });
    const second = run();
    expect((await second.fatesOf([of(first), "at:never:x"])).unseen).toEqual([of(first)]);
  });

  test("a key is not unseen if the file of its run was lost", async () => {
    const ledger = run();
    const key = `at:${ledger.incarnation}:x`;
    for (const each of [key, "plain"]) await ledger.runOnce(each, {}, async () => {});
    await removeFile();
    expect(await ledger.fatesOf([key, "plain"])).toEqual({ acts: [], unseen: [] });
    ledger.close();
    expect((await run().fatesOf([key])).unseen).toEqual([]);
  });

  test("a key is not unseen while or after its request runs", async () => {
    const ledger = run();
    const gate = Promise.withResolvers<void>();
    const running = ledger.runOnce("k", {}, () => gate.promise);
    expect(await ledger.fatesOf(["k"])).toEqual({ acts: [], unseen: [] });
    gate.resolve();
    await running;
    expect(await ledger.fatesOf(["k"])).toEqual({ acts: [], unseen: [] });
  });
});

describe("the newest act of a pane", () => {
  test("the act is shown for a minute after it began", async () => {
    clock.advance(1000);
    const ledger = run();
    const act = ledger.act(facts());
    await act.begin(null);
    expect(ledger.of("one")).toMatchObject({ state: "sending" });
    act.end("sent");
    clock.advance(59);
    expect(ledger.of("one")).toMatchObject({ state: "sent", label: "Enter" });
    expect(ledger.of("two")).toBeUndefined();
    clock.advance(1);
    expect(ledger.of("one")).toBeUndefined();
  });

  test("the pane state of the act is freed when the pane has gone", async () => {
    const ledger = run();
    let seen: WeakRef<PaneState> | null = null;
    await (async () => {
      const state = pane({ lines: ["a screen"] });
      seen = new WeakRef(state);
      await send(ledger, {}, { state });
    })();
    clock.advance(60);
    ledger.follow({ sights: [] });
    await becomes(() => {
      Bun.gc(true);
      return seen?.deref();
    }, undefined);
  });

  test("the act is confirmed if its prompt goes within five seconds", async () => {
    const asks = pane({ status: "needs_input", question: "Proceed?", updated: clock.now() });
    const works = (updated: number) => pane({ status: "working", updated });
    for (const [after, state] of [
      [5, "confirmed"],
      [5.5, "sent"],
    ] as const) {
      const ledger = run();
      await send(ledger, { key: `k${after}` }, { state: asks });
      ledger.follow({ sights: [{ identity: "one", state: asks }] });
      expect(ledger.of("one")?.state).toBe("sent");
      clock.advance(after);
      const sights = ["other", "one"].map((identity) => ({ identity, state: works(clock.now()) }));
      ledger.follow({ sights });
      expect(ledger.of("one")?.state).toBe(state);
      expect((await ledger.fatesOf([`k${after}`])).acts[0]?.state).toBe(state);
    }
  });
});

describe("the record of the ledger", () => {
  test("the record is read in pages of a hundred, newest first, each row once", async () => {
    const ledger = run();
    for (let at = 0; at < 250; at++) await send(ledger, { key: `k${at}`, id: `%${at % 2}` });
    const found: string[] = [];
    for (let before: number | undefined; ;) {
      const rows = await ledger.page({ before, withEvents: true });
      const page = rows.slice(0, 100);
      found.push(...page.map((row) => ("key" in row ? row.key : "")));
      if (rows.length <= 100) break;
      before = page.at(-1)?.seq;
    }
    expect(found).toEqual(Array.from({ length: 250 }, (_, at) => `k${249 - at}`));
    expect(await ledger.page({ pane: "%1", withEvents: true })).toHaveLength(101);
    expect(await ledger.page({ by: "somebody", withEvents: true })).toEqual([]);
    expect(await ledger.page({ kind: "stop", withEvents: true })).toEqual([]);
  });

  test("refused sign-ins of an address make one row an hour with a count, for owners only", async () => {
    const ledger = run();
    await ledger.open();
    for (let at = 0; at < 2; at++) ledger.signRefused("192.0.2.9");
    ledger.note({ kind: "token_made", what: "", by: PIXEL });
    // Another run reads the rows from the disk.
    expect(await run().page({ withEvents: true })).toMatchObject([
      { kind: "token_made" },
      { what: "192.0.2.9", count: 2 },
    ]);
    for (let at = 2; at < 21; at++) ledger.signRefused("192.0.2.9");
    clock.advance(3601);
    ledger.signRefused("192.0.2.8");
    expect(await ledger.page({ withEvents: true })).toMatchObject([
      { kind: "sign_refused", what: "192.0.2.8", count: 1 },
      { kind: "token_made" },
      { kind: "sign_refused", what: "192.0.2.9", count: 21 },
    ]);
    expect(await ledger.page({ withEvents: false })).toEqual([]);
  });

  test("refused sign-ins are written at most once a second", async () => {
    const ledger = run();
    await ledger.open();
    const refused = async () => {
      ledger.signRefused("192.0.2.9");
      return (await run().page({ withEvents: true }))[0];
    };
    expect(await refused()).toMatchObject({ count: 1 });
    expect(await refused()).toMatchObject({ count: 1 });
    clock.advance(1);
    expect(await refused()).toMatchObject({ count: 3 });
  });

  test("the record has the words of the last thousand texts, and only the length of older texts", async () => {
    const ledger = run();
    for (let at = 0; at <= 1000; at++)
      await ledger
        .act(facts({ kind: "text", key: `k${at}`, input: { text: `words ${at}` } }))
        .begin(pane({ agent: { id: "agent_a", label: "Some Agent" } }));
    const { acts } = await ledger.fatesOf(["k0", "k1"]);
    expect(acts.map(({ label }) => label).toSorted()).toEqual(["text of 7 characters", "words 1"]);
  });

  test("the record has the events from before it was opened, and the log has no line", async () => {
    const ledger = run();
    ledger.note({ kind: "token_made", what: "", by: PIXEL });
    for (let at = 0; at < 9; at++) ledger.signRefused("192.0.2.9");
    await ledger.open();
    expect(await ledger.page({ withEvents: true })).toMatchObject([
      { kind: "sign_refused", count: 9 },
      { kind: "token_made" },
    ]);
    expect(log).toEqual([]);
  });

  test("rows older than keepDays are deleted, and keys of a half-known run are not unseen", async () => {
    const ledger = run({ keepDays: 7 });
    const key = (name: string) => `at:${ledger.incarnation}:${name}`;
    await ledger.runOnce(key("a"), {}, async () => 1);
    await send(ledger, { key: "old" });
    clock.advance(8 * 86_400);
    ledger.note({ kind: "token_made", what: "", by: PIXEL });
    expect(await ledger.page({ withEvents: true })).toMatchObject([{ kind: "token_made" }]);
    const later = run();
    expect((await later.fatesOf([key("a"), key("b")])).unseen).toEqual([]);
  });

  test("no row is deleted because the wall clock was ahead for a while", async () => {
    const ledger = run({ keepDays: 7 });
    await ledger.open();
    ledger.note({ kind: "token_made", what: "", by: PIXEL });
    const count = async () => (await ledger.page({ withEvents: true })).length;
    expect(await count()).toBe(1);
    clock.adjustWall(400 * 86_400);
    clock.advance(7 * 3600);
    ledger.note({ kind: "token_made", what: "", by: PIXEL });
    expect(await count()).toBe(2);
    clock.adjustWall(-400 * 86_400);
    clock.advance(7 * 3600);
    ledger.note({ kind: "token_made", what: "", by: PIXEL });
    expect(await count()).toBe(3);
  });
});

test("the files of the ledger are private", async () => {
  await run().open();
  for (const suffix of ["", "-wal"]) expect((await stat(file(suffix))).mode & 0o777).toBe(0o600);
});

const AT = 1000;
const idle = (members: Partial<PaneState> = {}) => pane({ updated: AT + 1, ...members });
const working = idle({ status: "working" });
const asking = (question: string, prompt_since: number | null = AT - 9) =>
  idle({ status: "needs_input", question, prompt_since });

test.each<[ActKind, PaneState | null, PaneState, boolean]>([
  ["select", asking("Go on?"), asking("Go on?"), false],
  ["select", asking("Go on?"), idle(), true],
  ["select", asking("Go on?"), asking("And now?"), true],
  // The same words are another prompt if that prompt began after the act.
  ["select", asking("Go on?"), asking("Go on?", AT + 1), true],
  ["select", asking("Go on?"), asking("Go on?", AT), false],
  ["select", asking("Go on?"), asking("Go on?", null), false],
  ["text", idle(), working, true],
  ["broadcast", idle(), working, true],
  ["key", idle(), working, false],
  ["text", working, working, false],
  ["text", idle(), idle(), false],
  ["text", asking("Go on?"), asking("Go on?"), false],
  ["stop", working, working, false],
  ["stop", working, idle(), true],
  ["stop", working, idle({ updated: AT - 1 }), true],
  ["text", idle(), { ...working, updated: AT - 1 }, false],
  ["text", idle(), { ...working, updated: AT }, true],
  ["text", idle(), { ...working, stale: true }, false],
  ["text", null, working, false],
])("%s is confirmed only by the screen that its effect draws (%#)", (kind, before, now, is) => {
  expect(isConfirmed({ kind, at: AT }, before, now)).toBe(is);
});
