import { rm } from "node:fs/promises";
import { join } from "node:path";
import { StoreFile } from "../agents/store/store-file.ts";
import type { Flags } from "../config/resolve.ts";
import { stateDirFor } from "../config/state-dir.ts";
import { StartupError } from "../errors.ts";
import { systemClock } from "../lib/clock.ts";
import { exists } from "../lib/json-file.ts";
import { createLog } from "../lib/log.ts";
import { NAMES_FILE } from "../naming/cache.ts";
import { StateLock } from "../store/state-lock.ts";
import { StoreError } from "../store/store-error.ts";

/**
 * Deletes all that was read of agents' logs; older records are not read again. The store has one
 * writer: a service on the same state directory has to be stopped first.
 * @throws StartupError
 */
export async function clearAgents(flags: Flags): Promise<string> {
  const log = createLog();
  const stateDir = stateDirFor(flags);
  const store = new StoreFile({ stateDir, log, clock: systemClock });
  const { path } = store;
  if (!(await exists(path))) return `nothing is kept in ${path}\n`;
  const lock = await StateLock.take(stateDir, { log, waitMs: 0 });
  try {
    await store.clear();
  } catch (error) {
    if (error instanceof StoreError) throw new StartupError(error.message);
    throw error;
  } finally {
    await lock.release();
  }
  return `nothing is kept in ${path} any more, and nothing older is read again\n`;
}

/** A running service notices within seconds. */
export async function clearNames(flags: Flags): Promise<string> {
  const path = join(stateDirFor(flags), NAMES_FILE);
  await rm(path, { force: true });
  return `no saved names in ${path}\n`;
}
