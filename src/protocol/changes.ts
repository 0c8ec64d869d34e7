import { z } from "zod";
import { PaneRef } from "./pane.ts";

/** Files beyond this number are counted but not listed. */
export const MAX_CHANGED_FILES = 2000;

/** Since the last commit (`head`), or since the branch left its base (`base`). */
export const ChangesRange = z.enum(["head", "base"]);
export type ChangesRange = z.infer<typeof ChangesRange>;

export const ChangesQuery = z.object({ id: PaneRef, range: ChangesRange.default("head") });

export const FileQuery = ChangesQuery.extend({
  path: z.string().min(1).max(4096),
  /** `old_path` of a file that was renamed. */
  old_path: z.string().min(1).max(4096).optional(),
});
export type FileQuery = z.infer<typeof FileQuery>;

export const ChangedStatus = z.enum([
  "added",
  "modified",
  "deleted",
  "renamed",
  "retyped",
  "conflicted",
  "untracked",
]);
export type ChangedStatus = z.infer<typeof ChangedStatus>;

export const ChangedFile = z.object({
  path: z.string(),
  old_path: z.string().nullable(),
  status: ChangedStatus,
  type: z.enum(["file", "link", "repository"]),
  staged: z.boolean(),
  unstaged: z.boolean(),
  /** Lines; null for a file that is binary, over 1 MiB or not counted. */
  added: z.int().nullable(),
  removed: z.int().nullable(),
});
export type ChangedFile = z.infer<typeof ChangedFile>;

/** `changes_v1`: body of `GET /api/changes`. */
export const Changes = z.object({
  range: ChangesRange,
  top: z.string(),
  /** The folder below `top` to which the list is limited; null: all of it. */
  within: z.string().nullable(),
  /** Null with a detached head. */
  branch: z.string().nullable(),
  /** The branch that `range=base` compares with; null where there is no other branch. */
  base: z.string().nullable(),
  files: z.array(ChangedFile),
  total: z.int(),
  added: z.int(),
  removed: z.int(),
  /** Other panes with an agent in this work tree. */
  other_panes: z.array(z.string()),
});
export type Changes = z.infer<typeof Changes>;

/** In UTF-16 code units. */
export const WordMark = z.object({ start: z.int(), length: z.int() });
export type WordMark = z.infer<typeof WordMark>;

export const DiffLine = z.object({
  /** Line numbers before and after; null before for an added line, after for a removed one. */
  old: z.int().nullable(),
  new: z.int().nullable(),
  text: z.string(),
  /** Words that differ from the line that it replaces. */
  marks: z.array(WordMark),
  /** Present on a last line without a newline. */
  no_newline: z.literal(true).optional(),
});
export type DiffLine = z.infer<typeof DiffLine>;

export const DiffHunk = z.object({ heading: z.string(), lines: z.array(DiffLine) });
export type DiffHunk = z.infer<typeof DiffHunk>;

/** `changes_v1`: body of `GET /api/changes/file`. */
export const FileChanges = z.object({
  path: z.string(),
  old_path: z.string().nullable(),
  /** No lines are given: it is binary, over 1 MiB or a repository of its own. */
  named_only: z.boolean(),
  hunks: z.array(DiffHunk),
});
export type FileChanges = z.infer<typeof FileChanges>;
