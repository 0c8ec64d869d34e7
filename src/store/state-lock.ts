import { Database } from "bun:sqlite";
import { chmod, lstat, rm, truncate } from "node:fs/promises";
import { dirname, join } from "node:path";
import { AppError, StartupError } from "../errors.ts";
import { fileAt, makePrivateDirectory, readText, writePrivateFile } from "../lib/json-file.ts";
import type { Log } from "../lib/log.ts";
import { failureOf } from "./store-error.ts";

interface Address {
  host: string;
  port: number;
}

/** `address` is null until it listens. */
type Holder = { pid: number } & ({ address: null } | { address: Address; secret: string });

const LOCK_FILE = "panewatch.lock";
/** At a restart the previous service may still be stopping. */
const WAIT_MS = 5000;
const RETRY_MS = 100;

const lockPath = (stateDir: string): string => join(stateDir, LOCK_FILE);
const holderPath = (stateDir: string): string => `${lockPath(stateDir)}.json`;

/**
 * Makes this process the only service on a state directory for as long as it lives, however it ends:
 * the system's lock on a file, taken through SQLite, which knows it on every system. A file beside it
 * names the holder. Keep this object until the end: the lock goes when it is garbage collected.
 */
export class StateLock {
  readonly #stateDir: string;
  readonly #log: Pick<Log, "warn">;
  /** Null where the directory cannot be locked: then the service only watches (`require`). */
  readonly #locked: LockedFile | null;

  private constructor(stateDir: string, log: Pick<Log, "warn">, locked: LockedFile | null) {
    this.#stateDir = stateDir;
    this.#log = log;
    this.#locked = locked;
  }

  /** @throws StartupError when another process still holds it after `waitMs` */
  static async take(
    stateDir: string,
    { log, waitMs = WAIT_MS }: { log: Pick<Log, "warn">; waitMs?: number },
  ): Promise<StateLock> {
    const locked = await lockFile(lockPath(stateDir), waitMs).catch((error: unknown) => {
      const why = `${stateDir} cannot be locked against a second service`;
      log.warn(`nothing can be sent: ${why}: ${String(error)}`);
      return null;
    });
    if (locked === "taken") throw new StartupError(refusal(stateDir, await findService(stateDir)));
    const lock = new StateLock(stateDir, log, locked);
    // If this write fails, so will that of the address, which is logged.
    await lock.#write({ address: null }).catch(() => undefined);
    return lock;
  }

  /**
   * For the commands of this machine: `secret` signs in like the token while the service runs, and
   * only its user can read the file.
   */
  async tell(address: Address, secret: string): Promise<void> {
    await this.#write({ address, secret }).catch((error: unknown) => {
      this.#log.warn(`the commands of panewatch will not find this service: ${String(error)}`);
    });
  }

  /**
   * Call it before anything is sent, and before a waiting message is saved: without the lock, or once
   * its file was removed or replaced, another service may have the same messages.
   * @throws AppError persist_failed
   */
  async require(): Promise<void> {
    await this.requireInPlace("sent");
    if (this.#locked) return;
    const why = "the state directory could not be locked against a second panewatch at the start";
    throw new AppError("persist_failed", `nothing was sent: ${why}; start it again`);
  }

  /**
   * Call it before settings, or what signs in, are saved: they would come back in a directory that a
   * person has removed, or replace those of the next service. @throws AppError persist_failed
   */
  async requireInPlace(done = "saved"): Promise<void> {
    if (!this.#locked || this.#isInPlace()) return;
    const why = "the state directory was removed or replaced while panewatch ran";
    throw new AppError("persist_failed", `nothing was ${done}: ${why}; start it again`);
  }

  async release(): Promise<void> {
    if (this.#isInPlace()) await rm(holderPath(this.#stateDir), { force: true });
    this.#locked?.database.close();
  }

  #isInPlace(): boolean {
    return this.#locked !== null && fileAt(lockPath(this.#stateDir)) === this.#locked.file;
  }

  async #write(holder: { address: Address | null; secret?: string }): Promise<void> {
    if (!this.#locked) return;
    const text = JSON.stringify({ pid: process.pid, ...holder });
    await writePrivateFile(holderPath(this.#stateDir), text);
  }
}

interface LockedFile {
  /** Its open transaction is the lock. */
  database: Database;
  /** Of `fileAt`. */
  file: string;
}

/**
 * `taken` when another process still holds it after `waitMs`.
 * @throws Error of the file system or of SQLite when the file cannot be used
 */
async function lockFile(path: string, waitMs: number): Promise<LockedFile | "taken"> {
  await makePrivateDirectory(dirname(path));
  const database = new Database(path, { create: true, readwrite: true });
  await chmod(path, 0o600);
  const file = fileAt(path) ?? "none";
  const deadline = performance.now() + waitMs;
  try {
    // Nothing is ever written, so no journal file is needed.
    database.run("PRAGMA journal_mode = MEMORY");
    while (!hasBegun(database)) {
      if (performance.now() >= deadline) {
        database.close();
        return "taken";
      }
      await Bun.sleep(RETRY_MS);
    }
    return { database, file };
  } catch (error) {
    database.close();
    if (failureOf(error) !== "corrupt") throw error;
    // A damaged file cannot be locked. Emptied in place, it stays the same file for all processes.
    await truncate(path);
    return lockFile(path, waitMs);
  }
}

function hasBegun(database: Database): boolean {
  try {
    database.run("BEGIN IMMEDIATE");
    return true;
  } catch (error) {
    if (failureOf(error) === "busy") return false;
    throw error;
  }
}

/**
 * The service of a state directory. Null when nobody holds its lock, when the holder has not told, and
 * when the files are another user's, who could have written anything.
 */
export async function findService(stateDir: string): Promise<Holder | null> {
  const [path, note] = [lockPath(stateDir), holderPath(stateDir)];
  if (!(await isOurs(path)) || !(await isOurs(note))) return null;
  const locked = await lockFile(path, 0).catch(() => null);
  if (locked !== "taken") {
    locked?.database.close();
    return null;
  }
  try {
    const holder: unknown = JSON.parse((await readText(note)) ?? "null");
    return isHolder(holder) && isAlive(holder.pid) ? holder : null;
  } catch {
    // The holder is just ending.
    return null;
  }
}

/** Without a schema: every command that only looks for the service would load the library. */
function isHolder(value: unknown): value is Holder {
  const { pid, address, secret } = Object(value);
  const { host, port } = Object(address);
  const isText = typeof host === "string" && typeof secret === "string";
  return typeof pid === "number" && (address === null || (isText && typeof port === "number"));
}

/** A crashed holder leaves its file, and a probe of another process may hold the lock just now. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function isOurs(path: string): Promise<boolean> {
  return lstat(path).then(
    (stats) => stats.isFile() && stats.uid === process.getuid?.() && (stats.mode & 0o022) === 0,
    () => false,
  );
}

function refusal(stateDir: string, holder: Holder | null): string {
  const port = holder?.address ? `, port ${holder.address.port}` : "";
  const who = holder ? ` (pid ${holder.pid}${port})` : "";
  return `another panewatch${who} uses ${stateDir}: stop it, or give another --config`;
}
