import type { Database } from "bun:sqlite";
import type { AgentRuntime, Association } from "../../protocol/agents.ts";
import { readWith } from "../../store/database.ts";
import { Table } from "../../store/table.ts";
import { failureOf } from "../../store/store-error.ts";
import { AGENT_MIGRATIONS } from "./schema.ts";

/** A store as it lies on the disk, looked at without touching it. */
export interface StoreFacts {
  /** Numbers of its schema and of the newest one that this program knows. */
  version: number;
  known: number;
  sessions: number;
  messages: number;
  /** Sessions that a pane shows, and by what proof. */
  bound: { runtime: AgentRuntime; target: string; association: Association; source: string }[];
}

/** A word for what stands in the way where the file cannot be read. */
export type StoreLook = StoreFacts | { failure: string };

/** Reads a store that exists; a service may be writing it meanwhile. */
export function readStoreFacts(path: string): StoreLook {
  try {
    return readWith(path, factsOf);
  } catch (error) {
    const failure = failureOf(error);
    if (failure === null) throw error;
    return { failure };
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
