import { Database } from "bun:sqlite";
import { rmSync } from "node:fs";
import { chmod, open } from "node:fs/promises";
import { basename, dirname } from "node:path";
import type { Clock } from "../lib/clock.ts";
import { exists, fileAt, makePrivateDirectory, quarantine } from "../lib/json-file.ts";
import type { Log } from "../lib/log.ts";
import { asStoreError, failureOf, StoreError } from "./store-error.ts";

const PRIVATE_FILE = 0o600;
const BUSY_TIMEOUT_MS = 5000;
/** SQLite's files beside a database in WAL mode. */
export const COMPANIONS = ["-wal", "-shm"];
/** The size to which a checkpoint truncates the WAL. */
const MAX_JOURNAL_BYTES = 4 * 1024 * 1024;
/** Small, because a checkpoint within a commit blocks everything else. */
export const CHECKPOINT_PAGES = 250;

export interface StoreOptions {
  path: string;
  migrations: readonly Migration[];
  log: Pick<Log, "warn">;
  clock: Pick<Clock, "now">;
}

/**
 * Opens a private database and brings its schema up to date. A damaged one is moved aside with one
 * warning and replaced; anything else in the way stays as it is. A commit is on the disk when it
 * returns: what was written before a send is still known after a power cut.
 * @throws StoreError
 */
export async function openDatabase(options: StoreOptions): Promise<Database> {
  try {
    return await openOnce(options);
  } catch (error) {
    if (failureOf(error) !== "corrupt") throw asStoreError(error, basename(options.path));
    await setAside(options, error);
  }
  try {
    return await openOnce(options);
  } catch (error) {
    throw asStoreError(error, basename(options.path));
  }
}

/** Whether the file of a database is still in place: otherwise no start will read what is written. */
export function fileCheckOf({ filename }: Database): () => boolean {
  const opened = fileAt(filename);
  return () => fileAt(filename) === opened;
}

export function closeDatabase(database: Database, isInPlace: () => boolean): void {
  const hasLostFile = !isInPlace();
  database.close();
  if (!hasLostFile) return;
  // A new file in its place would take this WAL for its own.
  for (const suffix of COMPANIONS) rmSync(database.filename + suffix, { force: true });
}

/** Reads an existing store, which a service may be writing meanwhile. */
export function readWith<T>(path: string, look: (database: Database) => T): T {
  const database = new Database(path, { readonly: true });
  try {
    return look(database);
  } finally {
    database.close();
  }
}

async function openOnce({ path, migrations, log }: StoreOptions): Promise<Database> {
  const isKnown = await exists(path);
  if ((await makePrivate(path)) && isKnown)
    log.warn(`${path} is empty, whatever it held before; it is begun anew`);
  const database = new Database(path, { create: true, readwrite: true, strict: true });
  try {
    database.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    // The first statement that reads the file fails where it is no database.
    database.query("SELECT count(*) FROM sqlite_schema").get();
    database.run("PRAGMA secure_delete = ON");
    database.run("PRAGMA foreign_keys = ON");
    // A migration that a power cut loses runs again: no wait for the disk.
    database.run("PRAGMA synchronous = NORMAL");
    migrate(database, migrations);
    database.run("PRAGMA journal_mode = WAL");
    database.run(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    database.run(`PRAGMA journal_size_limit = ${MAX_JOURNAL_BYTES}`);
    database.run("PRAGMA synchronous = FULL");
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** New companions take the rights of the database, existing ones keep theirs. True: it was empty. */
async function makePrivate(path: string): Promise<boolean> {
  await makePrivateDirectory(dirname(path));
  await using handle = await open(path, "a", PRIVATE_FILE);
  const isEmpty = (await handle.stat()).size === 0;
  if (isEmpty) {
    begin(path);
    await handle.sync();
  }
  for (const suffix of ["", ...COMPANIONS])
    await chmod(path + suffix, PRIVATE_FILE).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error;
    });
  return isEmpty;
}

/** Makes an empty store in WAL mode; the caller syncs it. */
function begin(path: string): void {
  const database = new Database(path, { readwrite: true });
  try {
    database.run("PRAGMA synchronous = OFF");
    database.run("PRAGMA journal_mode = WAL");
  } finally {
    database.close();
  }
}

/** Moves a damaged store aside. @throws StoreError where it cannot be moved */
export async function setAside(
  { path, log, clock }: Omit<StoreOptions, "migrations">,
  cause: unknown,
): Promise<void> {
  try {
    const aside = await quarantine(path, { clock, companions: COMPANIONS });
    log.warn(`${path} is damaged; moved to ${aside}`);
  } catch {
    // The damage is the cause that a person has to know, not the failed move.
    throw new StoreError("corrupt", basename(path), { cause });
  }
}

/** One step of a schema, never changed once it is released. */
export type Migration = string | ((database: Database) => void);

/**
 * Brings a store to the newest schema, each migration in one transaction. The store's version counts
 * the applied migrations.
 * @throws StoreError newer, with nothing written
 */
export function migrate(database: Database, migrations: readonly Migration[]): void {
  const row = database.query<{ user_version: number }, []>("PRAGMA user_version").get();
  const applied = row?.user_version ?? 0;
  if (applied > migrations.length) throw new StoreError("newer", basename(database.filename));
  for (const [index, migration] of migrations.entries()) {
    if (index < applied) continue;
    const step = database.transaction(() => {
      if (typeof migration === "string") database.run(migration);
      else migration(database);
      database.run(`PRAGMA user_version = ${index + 1}`);
    });
    step.immediate();
  }
}
