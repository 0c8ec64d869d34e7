import { afterEach, beforeEach, expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { copyFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { Checkpointer } from "../../src/store/checkpointer.ts";
import { openDatabase } from "../../src/store/database.ts";
import { temporary } from "../support/temporary.ts";

let folder = "";
let database: Database;

beforeEach(async () => {
  folder = await temporary("checkpointer");
  database = await openDatabase({
    path: join(folder, "a.sqlite3"),
    migrations: ["CREATE TABLE notes (text TEXT NOT NULL) STRICT"],
    log: { warn: () => undefined },
    clock: { now: () => 1_700_000_000 },
  });
});
afterEach(async () => {
  database.close();
});

const pages = () => Object.values(database.query("PRAGMA wal_autocheckpoint").get() ?? {})[0];

/** The rows in the database file, without its WAL. */
async function rowsInFile(): Promise<number | undefined> {
  const copy = join(folder, "copy.sqlite3");
  await copyFile(database.filename, copy);
  using alone = new Database(copy);
  return alone.query<{ n: number }, []>("SELECT count(*) AS n FROM notes").get()?.n;
}

test("a checkpoint moves all written rows into the database file", async () => {
  using checkpointer = new Checkpointer(database);
  const write = database.query("INSERT INTO notes VALUES (hex(zeroblob(4000)))");
  for (let row = 0; row < 300; row++) write.run();
  await checkpointer.run();
  expect(await rowsInFile()).toBe(300);
  write.run();
  await checkpointer.run();
  expect(await rowsInFile()).toBe(301);
});

test("automatic checkpoints are off while a checkpointer exists", () => {
  const before = pages();
  {
    using _ = new Checkpointer(database);
    expect(pages()).toBe(0);
  }
  expect(before).toBeGreaterThan(0);
  expect(pages()).toBe(before);
});

test("a checkpoint that the thread cannot do is done by the process", async () => {
  using checkpointer = new Checkpointer(database);
  database.run("INSERT INTO notes VALUES ('a')");
  const path = database.filename;
  await rename(path, `${path}.elsewhere`);
  await checkpointer.run();
  await rename(`${path}.elsewhere`, path);
  expect(await rowsInFile()).toBe(1);
});
