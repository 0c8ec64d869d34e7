import { realpath, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";

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

/** The real path of an existing directory, without links and `..`. */
export async function canonicalDirectory(path: string): Promise<string | null> {
  try {
    const real = await realpath(path);
    return isTransmittable(real) && (await stat(real)).isDirectory() ? real : null;
  } catch {
    // Gone, unreadable, a loop of links, or a name too long.
    return null;
  }
}

export async function nearestReal(path: string): Promise<string> {
  for (let part = path; ; part = dirname(part)) {
    const real = await realpath(part).catch(() => null);
    if (real !== null) return real;
    if (part === dirname(part)) return part;
  }
}
