import { AppError, persistError } from "../errors.ts";
import type { JsonFile } from "../lib/json-file.ts";
import { SavedValue } from "../lib/saved-value.ts";
import { found, Kept, type KeptList, NOTHING_KEPT } from "./message-lists.ts";

/** Below the state directory. */
export const MESSAGES_FILE = "panewatch-messages.json";

/** The lists on the disk: a change is in force once it is written. */
export class MessageStore {
  readonly #file: Pick<JsonFile, "read" | "write" | "moveAside">;
  #opening: Promise<void> | null = null;
  #saved: SavedValue<Kept> | null = null;
  #indexed: { kept: Kept; byIdentity: ReadonlyMap<string, KeptList> } | null = null;

  constructor(file: Pick<JsonFile, "read" | "write" | "moveAside">) {
    this.#file = file;
  }

  /** @throws UnreadableError: then nothing is kept, and nothing sent */
  open(): Promise<void> {
    this.#opening = this.#open();
    return this.#opening;
  }

  async #open(): Promise<void> {
    const saved = new SavedValue(await this.#read(), (kept) => this.#file.write(kept));
    await saved.change(found);
    this.#saved = saved;
  }

  async close(): Promise<void> {
    await this.#saved?.saved();
  }

  get kept(): Kept {
    return this.#saved?.current ?? NOTHING_KEPT;
  }

  /** The list of a pane; one that still waits before one that is lost. */
  of(identity: string): KeptList | undefined {
    const { kept } = this;
    if (kept.lists.length === 0) return undefined;
    if (this.#indexed?.kept !== kept) {
      const lostFirst = kept.lists.toSorted((a, b) => Number(!a.lost) - Number(!b.lost));
      const byIdentity = new Map(lostFirst.map((list) => [list.identity, list]));
      this.#indexed = { kept, byIdentity };
    }
    return this.#indexed.byIdentity.get(identity);
  }

  /** @throws AppError what `change` throws; unavailable, persist_failed, storage */
  async change(change: (kept: Kept) => Kept): Promise<void> {
    // A request may come before the start has read them.
    await this.#opening?.catch(() => undefined);
    if (this.#saved === null)
      throw new AppError("unavailable", "messages that wait cannot be read");
    await this.#saved.change(change).catch((error: unknown) => {
      throw error instanceof AppError
        ? error
        : persistError("messages that wait cannot be kept", error);
    });
  }

  async #read(): Promise<Kept> {
    const content = await this.#file.read();
    if (content === null) return NOTHING_KEPT;
    const saved = Kept.safeParse(content);
    if (saved.success) return saved.data;
    await this.#file.moveAside("not a list of messages");
    return NOTHING_KEPT;
  }
}
