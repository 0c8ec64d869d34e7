import { SQLiteError } from "bun:sqlite";
import { codeOf } from "../errors.ts";

/** Why a store cannot be used, by what a person can do about it. */
export type StoreFailure =
  | "newer" // written by a later version
  | "corrupt"
  | "removed" // or replaced: no start would read what is written
  | "full"
  | "read_only" // its folder or file system
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

/** The message is a sentence without a path that a client may see. */
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
 * What an error of the database or its file means; null for a bug such as a broken constraint.
 * Extended codes (`SQLITE_IOERR_WRITE`) count as their first two words.
 */
export function failureOf(error: unknown): StoreFailure | null {
  const code = codeOf(error);
  if (code === null) return null;
  if (!(error instanceof SQLiteError) && /^E[A-Z]+$/.test(code))
    return FAILURE_OF[code] ?? "unreadable";
  return FAILURE_OF[code.split("_").slice(0, 2).join("_")] ?? null;
}

/** A `StoreError` for an error of a store or its file; any other error as it is. */
export function asStoreError(error: unknown, file: string): unknown {
  if (error instanceof StoreError) return error;
  const kind = failureOf(error);
  return kind === null ? error : new StoreError(kind, file, { cause: error });
}

/** A `StoreError` for an error of a database; null for any other, of files too. */
export function storeErrorOf(error: unknown, file: string): StoreError | null {
  if (!(error instanceof StoreError || error instanceof SQLiteError)) return null;
  const known = asStoreError(error, file);
  return known instanceof StoreError ? known : null;
}
