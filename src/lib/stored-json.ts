import type { z } from "zod";
import { AppError, persistError } from "../errors.ts";
import { type JsonFile, UnreadableError } from "./json-file.ts";

export type JsonStore = Pick<JsonFile, "read" | "write" | "quarantine">;

/** Null without a file; one that `schema` refuses is moved aside. @throws UnreadableError */
export async function readStored<T>(
  file: Pick<JsonFile, "read" | "quarantine">,
  schema: z.ZodType<T>,
): Promise<T | null> {
  const content = await file.read();
  if (content === null) return null;
  const parsed = schema.safeParse(content);
  if (parsed.success) return parsed.data;
  await file.quarantine("not of the expected shape");
  return null;
}

/**
 * As `readStored`, for what the service can do without: a file that cannot be read is logged, counts
 * as none, and is never written over, since it may be whole.
 */
export async function readOptional<T>(
  file: JsonFile,
  schema: z.ZodType<T>,
): Promise<{ saved: T | null; write: JsonFile["write"] }> {
  try {
    const saved = await readStored(file, schema);
    return { saved, write: (value) => file.write(value) };
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error;
    file.deps.log.error(`${error.message}: what it holds is not in force, and nothing replaces it`);
    return { saved: null, write: () => Promise.reject(error) };
  }
}

export interface StoredJsonDeps<T> {
  file: JsonStore;
  schema: z.ZodType<T>;
  /** The value without a file. */
  empty: T;
  /** In the plural, for messages: "messages that wait". */
  name: string;
  /** Applied to the file at each start; written with the next change. */
  recover?: (value: T) => T;
}

export class StoredJson<T> {
  readonly #deps: StoredJsonDeps<T>;
  #opening: Promise<void> | null = null;
  #value: SavedValue<T> | null = null;

  constructor(deps: StoredJsonDeps<T>) {
    this.#deps = deps;
  }

  /** @throws UnreadableError: every change is refused then */
  open(): Promise<void> {
    this.#opening = this.#open();
    return this.#opening;
  }

  get current(): T {
    return this.#value?.current ?? this.#deps.empty;
  }

  /** Waits for `open`: a request may come before the file is read. @throws AppError unavailable */
  async opened(): Promise<SavedValue<T>> {
    await this.#opening?.catch(() => undefined);
    if (this.#value === null)
      throw new AppError("unavailable", `${this.#deps.name} cannot be read`);
    return this.#value;
  }

  /** @throws AppError what `change` throws; unavailable, persist_failed, storage */
  async change(change: (value: T) => T): Promise<void> {
    const { name } = this.#deps;
    // Without an await where the value is read: `saved` must know of this change.
    const value = this.#value ?? (await this.opened());
    await value.change(change).catch((error: unknown) => {
      throw error instanceof AppError ? error : persistError(`${name} cannot be kept`, error);
    });
  }

  async saved(): Promise<void> {
    await this.#value?.saved();
  }

  async #open(): Promise<void> {
    const { file, schema, empty, recover = (value) => value } = this.#deps;
    const saved = await readStored(file, schema);
    const value = saved === null ? empty : recover(saved);
    this.#value = new SavedValue(value, (next) => file.write(next));
  }
}

interface Pending<T> {
  change: (value: T) => T;
  done: PromiseWithResolvers<void>;
}

const WRITE_AGAIN_MS = 30_000;

/**
 * A value that is in force once it is written: a change that could not be saved has not happened.
 * Changes that come during a write share the next one.
 */
export class SavedValue<T> {
  readonly #write: (value: T) => Promise<void>;
  #current: T;
  #pending: Pending<T>[] = [];
  #isStale = false;
  #writing: Promise<void> | null = null;
  #isTriedAgain = false;
  #isClosed = false;

  constructor(saved: T, write: (value: T) => Promise<void>) {
    this.#current = saved;
    this.#write = write;
  }

  get current(): T {
    return this.#current;
  }

  /**
   * `change` gets the value that earlier changes left, and returns the new one. Rejects with what it
   * throws or with the failure of the write, and once closed always; nothing is changed then.
   */
  change(change: (value: T) => T): Promise<void> {
    if (this.#isClosed)
      return Promise.reject(new Error("cannot save a change: the value is closed"));
    const done = Promise.withResolvers<void>();
    this.#pending.push({ change, done });
    this.#writing ??= this.#writeAll();
    return done.promise;
  }

  /** Writes the value again until that succeeds: something that `write` adds to it has changed. */
  touch(): void {
    if (this.#isClosed) return;
    this.#isStale = true;
    this.#writing ??= this.#writeAll();
  }

  async saved(): Promise<void> {
    await this.#writing;
  }

  /** Waits for pending writes. Nothing is written afterwards: the file may be another process's. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#writing;
  }

  async #writeAll(): Promise<void> {
    while (this.#pending.length > 0 || this.#isStale)
      await this.#writeNext(this.#pending.splice(0));
    // No await since the last check for pending changes: none is lost in between.
    this.#writing = null;
  }

  async #writeNext(batch: readonly Pending<T>[]): Promise<void> {
    let value = this.#current;
    const accepted: PromiseWithResolvers<void>[] = [];
    for (const { change, done } of batch) {
      try {
        value = change(value);
        accepted.push(done);
      } catch (refusal) {
        done.reject(refusal);
      }
    }
    const wasStale = this.#isStale;
    try {
      const isWritten = value === this.#current && !wasStale;
      this.#isStale = false;
      if (!isWritten) await this.#write(value);
      this.#current = value;
      for (const { resolve } of accepted) resolve();
    } catch (error) {
      for (const { reject } of accepted) reject(error);
      if (wasStale) this.#writeLater();
    }
  }

  #writeLater(): void {
    if (this.#isTriedAgain) return;
    this.#isTriedAgain = true;
    setTimeout(() => {
      this.#isTriedAgain = false;
      this.touch();
    }, WRITE_AGAIN_MS).unref();
  }
}
