import type { z } from "zod";
import { AppError, persistError } from "../errors.ts";
import type { JsonFile } from "./json-file.ts";
import { SavedValue } from "./saved-value.ts";

/** What holds the JSON: a file, or a test's memory. */
export type JsonStore = Pick<JsonFile, "read" | "write" | "moveAside">;

/** Null where there is no file, or one that `schema` refuses: it is moved aside. @throws UnreadableError */
export async function readStored<T>(
  file: Pick<JsonFile, "read" | "moveAside">,
  schema: z.ZodType<T>,
): Promise<T | null> {
  const content = await file.read();
  if (content === null) return null;
  const parsed = schema.safeParse(content);
  if (parsed.success) return parsed.data;
  await file.moveAside("not of the expected shape");
  return null;
}

interface StoredJsonDeps<T> {
  file: JsonStore;
  schema: z.ZodType<T>;
  /** Where there is no file. */
  empty: T;
  /** In the plural, for messages: "messages that wait". */
  name: string;
  /** What a start makes of what a stopped service left; the same value where that is nothing. */
  recover?: (value: T) => T;
}

/** One value in a private JSON file: a change is in force once it is written. */
export class StoredJson<T> {
  readonly #deps: StoredJsonDeps<T>;
  #opening: Promise<void> | null = null;
  #value: SavedValue<T> | null = null;

  constructor(deps: StoredJsonDeps<T>) {
    this.#deps = deps;
  }

  /** @throws UnreadableError, or why what was recovered cannot be written: then nothing changes it */
  open(): Promise<void> {
    this.#opening = this.#open();
    return this.#opening;
  }

  get current(): T {
    return this.#value?.current ?? this.#deps.empty;
  }

  /** @throws AppError what `change` throws; unavailable, persist_failed, storage */
  async change(change: (value: T) => T): Promise<void> {
    const { name } = this.#deps;
    // A request may come before the start has read it. Else no turn passes: `saved` knows of it.
    if (this.#value === null) await this.#opening?.catch(() => undefined);
    if (this.#value === null) throw new AppError("unavailable", `${name} cannot be read`);
    await this.#value.change(change).catch((error: unknown) => {
      throw error instanceof AppError ? error : persistError(`${name} cannot be kept`, error);
    });
  }

  /** Resolves when nothing is left to write. */
  async saved(): Promise<void> {
    await this.#value?.saved();
  }

  async #open(): Promise<void> {
    const { file, schema, empty, recover } = this.#deps;
    const value = new SavedValue((await readStored(file, schema)) ?? empty, (next) =>
      file.write(next),
    );
    if (recover) await value.change(recover);
    this.#value = value;
  }
}
