import { realpath, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { AppError } from "../errors.ts";
import { Semaphore } from "./lock.ts";

/** Longest path that a client or a configuration may name. */
export const MAX_PATH_CHARS = 4096;

// A multiplexer escapes no control characters, and invalid UTF-8 comes back as another name.
const NOT_TRANSMITTABLE = /[\p{Cc}\ufffd]/u;

/** Whether a path can be sent and read back as the same path. */
export function isTransmittable(path: string): boolean {
  return path.length <= MAX_PATH_CHARS && !NOT_TRANSMITTABLE.test(path);
}

/**
 * An absolute path, with `~` and a leading `~/` replaced by the home directory; null for anything
 * else: relative, empty, another user's home (`~name`), or not transmittable.
 */
export function expandPath(path: string, home: string = homedir()): string | null {
  if (!isTransmittable(path)) return null;
  if (path === "~") return home;
  if (path.startsWith("~/")) return join(home, path.slice(2));
  return isAbsolute(path) ? path : null;
}

/** Whether `path` is `root` or below it. Both must be canonical. */
export function isInside(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith("/") ? root : `${root}/`);
}

/**
 * One at a time: a disk that is lost (a mount over a dead network) never answers, and holds one of the
 * threads, as few as two, with which the whole process reads files and compresses replies.
 */
const LOOKS = new Semaphore(1);
const LOOK_MS = 2000;

/** For folders that others name. @throws AppError timed_out, else what `look` throws */
export function atDisk<T>(look: () => Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const refuse = () => late.reject(new AppError("timed_out", "the disk does not answer"));
  const timer = setTimeout(refuse, LOOK_MS);
  let isLate = false;
  late.promise.catch(() => (isLate = true));
  const turn = LOOKS.run(() => (isLate ? late.promise : look()));
  return Promise.race([turn, late.promise]).finally(() => clearTimeout(timer));
}

/** The real path of an existing directory, without links and `..`. @throws AppError timed_out */
export async function canonicalDirectory(path: string): Promise<string | null> {
  const real = await atDisk(() =>
    realpath(path)
      .then(async (found) => ((await stat(found)).isDirectory() ? found : null))
      // Gone, unreadable, a loop of links, or a name too long.
      .catch(() => null),
  );
  return real !== null && isTransmittable(real) ? real : null;
}

export async function nearestReal(path: string): Promise<string> {
  for (let part = path; ; part = dirname(part)) {
    const real = await atDisk(() => realpath(part)).catch(() => null);
    if (real !== null) return real;
    if (part === dirname(part)) return part;
  }
}
