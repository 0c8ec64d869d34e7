import { Database } from "bun:sqlite";
import { statSync } from "node:fs";
import { chmod, lstat, rm, truncate } from "node:fs/promises";
import { dirname } from "node:path";
import { makePrivateDirectory, readText, writePrivateFile } from "../lib/json-file.ts";
import { failureOf } from "./store-error.ts";

export interface Holder {
  pid: number;
  /** Where it listens; null until it does. */
  address: { host: string; port: number } | null;
  /** Signs in like the token, for as long as the holder runs: only its user can read the file. */
  secret?: string;
}

const RETRY_MS = 100;

/**
 * A lock that ends with its process, however that ends: the system's own lock on a file, taken
 * through SQLite, which has one for every system. Beside it lies a file that tells who holds it.
 * Whoever takes it keeps this object to the end: when nothing refers to it, the lock goes with it.
 */
export class ProcessLock {
  readonly #database: Database;
  readonly #path: string;
  /** Which file it is. */
  readonly #file: string;

  private constructor(database: Database, path: string, file: string) {
    this.#database = database;
    this.#path = path;
    this.#file = file;
  }

  /**
   * `taken` when another process still holds it after `waitMs`.
   * @throws Error of the file system or of SQLite when the file cannot be used.
   */
  static async take(path: string, waitMs: number): Promise<ProcessLock | "taken"> {
    await makePrivateDirectory(dirname(path));
    const database = new Database(path, { create: true, readwrite: true });
    await chmod(path, 0o600);
    const file = fileAt(path);
    const deadline = performance.now() + waitMs;
    try {
      // Nothing is ever written: no journal is to lie beside it.
      database.run("PRAGMA journal_mode = MEMORY");
      while (!isLocked(database)) {
        if (performance.now() >= deadline) {
          database.close();
          return "taken";
        }
        await Bun.sleep(RETRY_MS);
      }
    } catch (error) {
      database.close();
      if (failureOf(error) !== "corrupt") throw error;
      // What a fault has written there keeps everybody from holding it. Emptied in place, it stays
      // one file to all who want it.
      await truncate(path);
      return ProcessLock.take(path, waitMs);
    }
    return new ProcessLock(database, path, file ?? "");
  }

  /** For those who are refused. */
  async tell(holder: Holder): Promise<void> {
    await writePrivateFile(holderPath(this.#path), JSON.stringify(holder));
  }

  /** False once the file was removed or replaced: another process may hold the one that is there. */
  isInPlace(): boolean {
    return fileAt(this.#path) === this.#file;
  }

  async release(): Promise<void> {
    if (this.isInPlace()) await rm(holderPath(this.#path), { force: true });
    this.close();
  }

  /** Releases the lock but keeps the holder file: for a probe that only tested whether it is free. */
  close(): void {
    this.#database.close();
  }
}

/**
 * Who holds the lock now; null when nobody does, when the holder has not said, and when the files
 * are of another user, who could have written anything.
 */
export async function findHolder(path: string): Promise<Holder | null> {
  if (!(await isOurs(path)) || !(await isOurs(holderPath(path)))) return null;
  const lock = await ProcessLock.take(path, 0).catch(() => null);
  if (lock !== "taken") {
    lock?.close();
    return null;
  }
  try {
    const text = await readText(holderPath(path));
    const holder: unknown = JSON.parse(text ?? "null");
    return isHolder(holder) && isAlive(holder.pid) ? holder : null;
  } catch {
    // It goes just now: as good as not said.
    return null;
  }
}

/** By hand: a schema library would be evaluated by every command that only asks who runs. */
function isHolder(value: unknown): value is Holder {
  const { pid, address, secret } = Object(value);
  const { host, port } = Object(address);
  return (
    typeof pid === "number" &&
    (address === null || (typeof host === "string" && typeof port === "number")) &&
    (secret === undefined || typeof secret === "string")
  );
}

/** Also against what a holder that crashed has left, while another only looks at the lock. */
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
    (found) => found.isFile() && found.uid === process.getuid?.() && (found.mode & 0o022) === 0,
    () => false,
  );
}

/** Tells a file from every other one; null where there is none to be seen. */
export function fileAt(path: string): string | null {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev} ${ino}`;
  } catch {
    return null;
  }
}

function holderPath(path: string): string {
  return `${path}.json`;
}

/** The open transaction is the lock. */
function isLocked(database: Database): boolean {
  try {
    database.run("BEGIN IMMEDIATE");
    return true;
  } catch (error) {
    if (failureOf(error) === "busy") return false;
    throw error;
  }
}
