import { signal } from "@preact/signals";
import type { KeyValueStorage } from "../../model/stored.ts";

/**
 * The browser's storage. Where that is blocked or full, values live in memory, and `isLosing` says
 * that they will not last.
 */
export class BrowserStorage implements KeyValueStorage {
  /** Some value is only in memory. */
  readonly isLosing = signal(false);
  readonly #storage: Storage | null;
  /** Values that could not be written. */
  readonly #own = new Map<string, string>();

  /** `open` throws where the person has blocked the storage. */
  constructor(open: () => Storage) {
    let storage: Storage | null = null;
    try {
      storage = open();
    } catch {
      this.isLosing.value = true;
    }
    this.#storage = storage;
  }

  getItem(key: string): string | null {
    return this.#own.get(key) ?? this.#storage?.getItem(key) ?? null;
  }

  setItem(key: string, value: string): void {
    try {
      if (this.#storage === null) throw new Error("no storage");
      this.#storage.setItem(key, value);
      this.#own.delete(key);
    } catch {
      this.#own.set(key, value);
      this.isLosing.value = true;
    }
  }

  removeItem(key: string): void {
    this.#own.delete(key);
    this.#storage?.removeItem(key);
  }

  /** Read at once: in some browsers each indexed access lists all keys. */
  keys(): readonly string[] {
    const storage = this.#storage;
    const stored = Array.from({ length: storage?.length ?? 0 }, (_, i) => storage?.key(i) ?? null);
    const keys = stored.filter((key) => key !== null);
    return [...keys, ...[...this.#own.keys()].filter((key) => !keys.includes(key))];
  }
}
