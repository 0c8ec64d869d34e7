import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { AppError } from "../errors.ts";
import { canonicalDirectory, isSpeakable } from "../lib/inside.ts";
import type { CreationRoot, CreationState, DirectoryListing } from "../protocol/creation.ts";
import { type Allowed, findRoot, isReadable } from "./roots.ts";

export const MAX_CHILDREN = 500;
const MAX_RECENT_DIRECTORIES = 20;

/**
 * The directories of an allowed directory, hidden ones included. A symlink that stays inside a
 * root stands for its real directory, which is listed once.
 */
export async function browse(
  roots: readonly CreationRoot[],
  { path, root }: Allowed,
): Promise<DirectoryListing> {
  const directories: DirectoryListing["directories"] = [];
  let truncated = false;
  for await (const child of children(roots, path)) {
    truncated = directories.length === MAX_CHILDREN;
    if (truncated) break;
    directories.push(child);
  }
  const parent = path === root.path ? null : dirname(path);
  return { path, root, parent, directories, truncated };
}

async function* children(
  roots: readonly CreationRoot[],
  path: string,
): AsyncGenerator<{ name: string; path: string }> {
  const entries = await readEntries(path);
  const seen = new Set<string>();
  // A real directory is listed under its own name, also when a link to it comes before it.
  const own = new Set(entries.filter((entry) => !entry.isLink).map((entry) => entry.name));
  for (const { name, isLink } of entries) {
    const real = isLink ? await canonicalDirectory(join(path, name)) : join(path, name);
    if (real === null || findRoot(roots, real) === null || seen.has(real)) continue;
    if (isLink && dirname(real) === path && own.has(basename(real))) continue;
    if (!(await isReadable(real))) continue;
    seen.add(real);
    yield { name, path: real };
  }
}

interface Entry {
  name: string;
  isLink: boolean;
}

async function readEntries(path: string): Promise<Entry[]> {
  const read = await readdir(path, { withFileTypes: true }).catch((cause) => {
    throw notFound({ cause });
  });
  // If it became a link since it was allowed, these are the names of another directory.
  if ((await canonicalDirectory(path)) !== path) throw notFound();
  const entries: (Entry & { key: string })[] = [];
  for (const entry of read) {
    const isLink = entry.isSymbolicLink();
    if ((!isLink && !entry.isDirectory()) || !isSpeakable(entry.name)) continue;
    entries.push({ name: entry.name, isLink, key: entry.name.toLowerCase() });
  }
  return entries.sort((a, b) => compare(a.key, b.key) || compare(a.name, b.name));
}

function notFound(options?: ErrorOptions): AppError {
  return new AppError("not_found", "directory not found", undefined, options);
}

/** The current directories of live panes that are inside a root, one per real path, by path. */
export async function recentDirectories(
  roots: readonly CreationRoot[],
  paths: Iterable<string>,
): Promise<CreationState["recent_directories"]> {
  const real = await Promise.all([...new Set(paths)].map(canonicalDirectory));
  const unique = [...new Set(real.filter((path) => path !== null))].sort(compare);
  return unique
    .flatMap((path) => {
      const root = findRoot(roots, path);
      const name = basename(path) || path;
      return root ? [{ name, path, root_label: root.label }] : [];
    })
    .slice(0, MAX_RECENT_DIRECTORIES);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
