import { constants } from "node:fs";
import { access, readdir } from "node:fs/promises";
import { homedir } from "node:os";
import { join, normalize, resolve } from "node:path";
import { AppError } from "../errors.ts";
import {
  atDisk,
  canonicalDirectory,
  expandPath,
  isInside,
  isTransmittable,
  nearestReal,
} from "../lib/inside.ts";
import type { Log } from "../lib/log.ts";
import type { CreationRoot } from "../protocol/creation.ts";

export interface Disk {
  home(): Promise<string>;
  /** Null when there is no such directory. */
  real(path: string): Promise<string | null>;
  /** As `real`, for a directory that may be read and entered. */
  readable(path: string): Promise<string | null>;
  /** The canonical path of the deepest existing part. */
  nearest(path: string): Promise<string>;
  /** Directories, and links that may lead to one. @throws AppError not_found */
  entries(path: string): Promise<readonly DiskEntry[]>;
  /** Where an executable is; null where it is not installed. */
  which(executable: string): Promise<string | null>;
}

export interface DiskEntry {
  name: string;
  isLink: boolean;
  /** Its canonical path; null where it may not be read or leads nowhere. */
  readable(): Promise<string | null>;
}

export const localDisk: Disk = {
  home: async () => homedir(),
  real: canonicalDirectory,
  readable,
  nearest: nearestReal,
  which: async (executable) => Bun.which(executable),
  async entries(path) {
    const read = () =>
      readdir(path, { withFileTypes: true }).catch((cause) => {
        throw directoryNotFound({ cause });
      });
    const entries = await atDisk(path, read);
    // If it has become a link since it was allowed, these are names of another directory.
    if ((await canonicalDirectory(path)) !== path) throw directoryNotFound();
    return entries
      .filter(
        (entry) => (entry.isSymbolicLink() || entry.isDirectory()) && isTransmittable(entry.name),
      )
      .map((entry) => ({
        name: entry.name,
        isLink: entry.isSymbolicLink(),
        readable: () => readable(join(path, entry.name)),
      }));
  },
};

async function readable(path: string): Promise<string | null> {
  const real = await canonicalDirectory(path);
  const mode = constants.R_OK | constants.X_OK;
  const fault = real && (await atDisk(real, () => access(real, mode).catch(String)));
  return typeof fault === "string" ? null : real;
}

export function directoryNotFound(options?: ErrorOptions): AppError {
  return new AppError("not_found", "directory not found", undefined, options);
}

export interface AllowedDirectory {
  /** Canonical. */
  path: string;
  root: CreationRoot;
}

/**
 * Makes the configured roots canonical; unreadable ones are dropped with a warning. One whose disk does
 * not answer keeps its path: it can be used later, if that has no links.
 */
export async function resolveRoots(
  disk: Disk,
  configured: readonly CreationRoot[],
  log: Pick<Log, "warn">,
): Promise<CreationRoot[]> {
  const roots: CreationRoot[] = [];
  const home = await disk.home();
  for (const { label, path } of configured) {
    const expanded = expandPath(path, home);
    const real =
      expanded &&
      (await disk.readable(expanded).catch(() => {
        log.warn(`creation root "${label}" cannot be used before its disk answers: ${path}`);
        return resolve(expanded);
      }));
    if (real === null) {
      log.warn(`creation root "${label}" is dropped: ${path} is not a readable directory`);
      continue;
    }
    if (!roots.some((root) => root.path === real)) roots.push({ label, path: real });
  }
  return roots;
}

/** The roots that exist now: a disk may be unmounted, or a folder moved. */
export async function presentRoots(
  disk: Disk,
  roots: readonly CreationRoot[],
): Promise<CreationRoot[]> {
  const real = await Promise.all(roots.map(({ path }) => disk.real(path).catch(() => null)));
  return roots.filter(({ path }, index) => real[index] === path);
}

/** The innermost root that holds a canonical path. */
export function findRoot(roots: readonly CreationRoot[], path: string): CreationRoot | null {
  const holding = roots.filter((root) => isInside(root.path, path));
  return holding.toSorted((a, b) => b.path.length - a.path.length)[0] ?? null;
}

/**
 * The canonical path of a requested directory, for all later use: links may change meanwhile.
 * @throws AppError invalid, not_found or forbidden
 */
export async function requireAllowed(
  disk: Disk,
  roots: readonly CreationRoot[],
  requested: string,
): Promise<AllowedDirectory> {
  const expanded = expandPath(requested, await disk.home());
  if (expanded === null)
    throw new AppError("invalid", "path must be absolute or start with ~/, up to 4096 characters");
  const path = await disk.real(expanded);
  // By the nearest existing ancestor: outside the roots a reply must not tell whether a path exists.
  const root = findRoot(roots, path ?? (await disk.nearest(expanded)));
  if (root === null && path === null && (await isInGoneRoot(disk, roots, expanded)))
    throw directoryNotFound();
  if (root === null)
    throw new AppError("forbidden", "the directory is outside the configured creation roots");
  if (path === null) throw directoryNotFound();
  return { path, root };
}

/** Compares the path itself: the nearest existing ancestor of a vanished root lies above the root. */
async function isInGoneRoot(
  disk: Disk,
  roots: readonly CreationRoot[],
  path: string,
): Promise<boolean> {
  const root = findRoot(roots, normalize(path));
  return root !== null && (await disk.real(root.path)) === null;
}
