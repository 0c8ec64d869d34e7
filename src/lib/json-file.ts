import { constants, statSync } from "node:fs";
import { access, type FileHandle, mkdir, open, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { codeOf } from "../errors.ts";
import type { Clock } from "./clock.ts";
import { parseJson } from "./json.ts";
import { Semaphore } from "./lock.ts";
import type { Log } from "./log.ts";

const PRIVATE_FILE = 0o600;
const PRIVATE_DIRECTORY = 0o700;

/** An existing directory keeps its mode: the parent may be shared with others. */
export async function makePrivateDirectory(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: PRIVATE_DIRECTORY });
}

/**
 * Replaces a file atomically: readers see the old content or the new, also after a crash. Each file
 * must have one writer at a time.
 * @throws UnwritableError
 */
export async function writePrivateFile(path: string, content: string): Promise<void> {
  const directory = dirname(path);
  const temporary = join(directory, `.${basename(path)}.tmp`);
  try {
    await makePrivateDirectory(directory);
    // A killed process may have left its temporary file.
    await rm(temporary, { force: true });
    const file = await open(temporary, "wx", PRIVATE_FILE);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary).catch(() => undefined);
    throw new UnwritableError(path, error);
  }
  await syncDirectory(directory);
}

const NO_REASON = "unknown reason";

/** A file exists and cannot be read: rights, a directory in its place, a faulty disk. */
export class UnreadableError extends Error {
  override readonly name = "UnreadableError";
  readonly remedy = "it must be a file that this user may read; or move it away";
  constructor(path: string, cause: unknown) {
    super(`cannot read ${path} (${codeOf(cause) ?? NO_REASON})`, { cause });
  }
}

/** A file that cannot be written: rights, a full disk, a directory in its place. */
export class UnwritableError extends Error {
  override readonly name = "UnwritableError";
  /** The system's code, as `ENOSPC`. */
  readonly code: string;
  constructor(path: string, cause: unknown) {
    const code = codeOf(cause) ?? NO_REASON;
    super(`cannot write ${path} (${code})`, { cause });
    this.code = code;
  }
}

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;

/**
 * Opens a file to read, and nothing that others could put in its place: a link lets them choose
 * what is read, a pipe would hold one of the few threads that read files, and a device has no end.
 * @throws Error of the system; EINVAL for what is no file
 */
export async function openFile(path: string): Promise<FileHandle> {
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  const kind = await file.stat();
  // The system itself refuses to read a folder.
  if (kind.isFile() || kind.isDirectory()) return file;
  await file.close();
  throw Object.assign(new Error(`${path} is no file`), { code: "EINVAL" });
}

/** The text of a file, or null when there is none. @throws UnreadableError */
export async function readText(path: string): Promise<string | null> {
  try {
    await using file = await openFile(path);
    return await file.readFile("utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return null;
    throw new UnreadableError(path, error);
  }
}

export class JsonFile {
  readonly #lock = new Semaphore(1);

  constructor(
    readonly path: string,
    /** `requireLock` throws where another process may write the file. */
    readonly deps: { log: Log; clock: Clock; requireLock?: () => Promise<void> },
  ) {}

  /**
   * Null without a file; one that does not parse, or holds only null, is moved aside with one warning.
   * @throws UnreadableError and leaves the file as it is, since it may be whole
   */
  async read(): Promise<unknown> {
    const text = await readText(this.path);
    if (text === null) return null;
    const value = parseJson(text) ?? null;
    if (value !== null) return value;
    await this.quarantine("not valid JSON");
    return null;
  }

  async quarantine(why: string): Promise<void> {
    try {
      const aside = await quarantine(this.path, this.deps);
      this.deps.log.warn(`${this.path} is unusable (${why}); moved to ${aside}`);
    } catch (error) {
      this.deps.log.error(`${this.path} is unusable (${why}) and cannot be moved aside`, error);
    }
  }

  /** In the order of the calls. @throws UnwritableError, or what `requireLock` throws */
  write(value: unknown): Promise<void> {
    return this.#lock.run(async () => {
      await this.deps.requireLock?.();
      await writePrivateFile(this.path, `${JSON.stringify(value, null, 2)}\n`);
    });
  }
}

// Not every file system can sync a directory, and the new content is in place either way: a failure
// here is no failed write.
async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, "r").catch(() => null);
  await directory?.sync().catch(() => undefined);
  await directory?.close();
}

/**
 * Renames a file to `NAME.corrupt-<epoch>`, never over an earlier one.
 * @param companions suffixes of files that belong to it, such as `-wal`; absent ones are skipped
 * @returns the new name, without its folder
 */
export async function quarantine(
  path: string,
  { clock, companions = [] }: { clock: Pick<Clock, "now">; companions?: readonly string[] },
): Promise<string> {
  let epoch = Math.floor(clock.now());
  while (await exists(`${path}.corrupt-${epoch}`)) epoch++;
  const aside = `${path}.corrupt-${epoch}`;
  // Companions first: one that stays behind would be taken for the next file's own.
  for (const companion of companions)
    if (await exists(path + companion)) await rename(path + companion, aside + companion);
  await rename(path, aside);
  return basename(aside);
}

export function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
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
