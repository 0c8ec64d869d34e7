import { Database } from "bun:sqlite";
import { migrate } from "../../store/migrations.ts";
import { openDatabase, type StoreOptions } from "../../store/database.ts";
import { ActStore } from "./act-store.ts";
import { LEDGER_MIGRATIONS } from "./schema.ts";

/** @throws StoreError */
export async function openActStore(options: Omit<StoreOptions, "migrations">): Promise<ActStore> {
  return new ActStore(await openDatabase({ ...options, migrations: LEDGER_MIGRATIONS }));
}

/** One that ends with the service. */
export async function actStoreInMemory(): Promise<ActStore> {
  const database = new Database(":memory:", { strict: true });
  migrate(database, LEDGER_MIGRATIONS);
  return new ActStore(database);
}
