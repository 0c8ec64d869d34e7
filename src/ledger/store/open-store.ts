import { Database } from "bun:sqlite";
import { join } from "node:path";
import {
  migrate,
  type Migration,
  openDatabase,
  fileCheckOf,
  setAside,
  type StoreOptions,
} from "../../store/database.ts";
import { Ledger, type LedgerDeps } from "../ledger.ts";
import { ActStore } from "./act-store.ts";

export const LEDGER_FILE = "acts.sqlite";

export const LEDGER_MIGRATIONS: readonly Migration[] = [
  `-- Runs of the service of which every act is known.
  CREATE TABLE runs (incarnation TEXT PRIMARY KEY, at REAL NOT NULL) WITHOUT ROWID;
  -- Requests under an idempotency key; without an outcome it may have been carried out.
  CREATE TABLE requests (
    key TEXT PRIMARY KEY, digest TEXT NOT NULL, at REAL NOT NULL, outcome TEXT
  ) WITHOUT ROWID;
  CREATE INDEX requests_by_age ON requests (at);
  -- Acts, which have a state, and events of access, which have none.
  CREATE TABLE record (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, at REAL NOT NULL,
    by_grant TEXT NOT NULL, by_name TEXT NOT NULL, label TEXT NOT NULL,
    key TEXT, pane_id TEXT, target TEXT, identity TEXT, about_kind TEXT, about_text TEXT,
    state TEXT, reason TEXT, count INTEGER NOT NULL DEFAULT 1
  );
  CREATE INDEX record_by_key ON record (key) WHERE key IS NOT NULL;
  CREATE INDEX record_by_pane ON record (pane_id) WHERE pane_id IS NOT NULL;
  CREATE INDEX record_sending ON record (seq) WHERE state = 'sending'`,
];

/**
 * @param damage what a use of the present file failed with: the file is moved aside then
 * @throws StoreError
 */
export async function openActStore(
  options: Omit<StoreOptions, "migrations">,
  damage: unknown = null,
): Promise<ActStore> {
  if (damage !== null) await setAside(options, damage);
  const database = await openDatabase({ ...options, migrations: LEDGER_MIGRATIONS });
  return new ActStore(database, fileCheckOf(database));
}

export async function actStoreInMemory(): Promise<ActStore> {
  const database = new Database(":memory:", { strict: true });
  migrate(database, LEDGER_MIGRATIONS);
  return new ActStore(database);
}

/** The ledger of a state directory; with zero days to keep, in memory alone. */
export function ledgerIn(options: Omit<LedgerDeps, "open"> & { stateDir: string }): Ledger {
  const { stateDir, keepDays, clock, log } = options;
  const file = { path: join(stateDir, LEDGER_FILE), log, clock };
  const onDisk = (damage: unknown) => openActStore(file, damage);
  return new Ledger({ ...options, open: keepDays === 0 ? actStoreInMemory : onDisk });
}
