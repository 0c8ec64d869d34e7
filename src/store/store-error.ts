import { SQLiteError } from "bun:sqlite";
import { codeOf } from "../errors.ts";

/** Why a store is of no use, as far as a person can mend it. */
export type StoreFailure =
  | "newer" // written by a later version
  | "corrupt" // read, and no store
  | "removed" // its file, or replaced by another one: what is written goes where no start will read it
  | "full" // no room on its disk
  | "read_only" // its folder or file system takes no writes
  | "unreadable" // rights, a directory in its place, a faulty disk
  | "busy"; // another program holds it

const SENTENCES: Readonly<Record<StoreFailure, string>> = {
  newer: "a later version of panewatch has written it",
  corrupt: "it is damaged",
  removed: "its file was removed or replaced",
  full: "its disk is full",
  read_only: "its folder cannot be written to",
  unreadable: "it cannot be read",
  busy: "another program holds it",
};

/** The message is a sentence without a path, which a client may be shown; the rest is the cause. */
export class StoreError extends Error {
  override readonly name = "StoreError";
  constructor(
    readonly kind: StoreFailure,
    file: string,
    options?: ErrorOptions,
  ) {
    super(`The store ${file} cannot be used: ${SENTENCES[kind]}.`, options);
  }
}

const FAILURE_OF: Readonly<Record<string, StoreFailure>> = {
  SQLITE_NOTADB: "corrupt",
  SQLITE_CORRUPT: "corrupt",
  SQLITE_FULL: "full",
  SQLITE_READONLY: "read_only",
  SQLITE_BUSY: "busy",
  SQLITE_LOCKED: "busy",
  SQLITE_CANTOPEN: "unreadable",
  SQLITE_PERM: "unreadable",
  SQLITE_AUTH: "unreadable",
  SQLITE_IOERR: "unreadable",
  ENOSPC: "full",
  EDQUOT: "full",
  EROFS: "read_only",
};

/**
 * What an error of the database or of its file means; null for a fault of ours, such as a broken
 * constraint. Extended codes (`SQLITE_IOERR_WRITE`) count as their first two words.
 */
export function failureOf(error: unknown): StoreFailure | null {
  const code = codeOf(error);
  if (code === null) return null;
  if (!(error instanceof SQLiteError) && /^E[A-Z]+$/.test(code))
    return FAILURE_OF[code] ?? "unreadable";
  return FAILURE_OF[code.split("_").slice(0, 2).join("_")] ?? null;
}

/** Any error of a store or of its file, in a sentence that a client may be shown; others as they are. */
export function asStoreError(error: unknown, file: string): unknown {
  if (error instanceof StoreError) return error;
  const kind = failureOf(error);
  return kind === null ? error : new StoreError(kind, file, { cause: error });
}

/** What a database says, in a sentence; null for errors of everything else, files among them. */
export function storeErrorOf(error: unknown, file: string): StoreError | null {
  const isSaid = error instanceof StoreError || error instanceof SQLiteError;
  const known = isSaid ? asStoreError(error, file) : null;
  return known instanceof StoreError ? known : null;
}
