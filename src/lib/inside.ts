import { readFileSync } from "node:fs";
import { readlink, realpath, stat } from "node:fs/promises";
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
 * and compresses replies. Once a look is late, all are refused until it ends, except on disks of
 * this machine where the late one is none of them.
 */
class Looks {
  readonly #turns = new Semaphore(1);
  /** Of each look that is not over: has it judged anew. */
  readonly #waiting = new Set<() => void>();
  /** The path of the look that is late. */
  #latePath: string | null = null;

  async run<T>(path: string, look: () => Promise<T>): Promise<T> {
    if (this.#latePath !== null) {
      if ((await isOnOwnDisk(this.#latePath)) || !(await isOnOwnDisk(path))) throw noAnswer();
      return look();
    }
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const again = () => resolve(this.run(path, look));
    this.#waiting.add(again);
    void this.#turns.run(async () => {
      if (!this.#waiting.has(again)) return;
      const timer = setTimeout(() => {
        this.#latePath = path;
        for (const each of this.#waiting) each();
        this.#waiting.clear();
      }, LOOK_MS);
      await look().then(resolve, reject);
      clearTimeout(timer);
      this.#waiting.delete(again);
      this.#latePath = null;
    });
    return promise;
  }
}

/** File systems that need no network, and no program of somebody's as FUSE does. */
const OWN_DISK = /^(?:ext[234]|xfs|btrfs|f2fs|zfs|bcachefs|overlay|tmpfs)$/;
const MAX_LINKS = 40;

/**
 * Whether a path leads to a disk of this machine alone, by Linux' list of mounts: link by link, so
 * that no other disk is asked. False elsewhere.
 */
async function isOnOwnDisk(path: string): Promise<boolean> {
  const all = mounts();
  const names = path.split("/");
  let real = "/";
  for (let links = 0; names.length > 0 && links <= MAX_LINKS;) {
    real = join(real, names.shift() ?? "");
    const [, type = ""] = all.findLast(([place]) => isInside(place, real)) ?? [];
    if (!OWN_DISK.test(type)) return false;
    const target = await readlink(real).catch(() => null);
    if (target === null) continue;
    links++;
    names.unshift(...target.split("/"));
    real = isAbsolute(target) ? "/" : dirname(real);
  }
  return names.length === 0;
}

/** Place and type of each file system; what is nearer to a path, or covers another, comes later. */
function mounts(): [place: string, type: string][] {
  // `36 35 98:0 /mnt1 /mnt\0402 rw,noatime master:1 - ext3 /dev/root rw`
  const read = (line: string): [string, string] => {
    const [, , , , place = "", ...rest] = line.split(" ");
    const name = place.replace(/\\(\d{3})/g, (_, code) => String.fromCharCode(parseInt(code, 8)));
    return [name, rest[rest.indexOf("-") + 1] ?? ""];
  };
  try {
    const lines = readFileSync("/proc/self/mountinfo", "utf8").split("\n").map(read);
    return lines.sort(([a], [b]) => a.length - b.length);
  } catch {
    return [];
  }
}

const noAnswer = () => new AppError("timed_out", "the disk does not answer");

/** Of the process, as its threads are. */
const LOOKS = new Looks();

/** @throws AppError timed_out, else what `look` throws */
export function atDisk<T>(path: string, look: () => Promise<T>): Promise<T> {
  return LOOKS.run(path, look);
}

/** The real path of an existing directory, without links and `..`. @throws AppError timed_out */
export async function canonicalDirectory(path: string): Promise<string | null> {
  const real = await atDisk(path, () =>
    realpath(path)
      .then(async (found) => ((await stat(found)).isDirectory() ? found : null))
      // Gone, unreadable, a loop of links, or a name too long.
      .catch(() => null),
  );
  return real !== null && isTransmittable(real) ? real : null;
}

export async function nearestReal(path: string): Promise<string> {
  for (let part = path; ; part = dirname(part)) {
    const real = await atDisk(part, () => realpath(part)).catch(() => null);
    if (real !== null) return real;
    if (part === dirname(part)) return part;
  }
}
