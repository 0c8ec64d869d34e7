import {
  type ChangedFile,
  type Changes,
  type ChangesRange,
  MAX_CHANGED_FILES,
} from "../protocol/changes.ts";
import { findBase } from "./base.ts";
import type { Git } from "./git.ts";
import { type DiffEntry, parseDiff } from "./parse-diff.ts";
import { parseStatus, type Status } from "./parse-status.ts";
import { DIFF, findSince } from "./since.ts";
import { countUntracked } from "./untracked.ts";
import type { WorkTree } from "./work-tree.ts";

/** What is looked at: a work tree, or a folder in it. */
export interface Scope {
  tree: WorkTree;
  /** From the top; null for all of it. */
  within: string | null;
}

export type Listing = Omit<Changes, "other_panes">;

/** @throws AppError as `Git` does; conflict where there is no base */
export async function list(git: Git, scope: Scope, range: ChangesRange): Promise<Listing> {
  const { tree, within } = scope;
  const inside = within === null ? [] : ["--", within];
  const status = await readStatus(git, inside);
  const base = await findBase(git, status);
  const commit = await findSince(git, range, { ...status, base });
  const tracked = withMarks(await diff(git, commit, inside), status.marks);
  const known = new Set(tracked.map(({ path }) => path));
  const untracked = status.untracked.filter((path) => !known.has(path));
  // Git lists them in order: those behind the first ones are not looked at.
  const first = untracked.slice(0, MAX_CHANGED_FILES);
  const listed = [...known, ...first].sort().slice(0, MAX_CHANGED_FILES);
  const isListed = new Set(listed);
  const counted = await countUntracked(
    tree.top,
    first.filter((path) => isListed.has(path)),
  );
  const byPath = new Map([...tracked, ...counted].map((file) => [file.path, file]));
  const files = listed.flatMap((path) => byPath.get(path) ?? []);
  return {
    ...{ range, top: tree.top, within, branch: status.branch, base: base?.name ?? null },
    files,
    total: known.size + untracked.length,
    added: files.reduce((sum, { added }) => sum + (added ?? 0), 0),
    removed: files.reduce((sum, { removed }) => sum + (removed ?? 0), 0),
  };
}

export async function readStatus(git: Git, inside: readonly string[]): Promise<Status> {
  const untracked = git.showsUntracked ? "all" : "no";
  const args = ["--porcelain=v2", "--branch", "-z", "--no-renames", "--ignore-submodules=dirty"];
  return parseStatus(
    await git.run(["status", ...args, `--untracked-files=${untracked}`, ...inside]),
  );
}

async function diff(git: Git, commit: string, inside: readonly string[]): Promise<DiffEntry[]> {
  const told = await git.try([...DIFF, "--raw", "--numstat", "-z", commit, ...inside]);
  if (told.code === 0) return parseDiff(told.text);
  // A partial clone lacks contents; without reading any, git still tells which files changed.
  const names = ["diff-index", "--raw", "-z", "--ignore-submodules=dirty", commit, ...inside];
  return parseDiff(await git.run(names));
}

function withMarks(entries: readonly DiffEntry[], marks: Status["marks"]): ChangedFile[] {
  return entries.map((entry) => {
    const both = [marks.get(entry.path), marks.get(entry.old_path ?? "")];
    const status = both[0]?.isConflict ? "conflicted" : entry.status;
    const staged = both.some((mark) => mark?.staged);
    const unstaged = both.some((mark) => mark?.unstaged);
    return { ...entry, status, staged, unstaged };
  });
}
