import { readFile, realpath, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { exists } from "../lib/json-file.ts";
import { isInside } from "../lib/inside.ts";

/** A file that names another folder is no longer than a path. */
const MAX_POINTER_BYTES = 8192;

/** Canonical paths. */
export interface WorkTree {
  top: string;
  gitDir: string;
  commonDir: string;
}

/**
 * The nearest work tree that holds a folder. Git itself is not asked: it would read the settings of the
 * repository, which may name another work tree.
 * @param folder canonical
 */
export async function findWorkTree(folder: string): Promise<WorkTree | null> {
  for (let top = folder; ; top = dirname(top)) {
    const gitDir = await gitDirOf(top);
    if (gitDir !== null) {
      const commonDir = await commonDirOf(gitDir);
      const isWhole = await Promise.all(
        [join(gitDir, "HEAD"), join(commonDir, "objects")].map(exists),
      );
      if (isWhole.every(Boolean)) return { top, gitDir, commonDir };
    }
    if (top === dirname(top)) return null;
  }
}

/** `.git` is a folder; in a submodule and in an added work tree it is a file that names one. */
async function gitDirOf(top: string): Promise<string | null> {
  const path = join(top, ".git");
  const kind = await stat(path).catch(() => null);
  if (kind?.isDirectory()) return realpath(path).catch(() => null);
  const named = /^gitdir: (.+)/.exec((await readPointer(path)) ?? "")?.[1];
  const gitDir = named === undefined ? null : await realpath(resolve(top, named)).catch(() => null);
  return gitDir !== null && (await belongsTo(gitDir, top)) ? gitDir : null;
}

/** Anybody can write a `.git` file: the named folder must point back to this work tree. */
async function belongsTo(gitDir: string, top: string): Promise<boolean> {
  const owner = /^(.*?\/\.git(?:\/worktrees\/[^/]+)?)\/modules\//.exec(gitDir)?.[1];
  if (owner !== undefined && basename(owner) === ".git") return isInside(dirname(owner), top);
  const named = await readPointer(join(owner ?? gitDir, "gitdir"));
  if (named === null) return false;
  const tree = await realpath(dirname(resolve(owner ?? gitDir, named))).catch(() => null);
  return tree !== null && (owner === undefined ? tree === top : isInside(tree, top));
}

async function commonDirOf(gitDir: string): Promise<string> {
  const named = await readPointer(join(gitDir, "commondir"));
  if (named === null) return gitDir;
  return realpath(resolve(gitDir, named)).catch(() => gitDir);
}

/** The text of a file that names another folder, without its last line end. */
export async function readPointer(path: string): Promise<string | null> {
  try {
    const kind = await stat(path);
    if (!kind.isFile() || kind.size > MAX_POINTER_BYTES) return null;
    return (await readFile(path, "utf8")).replace(/\r?\n$/, "");
  } catch {
    // Missing or unreadable: it names nothing.
    return null;
  }
}
