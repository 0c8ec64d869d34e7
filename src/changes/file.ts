import { AppError } from "../errors.ts";
import { isInside } from "../lib/inside.ts";
import type { DiffHunk, FileChanges, FileQuery } from "../protocol/changes.ts";
import { DIFF, findBase, findSince } from "./base.ts";
import type { Git } from "./git.ts";
import { linesOf, readStatus, readUntracked, type Scope } from "./listing.ts";
import { parseDiff } from "./parse.ts";
import { cut, parsePatch } from "./patch.ts";
import { notChanged } from "./ask.ts";

/** Of one file's differences, as git writes them. */
const MAX_DIFF_BYTES = 1024 * 1024;

export type WantedFile = Pick<FileQuery, "old_path" | "path" | "range">;

/**
 * What changed in one file that a list has.
 * @throws AppError not_found for any other, too_large over 1 MiB of differences, and as `list` does
 */
export async function readFileChanges(
  git: Git,
  { tree, within }: Scope,
  { path, old_path, range }: WantedFile,
): Promise<FileChanges> {
  const names = old_path === undefined ? [path] : [path, old_path];
  if (!names.every(isPathOfGit)) throw notChanged();
  if (within !== null && !names.every((name) => isInside(within, name))) throw notChanged();
  const status = await readStatus(git, ["--", ...names]);
  const base = range === "base" ? await findBase(git, status) : null;
  const commit = await findSince(git, range, { ...status, base });
  const args = [...DIFF, "--raw", "-z", "--patch", "--unified=3", commit, "--", ...names];
  const text = await git.run(args, MAX_DIFF_BYTES).catch(tooLarge);
  const entries = parseDiff(text);
  const place = entries.findIndex((entry) => entry.path === path);
  const entry = entries[place];
  if (entry === undefined) return await untrackedFile(tree.top, path, status.untracked);
  const files = parsePatch(text.slice(text.indexOf("\0\0") + 2));
  // A file that became a link is one that went and one that came.
  const parts = entries.length === 1 ? files : files.slice(place, place + 1);
  return {
    path,
    old_path: entry.old_path,
    named_only: parts.some(({ isBinary }) => isBinary),
    hunks: parts.flatMap(({ hunks }) => hunks),
  };
}

/** Only such are in a list: from the top, and without a way out. */
const isPathOfGit = (name: string) =>
  !name.startsWith("/") && !name.includes("\0") && !name.split("/").includes("..");

function tooLarge(error: unknown): never {
  if (!(error instanceof AppError) || error.kind !== "too_large") throw error;
  throw new AppError("too_large", "more than 1 MiB of this file has changed", undefined, {
    cause: error,
  });
}

async function untrackedFile(
  top: string,
  path: string,
  untracked: readonly string[],
): Promise<FileChanges> {
  const found = untracked.includes(path) ? await readUntracked(top, path) : null;
  if (found === null) throw notChanged();
  const hunks = found.text === null ? [] : [wholeHunk(found.text)];
  return { path, old_path: null, named_only: found.text === null, hunks };
}

function wholeHunk(text: string): DiffHunk {
  const lines = linesOf(text).map((line, index) => ({
    ...{ old: null, new: index + 1, text: cut(line), marks: [] },
  }));
  return { heading: "", lines };
}
