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

const LOOK_MS = 5000;

/**
 * Looks at folders that others name, one at a time: a disk that is lost (a mount over a dead network)
 * never answers, and holds one of the threads, as few as two, with which the whole process reads files
 * and compresses replies. Once a look is late, all are refused until it ends.
 */
class Looks {
  readonly #turns = new Semaphore(1);
  #isLate = false;
  #late = Promise.withResolvers<never>();

  async run<T>(look: () => Promise<T>): Promise<T> {
    if (this.#isLate) throw noAnswer();
    const late = this.#late.promise;
    const turn = this.#turns.run(async () => {
      // It was refused while it waited.
      if (late !== this.#late.promise) return late;
      const timer = setTimeout(() => this.#refuse(), LOOK_MS);
      try {
        return await look();
      } finally {
        clearTimeout(timer);
        if (this.#isLate) this.#late = Promise.withResolvers();
        this.#isLate = false;
      }
    });
    return Promise.race([turn, late]);
  }

  #refuse(): void {
    this.#isLate = true;
    this.#late.reject(noAnswer());
  }
}

const noAnswer = () => new AppError("timed_out", "the disk does not answer");

/** Of the process, as its threads are. */
const LOOKS = new Looks();

/** @throws AppError timed_out, else what `look` throws */
export function atDisk<T>(look: () => Promise<T>): Promise<T> {
  return LOOKS.run(look);
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
