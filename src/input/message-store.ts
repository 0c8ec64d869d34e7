import { type JsonStore, StoredJson } from "../lib/stored-json.ts";
import { found, Kept, type KeptList, NOTHING_KEPT } from "./message-lists.ts";

/** Below the state directory. */
export const MESSAGES_FILE = "panewatch-messages.json";

/** The lists on the disk: a change is in force once it is written. */
export class MessageStore {
  readonly #stored: StoredJson<Kept>;
  #indexed: { kept: Kept; byIdentity: ReadonlyMap<string, KeptList> } | null = null;

  constructor(file: JsonStore) {
    const [name, empty] = ["messages that wait", NOTHING_KEPT];
    this.#stored = new StoredJson({ file, schema: Kept, empty, name, recover: found });
  }

  /** @throws UnreadableError: then nothing is kept, and nothing sent */
  open(): Promise<void> {
    return this.#stored.open();
  }

  close(): Promise<void> {
    return this.#stored.saved();
  }

  get kept(): Kept {
    return this.#stored.current;
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
  change(change: (kept: Kept) => Kept): Promise<void> {
    return this.#stored.change(change);
  }
}
