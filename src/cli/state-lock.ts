import { join } from "node:path";
import { AppError, StartupError } from "../errors.ts";
import type { Log } from "../lib/log.ts";
import { findHolder, type Holder, type HolderAddress, ProcessLock } from "../store/process-lock.ts";

const LOCK_FILE = "panewatch.lock";
/** At a restart the previous service may still be stopping. */
const WAIT_MS = 5000;

/**
 * Makes this process the only service on a state directory for as long as it lives. Null where the
 * directory cannot be locked: then the service only watches (`requireLock`).
 * @throws StartupError when another service holds the lock.
 */
export async function lockStateDir(
  stateDir: string,
  deps: { log: Log; waitMs?: number },
): Promise<ProcessLock | null> {
  const path = join(stateDir, LOCK_FILE);
  const lock = await ProcessLock.take(path, deps.waitMs ?? WAIT_MS).catch((error: unknown) => {
    const why = `${stateDir} cannot be locked against a second service`;
    deps.log.warn(`nothing can be sent: ${why}: ${String(error)}`);
    return null;
  });
  if (lock === "taken") throw new StartupError(refusal(stateDir, await findHolder(path)));
  // If this write fails, so will that of the address, which is logged.
  await lock?.tell({ pid: process.pid, address: null }).catch(() => undefined);
  return lock;
}

/**
 * Call it before anything is sent, and before a waiting message is saved: without the lock another
 * service may have the same messages.
 * @throws AppError persist_failed
 */
export const requireLock = (lock: ProcessLock | null) => async (): Promise<void> => {
  if (lock?.isInPlace()) return;
  const why = lock
    ? "the state directory was removed or replaced while panewatch ran"
    : "the state directory could not be locked against a second panewatch at the start";
  throw new AppError("persist_failed", `nothing was sent: ${why}; start it again`);
};

/** Writes address and secret into the lock file, for the commands of this machine. */
export async function writeHolder(
  lock: ProcessLock | null,
  holder: HolderAddress,
  log: Log,
): Promise<void> {
  await lock?.tell({ pid: process.pid, ...holder }).catch((error: unknown) => {
    log.warn(`the commands of panewatch will not find this service: ${String(error)}`);
  });
}

export async function findService(stateDir: string): Promise<Holder | null> {
  return findHolder(join(stateDir, LOCK_FILE));
}

function refusal(stateDir: string, holder: Holder | null): string {
  const port = holder?.address ? `, port ${holder.address.port}` : "";
  const who = holder ? ` (pid ${holder.pid}${port})` : "";
  return `another panewatch${who} uses ${stateDir}: stop it, or give another --config`;
}
