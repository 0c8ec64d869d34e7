import { join } from "node:path";
import { AppError, StartupError } from "../errors.ts";
import type { Log } from "../lib/log.ts";
import { findHolder, type Holder, ProcessLock } from "../store/process-lock.ts";

const LOCK_FILE = "panewatch.lock";
/** Timeout for the lock: at a restart the service before is still stopping. */
const WAIT_MS = 5000;

/**
 * Makes this process the only service on a state directory for as long as it lives. Null where it
 * cannot be: then it only watches (`requireLock`).
 * @throws StartupError when another service has it.
 */
export async function claimStateDir(
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
  // Where this fails, the note with the address will as well, which is told.
  await lock?.tell({ pid: process.pid, address: null }).catch(() => undefined);
  return lock;
}

/**
 * To be asked before anything is sent, and before what waits to be sent is written: where the state
 * directory was removed, or was never locked, another service may know the same messages.
 * @throws AppError persist_failed
 */
export const requireLock = (lock: ProcessLock | null) => async (): Promise<void> => {
  if (lock?.isInPlace()) return;
  const why = lock
    ? "the state directory was removed or replaced while panewatch ran"
    : "the state directory could not be locked against a second panewatch at the start";
  throw new AppError("persist_failed", `nothing was sent: ${why}; start it again`);
};

/** Writes who holds the lock. The lock holds without it; only commands that ask the service need it. */
export async function tellHolder(
  lock: ProcessLock | null,
  holder: Omit<Holder, "pid">,
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
