import { lstat, readlink, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isInside } from "../lib/inside.ts";
import { openFile } from "../lib/json-file.ts";
import { mapLimit } from "../lib/lock.ts";
import {
  type ChangedFile,
  type Changes,
  type ChangesRange,
  MAX_CHANGED_FILES,
} from "../protocol/changes.ts";
import { type Git, gitRefusal } from "./git.ts";
import { type DiffEntry, parseDiff, parseStatus, type Status } from "./parse.ts";
import type { WorkTree } from "./work-tree.ts";

export interface DiffScope {
  tree: WorkTree;
  /** Path from the top; null: all of the tree. */
  within: string | null;
}

export type ChangeListing = Omit<Changes, "other_panes">;

/** @throws AppError as `Git` does; conflict where there is no base */
export async function list(
  git: Git,
  scope: DiffScope,
  range: ChangesRange,
): Promise<ChangeListing> {
  const { tree, within } = scope;
  const inside = within === null ? [] : ["--", within];
  const status = await readStatus(git, inside);
  const base = await findBase(git, status);
  const commit = await findSince(git, range, { ...status, base });
  const tracked = withMarks(await diff(git, commit, inside), status.marks);
  const trackedPaths = new Set(tracked.map(({ path }) => path));
  const untracked = status.untracked.filter((path) => !trackedPaths.has(path));
  // Git lists them in order; only the first ones are read.
  const first = untracked.slice(0, MAX_CHANGED_FILES);
  const listed = [...trackedPaths, ...first].sort().slice(0, MAX_CHANGED_FILES);
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
    total: trackedPaths.size + untracked.length,
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
  const output = await git.try([...DIFF, "--raw", "--numstat", "-z", commit, ...inside]);
  if (output.code === 0) return parseDiff(output.text);
  // A partial clone lacks contents; without them git still tells which files changed.
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

/** Larger files are only named, as those that git tracks. */
const MAX_FILE_BYTES = 1024 * 1024;
/** Of all files whose lines are counted for one list. */
const MAX_COUNTED_BYTES = 32 * 1024 * 1024;
/** Files that are read at the same time. */
const AT_ONCE = 16;
/** Where git looks for a NUL to tell that a file is no text. */
const PROBE_BYTES = 8000;

/** Links are not followed. */
type Untracked =
  | { type: "file"; size: number; text: string | null }
  | { type: "link"; size: number; text: string }
  | { type: "repository"; size: 0; text: null };

/** Null where it is gone, or neither a file nor a link. */
export async function readUntracked(top: string, path: string): Promise<Untracked | null> {
  if (path.endsWith("/")) return { type: "repository", size: 0, text: null };
  const full = join(top, path);
  try {
    // Git names no files behind a link to elsewhere, but a folder may have become one since.
    if (!isInside(top, await realpath(dirname(full)))) return null;
    const kind = await lstat(full);
    const { size } = kind;
    if (kind.isSymbolicLink()) return { type: "link", size, text: await readlink(full) };
    if (!kind.isFile()) return null;
    return { type: "file", size, text: size > MAX_FILE_BYTES ? null : await readText(full, size) };
  } catch {
    // Gone, or not readable: the file is only named.
    return null;
  }
}

async function readText(path: string, size: number): Promise<string | null> {
  await using file = await openFile(path);
  const { bytesRead, buffer } = await file.read(Buffer.alloc(size), 0, size, 0);
  const isBinary = buffer.subarray(0, Math.min(bytesRead, PROBE_BYTES)).includes(0);
  return isBinary ? null : buffer.toString("utf8", 0, bytesRead);
}

/** As git counts: a last line without a line end is one too. */
export function linesOf(text: string): string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** Entries of a list, with line counts up to the limit of bytes. */
function countUntracked(top: string, paths: readonly string[]): Promise<ChangedFile[]> {
  let bytes = 0;
  const one = async (path: string): Promise<ChangedFile> => {
    const file = bytes > MAX_COUNTED_BYTES ? null : await readUntracked(top, path);
    bytes += file?.size ?? 0;
    const added = file?.text == null ? null : linesOf(file.text).length;
    const type = file?.type ?? (path.endsWith("/") ? "repository" : "file");
    const removed = added === null ? null : 0;
    const marks = { staged: false, unstaged: true };
    return { path, old_path: null, status: "untracked", type, ...marks, added, removed };
  };
  return mapLimit(paths, AT_ONCE, one);
}

/** Tried where the remote does not tell its main branch. */
const USUAL_BASES = ["main", "master"];
const REMOTE = "refs/remotes/origin/";

type Base = Awaited<ReturnType<typeof findBase>>;

/**
 * The branch to compare with, and its local and remote refs: the main branch of the remote, else main
 * or master; null where only the current branch itself would be left.
 */
export async function findBase(
  git: Git,
  { branch, hasCommit }: { branch: string | null; hasCommit: boolean },
) {
  if (!hasCommit) return null;
  const head = `${REMOTE}HEAD`;
  const format = "--format=%(refname) %(symref)";
  const usual = USUAL_BASES.flatMap((name) => refsOf(name));
  const usualRefs = parseRefs(await git.run(["for-each-ref", format, head, ...usual]));
  const target = usualRefs.get(head);
  const name = target?.startsWith(REMOTE)
    ? target.slice(REMOTE.length)
    : USUAL_BASES.find((each) => refsOf(each).some((ref) => usualRefs.has(ref)));
  if (name === undefined) return null;
  const known = USUAL_BASES.includes(name)
    ? usualRefs
    : parseRefs(await git.run(["for-each-ref", format, ...refsOf(name)]));
  const own = branch === null ? null : `refs/heads/${branch}`;
  const refs = refsOf(name).filter((ref) => known.has(ref) && ref !== own);
  return refs.length > 0 ? { name, refs } : null;
}

/**
 * Where the branch left its base, by the nearest of the refs: the local one is often older than that
 * of the remote, or newer if it was never pushed. Null without a common commit.
 */
async function findMergeBase(git: Git, { refs }: NonNullable<Base>): Promise<string | null> {
  const { code, text } = await git.try(["merge-base", "HEAD", ...refs]);
  return code === 0 ? (text.split("\n")[0] ?? null) : null;
}

function refsOf(name: string): string[] {
  return [`refs/heads/${name}`, `${REMOTE}${name}`];
}

function parseRefs(text: string): Map<string, string> {
  const lines = text.split("\n").filter((line) => line !== "");
  return new Map(
    lines.map((line): [string, string] => {
      const [ref = "", target = ""] = line.split(" ");
      return [ref, target];
    }),
  );
}

/** Runs no driver, reads no submodule, and looks for renames among few enough files to be quick. */
export const DIFF = [
  ...["diff", "--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules=dirty"],
  ...["--find-renames", "-l400", "--src-prefix=a/", "--dst-prefix=b/"],
];

/**
 * The commit to compare the work tree with, or the empty tree where there is no commit yet.
 * @throws AppError conflict where the range needs a base and there is none
 */
export async function findSince(
  git: Git,
  range: ChangesRange,
  { base, hasCommit }: { base: Base; hasCommit: boolean },
): Promise<string> {
  if (range === "head" && hasCommit) return "HEAD";
  if (range === "head") return (await git.run(["hash-object", "-t", "tree", "/dev/null"])).trim();
  const commit = base && (await findMergeBase(git, base));
  if (commit === null)
    throw gitRefusal("no_base", "there is no main branch that this one has left");
  return commit;
}
