import type { Database } from "bun:sqlite";
import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../lib/clock.ts";
import type { Log } from "../../lib/log.ts";
import type { AgentRuntime, Association } from "../../protocol/agents.ts";
import { Checkpointer } from "../../store/checkpointer.ts";
import { COMPANIONS, openDatabase, fileCheckOf, readWith, setAside } from "../../store/database.ts";
import { asStoreError, StoreError } from "../../store/store-error.ts";
import { Table } from "../../store/table.ts";
import { ReviewStore, type Timer } from "../review/store.ts";
import { AGENT_MIGRATIONS } from "./schema.ts";
import { AgentStore } from "./store.ts";

export const AGENT_STORE_FILE = "panewatch-agents.sqlite3";

interface StoreFileOptions {
  stateDir: string;
  clock: Clock;
  log: Pick<Log, "warn">;
}

export class StoreFile {
  readonly path: string;
  readonly #options: StoreFileOptions;

  constructor(options: StoreFileOptions) {
    this.#options = options;
    this.path = join(options.stateDir, AGENT_STORE_FILE);
  }

  /** @throws StoreError */
  async open(): Promise<AgentStore> {
    return this.#open(this.path);
  }

  /**
   * Deletes all that was read by beginning another file. Older records are not imported again; the
   * timer of the review goes on.
   * @throws StoreError, with the store as it was
   */
  async clear(): Promise<void> {
    const next = `${this.path}.new`;
    try {
      const timer = readTimer(this.path);
      await removeStore(next);
      const store = await this.#open(next);
      try {
        using checkpointer = new Checkpointer(store.database);
        const keep = () => {
          store.expiry.setCleared(store.now);
          if (timer) new ReviewStore(store.database).change(() => timer);
        };
        store.write(keep, { isImport: true });
        await checkpointer.run();
      } finally {
        store.close();
      }
      // After a close they hold nothing that is not in the file.
      await Promise.all(COMPANIONS.map((suffix) => rm(this.path + suffix, { force: true })));
      await rename(next, this.path);
    } catch (error) {
      await removeStore(next).catch(() => undefined);
      const storeError = asStoreError(error, AGENT_STORE_FILE);
      if (storeError instanceof StoreError) throw storeError;
      throw new StoreError("unreadable", AGENT_STORE_FILE, { cause: error });
    }
  }

  /** Moves a damaged store aside. @throws StoreError */
  async setAside(cause: unknown): Promise<void> {
    await setAside({ path: this.path, ...this.#options }, cause);
  }

  async #open(path: string): Promise<AgentStore> {
    const { clock, log } = this.#options;
    const database = await openDatabase({ path, migrations: AGENT_MIGRATIONS, log, clock });
    return new AgentStore({ database, isInPlace: fileCheckOf(database), clock, log });
  }
}

/** Nothing more can be written to the store: another file has to be begun. */
export const isUnusable = (error: unknown): error is StoreError =>
  error instanceof StoreError && (error.kind === "corrupt" || error.kind === "removed");

/** Null where none can be read. */
function readTimer(path: string): Timer | null {
  try {
    return readWith(path, (database) => new ReviewStore(database).timer());
  } catch {
    return null;
  }
}

async function removeStore(path: string): Promise<void> {
  await Promise.all(["", ...COMPANIONS].map((suffix) => rm(path + suffix, { force: true })));
}

interface StoreFacts {
  /** Versions of the file's schema, and of the newest that this program knows. */
  version: number;
  known: number;
  sessions: number;
  messages: number;
  /** Sessions in panes, and by which proof. */
  bound: { runtime: AgentRuntime; target: string; association: Association; source: string }[];
}

/** `failure`: a sentence on why the file cannot be read. */
export type StoreReport = StoreFacts | { failure: string };

export function readStoreFacts(path: string): StoreReport {
  try {
    return readWith(path, factsOf);
  } catch (error) {
    const failure = asStoreError(error, path);
    if (!(failure instanceof StoreError)) throw error;
    return { failure: failure.message };
  }
}

function factsOf(database: Database): StoreFacts {
  const count = (table: "sessions" | "messages") =>
    new Table(database, table).value<number>("count(*)", "") ?? 0;
  const row = database.query<{ user_version: number }, []>("PRAGMA user_version").get();
  const version = row?.user_version ?? 0;
  const known = AGENT_MIGRATIONS.length;
  if (version === 0 || version > known)
    return { version, known, sessions: 0, messages: 0, bound: [] };
  const bound = new Table(database, "sessions").pick<StoreFacts["bound"][number]>(
    `runtime, json_extract(binding, '$.target') AS target,
     json_extract(binding, '$.association') AS association,
     coalesce(json_extract(binding, '$.source'), '') AS source`,
    "WHERE json_extract(binding, '$.paneId') IS NOT NULL ORDER BY target",
  );
  return { version, known, sessions: count("sessions"), messages: count("messages"), bound };
}
