import { constants } from "node:fs";
import { lstat, open, readlink, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isInside } from "../lib/inside.ts";
import { mapLimit } from "../lib/map-limit.ts";
import type { ChangedFile } from "../protocol/changes.ts";

/** As with git's own differences: what is larger is named only. */
const MAX_FILE_BYTES = 1024 * 1024;
/** Of all files whose lines are counted for one list. */
const MAX_COUNTED_BYTES = 32 * 1024 * 1024;
/** Files that are read at the same time. */
const AT_ONCE = 16;
/** Where git looks for a NUL to tell that a file is no text. */
const PROBE_BYTES = 8000;

/** A file of the work tree that git does not know. Links are not followed. */
export type Untracked =
  | { type: "file"; size: number; text: string | null }
  | { type: "link"; size: number; text: string }
  | { type: "repository"; size: 0; text: null };

/** Null where there is none (any more), or it is neither a file nor a link. */
export async function readUntracked(top: string, path: string): Promise<Untracked | null> {
  if (path.endsWith("/")) return { type: "repository", size: 0, text: null };
  const full = join(top, path);
  try {
    // Git names nothing behind a link to elsewhere; it may have become one since.
    if (!isInside(top, await realpath(dirname(full)))) return null;
    const kind = await lstat(full);
    const { size } = kind;
    if (kind.isSymbolicLink()) return { type: "link", size, text: await readlink(full) };
    if (!kind.isFile()) return null;
    return { type: "file", size, text: size > MAX_FILE_BYTES ? null : await readText(full, size) };
  } catch {
    // Gone, or not ours to read: it is named and no more.
    return null;
  }
}

async function readText(path: string, size: number): Promise<string | null> {
  await using file = await open(
    path,
    constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
  );
  const { bytesRead, buffer } = await file.read(Buffer.alloc(size), 0, size, 0);
  const isBinary = buffer.subarray(0, Math.min(bytesRead, PROBE_BYTES)).includes(0);
  return isBinary ? null : buffer.toString("utf8", 0, bytesRead);
}

/** The lines of a text; git counts a last one without an end as well. */
export function linesOf(text: string): string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** Entries of a list, with their lines as far as they can be counted. */
export function countUntracked(top: string, paths: readonly string[]): Promise<ChangedFile[]> {
  let bytes = 0;
  const one = async (path: string): Promise<ChangedFile> => {
    const found = bytes > MAX_COUNTED_BYTES ? null : await readUntracked(top, path);
    bytes += found?.size ?? 0;
    const added = found?.text == null ? null : linesOf(found.text).length;
    const type = found?.type ?? (path.endsWith("/") ? "repository" : "file");
    const removed = added === null ? null : 0;
    const marks = { staged: false, unstaged: true };
    return { path, old_path: null, status: "untracked", type, ...marks, added, removed };
  };
  return mapLimit(paths, AT_ONCE, one);
}
