import type { Database } from "bun:sqlite";
import { basename } from "node:path";
import { StoreError } from "./store-error.ts";

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
