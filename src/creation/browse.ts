import { basename, dirname } from "node:path";
import type { CreationRoot, CreationState, DirectoryListing } from "../protocol/creation.ts";
import type { Disk } from "./disk.ts";
import { type Allowed, findRoot } from "./roots.ts";

export const MAX_CHILDREN = 500;
const MAX_RECENT_DIRECTORIES = 20;

/**
 * The directories of an allowed directory, hidden ones included. A symlink that stays inside a
 * root stands for its real directory, which is listed once.
 */
export async function browse(
  disk: Disk,
  roots: readonly CreationRoot[],
  { path, root }: Allowed,
): Promise<DirectoryListing> {
  const directories: DirectoryListing["directories"] = [];
  let truncated = false;
  for await (const child of children(disk, roots, path)) {
    truncated = directories.length === MAX_CHILDREN;
    if (truncated) break;
    directories.push(child);
  }
  const parent = path === root.path ? null : dirname(path);
  return { path, root, parent, directories, truncated };
}

async function* children(
  disk: Disk,
  roots: readonly CreationRoot[],
  path: string,
): AsyncGenerator<{ name: string; path: string }> {
  const entries = (await disk.entries(path)).toSorted(
    (a, b) => compare(a.name.toLowerCase(), b.name.toLowerCase()) || compare(a.name, b.name),
  );
  const seen = new Set<string>();
  // A real directory is listed under its own name, also when a link to it comes before it.
  const own = new Set(entries.filter((entry) => !entry.isLink).map((entry) => entry.name));
  for (const { name, isLink, readable } of entries) {
    const real = await readable();
    if (real === null || findRoot(roots, real) === null || seen.has(real)) continue;
    if (isLink && dirname(real) === path && own.has(basename(real))) continue;
    seen.add(real);
    yield { name, path: real };
  }
}

/** The current directories of live panes that are inside a root, one per real path, by path. */
export async function recentDirectories(
  disk: Disk,
  roots: readonly CreationRoot[],
  paths: Iterable<string>,
): Promise<CreationState["recent_directories"]> {
  if (roots.length === 0) return [];
  const real = await Promise.all([...new Set(paths)].map((path) => disk.real(path)));
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
