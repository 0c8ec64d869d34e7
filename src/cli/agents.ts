import { join } from "node:path";
import { AGENT_STORE_FILE, AgentStore } from "../agents/store/store.ts";
import { AGENT_MIGRATIONS } from "../agents/store/schema.ts";
import { StartupError } from "../errors.ts";
import { systemClock } from "../lib/clock.ts";
import { exists } from "../lib/exists.ts";
import { createLog } from "../lib/log.ts";
import { openDatabase } from "../store/database.ts";
import { StoreError } from "../store/store-error.ts";
import type { Flags } from "./arguments.ts";
import { claimStateDir } from "./claim.ts";
import { stateDirFor } from "./context.ts";

/**
 * Deletes all that was read of agents' logs; older records are not read again. The store has one
 * writer, so that a service on the same state directory has to be stopped first.
 * @throws StartupError
 */
export async function clearAgents(flags: Flags): Promise<number> {
  const log = createLog();
  const stateDir = stateDirFor(flags);
  const path = join(stateDir, AGENT_STORE_FILE);
  if (!(await exists(path))) return tell(`nothing is kept in ${path}`);
  const lock = await claimStateDir(stateDir, { log, waitMs: 0 });
  try {
    const options = { path, migrations: AGENT_MIGRATIONS, log, clock: systemClock };
    const database = await openDatabase(options);
    new AgentStore({ database, now: () => systemClock.now() }).clear();
    database.close();
  } catch (error) {
    if (error instanceof StoreError) throw new StartupError(error.message);
    throw error;
  } finally {
    await lock?.release();
  }
  return tell(`nothing is kept in ${path} any more, and nothing older is read again`);
}

function tell(sentence: string): number {
  process.stdout.write(`${sentence}\n`);
  return 0;
}
