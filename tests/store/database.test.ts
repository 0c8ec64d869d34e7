import type { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { chmod, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createLog } from "../../src/lib/log.ts";
import { openDatabase } from "../../src/store/database.ts";
import { StoreError, type StoreFailure } from "../../src/store/store-error.ts";
import { temporary } from "../support/temporary.ts";

const NOTES = "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT";

let folder = "";
let lines: string[] = [];
const opened: Database[] = [];

beforeEach(async () => {
  folder = await temporary("store");
  lines = [];
});
afterEach(async () => {
  for (const database of opened.splice(0)) database.close();
});

async function store(options: { path?: string; migrations?: string[] } = {}): Promise<Database> {
  const { path = join(folder, "a.sqlite3"), migrations = [NOTES] } = options;
  const database = await openDatabase({
    path,
    migrations,
    log: createLog((line) => lines.push(line)),
    clock: { now: () => 1700000000.9 },
  });
  opened.push(database);
  return database;
}

async function failure(attempt: Promise<unknown>): Promise<StoreFailure> {
  const error = await attempt.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof StoreError)) throw new Error(`no StoreError, but ${String(error)}`);
  expect(error.message).not.toContain(folder);
  return error.kind;
}

const close = () => opened.pop()?.close();
const pragma = (database: Database, name: string) =>
  Object.values(database.query<Record<string, unknown>, []>(`PRAGMA ${name}`).get() ?? {})[0];
const modeOf = async (path: string) => (await stat(path)).mode & 0o777;

test("an emptied database file is logged, a new file is not", async () => {
  await store();
  expect(lines).toEqual([]);
  const path = join(folder, "b.sqlite3");
  await writeFile(path, "");
  await store({ path });
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain(`${path} is empty, whatever it held before; it is begun anew`);
});

describe("a database", () => {
  test("the files of a database and its folder are private", async () => {
    const path = join(folder, "deep", "a.sqlite3");
    const database = await store({ path });
    database.run("INSERT INTO notes (text) VALUES ('a')");
    expect(await modeOf(join(folder, "deep"))).toBe(0o700);
    const names = (await readdir(join(folder, "deep"))).sort();
    expect(names).toEqual(["a.sqlite3", "a.sqlite3-shm", "a.sqlite3-wal"]);
    for (const name of names) expect(await modeOf(join(folder, "deep", name))).toBe(0o600);
  });

  test("a file that others could read is made private", async () => {
    await store();
    close();
    await chmod(join(folder, "a.sqlite3"), 0o644);
    await store();
    expect(await modeOf(join(folder, "a.sqlite3"))).toBe(0o600);
  });

  test("a database is opened with WAL, secure delete, foreign keys, a busy timeout, full sync and strict names", async () => {
    const database = await store();
    expect(pragma(database, "journal_mode")).toBe("wal");
    expect(pragma(database, "secure_delete")).toBe(1);
    expect(pragma(database, "foreign_keys")).toBe(1);
    expect(pragma(database, "busy_timeout")).toBe(5000);
    expect(pragma(database, "synchronous")).toBe(2);
    const insert = database.query("INSERT INTO notes (text) VALUES ($text)");
    expect(() => insert.run({ txet: "a" })).toThrow();
  });
});

describe("the schema of a database", () => {
  const TITLES = "ALTER TABLE notes ADD COLUMN title TEXT NOT NULL DEFAULT ''";

  test("each migration is applied once", async () => {
    (await store()).run("INSERT INTO notes (text) VALUES ('a')");
    close();
    for (let start = 0; start < 2; start++) {
      const database = await store({ migrations: [NOTES, TITLES] });
      expect(pragma(database, "user_version")).toBe(2);
      expect(database.query("SELECT text, title FROM notes").all()).toEqual([
        { text: "a", title: "" },
      ]);
      close();
    }
  });

  test("a failed migration leaves the schema of the step before it", async () => {
    await store();
    close();
    const broken = "CREATE TABLE half (id INTEGER); INSERT INTO nowhere VALUES (1)";
    await expect(store({ migrations: [NOTES, TITLES, broken] })).rejects.toThrow("nowhere");
    const database = await store({ migrations: [NOTES, TITLES] });
    expect(pragma(database, "user_version")).toBe(2);
    expect(database.query("SELECT name FROM sqlite_schema WHERE name = 'half'").all()).toEqual([]);
  });

  test("a newer schema is refused, and its file is left alone", async () => {
    await store({ migrations: [NOTES, TITLES] });
    close();
    const before = await readFile(join(folder, "a.sqlite3"));
    expect(await failure(store())).toBe("newer");
    expect(await readFile(join(folder, "a.sqlite3"))).toEqual(before);
    expect(await readdir(folder)).toEqual(["a.sqlite3"]);
  });
});

describe("a database that cannot be used", () => {
  test("a damaged file is moved aside and created again", async () => {
    await writeFile(join(folder, "a.sqlite3"), "no database, whatever it is ".repeat(300));
    const database = await store();
    expect(database.query("SELECT count(*) AS n FROM notes").get()).toEqual({ n: 0 });
    const aside = await readFile(join(folder, "a.sqlite3.corrupt-1700000000"), "utf8");
    expect(aside).toStartWith("no database");
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain("a.sqlite3.corrupt-1700000000");
  });

  test("an unreadable path is refused and left in place", async () => {
    await mkdir(join(folder, "a.sqlite3"));
    expect(await failure(store())).toBe("unreadable");
    expect(await readdir(folder)).toEqual(["a.sqlite3"]);
    expect(lines).toEqual([]);
  });

  test("a folder that is a file is refused as unreadable", async () => {
    await writeFile(join(folder, "file"), "");
    expect(await failure(store({ path: join(folder, "file", "a.sqlite3") }))).toBe("unreadable");
  });

  test("a full disk is refused as full, and the rows stay", async () => {
    (await store()).run("INSERT INTO notes (text) VALUES ('kept')");
    close();
    const grows = `PRAGMA max_page_count = 1; CREATE TABLE big (blob BLOB);
      INSERT INTO big VALUES (zeroblob(1000000))`;
    expect(await failure(store({ migrations: [NOTES, grows] }))).toBe("full");
    const rows = (await store()).query("SELECT text FROM notes").all();
    expect(rows).toEqual([{ text: "kept" }]);
  });
});
