import { Database } from "bun:sqlite";
import { statSync } from "node:fs";
import { chmod, lstat, rm, truncate } from "node:fs/promises";
import { dirname } from "node:path";
import { makePrivateDirectory, readText, writePrivateFile } from "../lib/json-file.ts";
import { failureOf } from "./store-error.ts";

/** Null until it listens. */
export type HolderAddress =
  | { address: null }
  /** `secret` signs in like the token while the holder runs; only its user can read the file. */
  | { address: { host: string; port: number }; secret: string };

export type Holder = { pid: number } & HolderAddress;

const RETRY_MS = 100;

/**
 * A lock that ends with its process, however that ends: the system's lock on a file, taken through
 * SQLite, which knows it on every system. A file beside it names the holder. Keep this object until
 * the end: the lock goes when it is garbage collected.
 */
export class ProcessLock {
  readonly #database: Database;
  readonly #path: string;
  /** Of `fileAt`. */
  readonly #file: string;

  private constructor(database: Database, path: string, file: string) {
    this.#database = database;
    this.#path = path;
    this.#file = file;
  }

  /**
   * `taken` when another process still holds it after `waitMs`.
   * @throws Error of the file system or of SQLite when the file cannot be used
   */
  static async take(path: string, waitMs: number): Promise<ProcessLock | "taken"> {
    await makePrivateDirectory(dirname(path));
    const database = new Database(path, { create: true, readwrite: true });
    await chmod(path, 0o600);
    const file = fileAt(path);
    const deadline = performance.now() + waitMs;
    try {
      // Nothing is ever written, so no journal file is needed.
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
      // A damaged file cannot be locked. Emptied in place, it stays the same file for all processes.
      await truncate(path);
      return ProcessLock.take(path, waitMs);
    }
    return new ProcessLock(database, path, file ?? "");
  }

  /** Tells processes that cannot take the lock who holds it. */
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
 * Null when nobody holds the lock, when the holder has not told, and when the files are another
 * user's, who could have written anything.
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

/** Device and inode, which tell a file from every other one; null without a file. */
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
