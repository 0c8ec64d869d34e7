import type { ChangedFile, ChangedStatus } from "../protocol/changes.ts";

/** A file in the output of `git diff --raw --numstat -z`. */
export type DiffEntry = Omit<ChangedFile, "staged" | "unstaged">;

const STATUS: Readonly<Record<string, ChangedStatus>> = {
  A: "added",
  C: "added",
  D: "deleted",
  M: "modified",
  R: "renamed",
  T: "retyped",
  U: "conflicted",
};

const RECORD = /^:(\d{6}) (\d{6}) [0-9a-f]+ [0-9a-f]+ ([A-Z])\d*$/;
const COUNTS = /^(\d+|-)\t(\d+|-)\t/;

/** Never throws: anything but a record ends the list. */
export function parseDiff(text: string): DiffEntry[] {
  const pieces = text.split("\0");
  const entries = new Map<string, DiffEntry>();
  let at = 0;
  for (;;) {
    const record = RECORD.exec(pieces[at] ?? "");
    if (record === null) break;
    const [, before = "", after = "", letter = ""] = record;
    const hasTwo = letter === "R" || letter === "C";
    const path = pieces[at + (hasTwo ? 2 : 1)];
    if (path === undefined) break;
    const old_path = letter === "R" ? (pieces[at + 1] ?? null) : null;
    const status = STATUS[letter] ?? "modified";
    const type = typeOf(letter === "D" ? before : after);
    // A file in conflict has two records, the first of which says so.
    if (!entries.has(path)) {
      entries.set(path, { path, old_path, status, type, added: null, removed: null });
    }
    at += hasTwo ? 3 : 2;
  }
  readCounts(pieces.slice(at), entries);
  return [...entries.values()];
}

function readCounts(pieces: readonly string[], entries: ReadonlyMap<string, DiffEntry>): void {
  for (let at = 0; at < pieces.length; at++) {
    const piece = pieces[at] ?? "";
    const counts = COUNTS.exec(piece);
    if (counts === null) continue;
    const rest = piece.slice(counts[0].length);
    // The two names of a renamed file follow as pieces of their own.
    if (rest === "") at += 2;
    const entry = entries.get(rest === "" ? (pieces[at] ?? "") : rest);
    if (entry === undefined || counts[1] === "-") continue;
    entry.added = Number(counts[1]);
    entry.removed = Number(counts[2]);
  }
}

function typeOf(mode: string): ChangedFile["type"] {
  if (mode === "120000") return "link";
  return mode === "160000" ? "repository" : "file";
}

interface Mark {
  staged: boolean;
  unstaged: boolean;
  isConflict: boolean;
}

/** Output of `git status --porcelain=v2 --branch -z --no-renames`. */
export interface Status {
  /** Null on a detached HEAD. */
  branch: string | null;
  hasCommit: boolean;
  /** Of tracked files that changed. */
  marks: ReadonlyMap<string, Mark>;
  /** A path that ends with `/` is a nested repository. */
  untracked: readonly string[];
}

const CHANGED = /^1 (\S\S)(?: \S+){6} ([^]+)$/;
const CONFLICTED = /^u (\S\S)(?: \S+){8} ([^]+)$/;

export function parseStatus(text: string): Status {
  const marks = new Map<string, Mark>();
  const untracked: string[] = [];
  let branch: string | null = null;
  let hasCommit = true;
  for (const piece of text.split("\0")) {
    if (piece.startsWith("? ")) {
      untracked.push(piece.slice(2));
      continue;
    }
    if (piece === "# branch.oid (initial)") hasCommit = false;
    if (piece.startsWith("# branch.head ")) branch = piece.slice(14);
    const [, state, path] = CHANGED.exec(piece) ?? CONFLICTED.exec(piece) ?? [];
    if (state === undefined || path === undefined) continue;
    const isConflict = piece.startsWith("u");
    marks.set(path, { staged: state[0] !== ".", unstaged: state[1] !== ".", isConflict });
  }
  return { branch: branch === "(detached)" ? null : branch, hasCommit, marks, untracked };
}
