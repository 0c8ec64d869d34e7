import { Database } from "bun:sqlite";
import { rmSync } from "node:fs";
import { chmod, open } from "node:fs/promises";
import { basename, dirname } from "node:path";
import type { Clock } from "../lib/clock.ts";
import { exists, makePrivateDirectory, quarantine } from "../lib/json-file.ts";
import type { Log } from "../lib/log.ts";
import { fileAt } from "./process-lock.ts";
import { asStoreError, failureOf, StoreError } from "./store-error.ts";

const PRIVATE_FILE = 0o600;
const BUSY_TIMEOUT_MS = 5000;
/** SQLite's own files beside a database in WAL mode. */
export const COMPANIONS = ["-wal", "-shm"];
/** What a log of changes may hold on to once they stand in the database. */
const MAX_JOURNAL_BYTES = 4 * 1024 * 1024;
/** Changes are moved there in short steps: the disk is waited for, and nothing else runs. */
export const CHECKPOINT_PAGES = 250;

export interface StoreOptions {
  path: string;
  migrations: readonly Migration[];
  log: Pick<Log, "warn">;
  clock: Pick<Clock, "now">;
}

/**
 * Opens a private database and brings its schema up to date. One that was read and is damaged is
 * moved aside with one warning, and a new one begun; anything else that stands in the way is left
 * as it is. A commit is on the disk when it returns: what was written before a send is still known
 * after a power cut.
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

/**
 * Asks whether the file of a database is the one that stands there now. Removed or replaced, what is
 * written goes where no start will read it.
 */
export function fileCheckOf({ filename }: Database): () => boolean {
  const opened = fileAt(filename);
  return () => fileAt(filename) === opened;
}

/** Where another file stands in its place, that one is not to take its changes for its own. */
export function closeDatabase(database: Database, isInPlace: () => boolean): void {
  const hasLostFile = !isInPlace();
  database.close();
  if (!hasLostFile) return;
  for (const suffix of COMPANIONS) rmSync(database.filename + suffix, { force: true });
}

/** One look at a store that exists; a service may be writing it meanwhile. */
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
    // The first statement that reads the file: what is no database says so here.
    database.query("SELECT count(*) FROM sqlite_schema").get();
    database.run("PRAGMA secure_delete = ON");
    database.run("PRAGMA foreign_keys = ON");
    // A step of the schema that is lost with the power is taken again: no wait for the disk.
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

/**
 * Companions take the rights of the database when they are made; those that exist keep theirs. True
 * where the file was empty.
 */
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

/** An empty store with a log of changes; whoever calls waits for the disk. */
function begin(path: string): void {
  const database = new Database(path, { readwrite: true });
  try {
    database.run("PRAGMA synchronous = OFF");
    database.run("PRAGMA journal_mode = WAL");
  } finally {
    database.close();
  }
}

/** Moves a damaged store out of the way. @throws StoreError where it cannot be moved */
export async function setAside(
  { path, log, clock }: Omit<StoreOptions, "migrations">,
  cause: unknown,
): Promise<void> {
  try {
    const aside = await quarantine(path, { clock, companions: COMPANIONS });
    log.warn(`${path} is damaged; moved to ${aside}`);
  } catch {
    // What cannot be moved stays; that it is damaged is the finding.
    throw new StoreError("corrupt", basename(path), { cause });
  }
}

/**
 * One step of a schema's history, never changed once it has been released: statements, or what
 * SQLite alone cannot do.
 */
export type Migration = string | ((database: Database) => void);

/**
 * Brings a store to the newest schema. Its number is that of the migrations that it has seen; each
 * is one transaction, so that a step that fails leaves the schema of the step before.
 * @throws StoreError newer, with nothing written.
 */
export function migrate(database: Database, migrations: readonly Migration[]): void {
  const seen = schemaOf(database);
  if (seen > migrations.length) throw new StoreError("newer", basename(database.filename));
  for (const [index, migration] of migrations.entries()) {
    if (index < seen) continue;
    const step = database.transaction(() => {
      if (typeof migration === "string") database.run(migration);
      else migration(database);
      database.run(`PRAGMA user_version = ${index + 1}`);
    });
    step.immediate();
  }
}

function schemaOf(database: Database): number {
  const row = database.query<{ user_version: number }, []>("PRAGMA user_version").get();
  return row?.user_version ?? 0;
}
