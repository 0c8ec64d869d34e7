import { signal } from "@preact/signals";
import { storedMembers } from "../../model/stored.ts";

const KEY = "panewatch.device";

/** Which of the server's devices this browser is, and of which server; `id` is null for none. */
export class OwnDevice {
  readonly id = signal<string | null>(null);
  readonly #storage: Storage;

  constructor(storage: Storage) {
    this.#storage = storage;
    this.id.value = this.registered()?.id ?? null;
  }

  /** As it was registered last; version 0.2 kept the id alone. */
  registered(): { readonly id: string; readonly server: string | null } | null {
    const stored = this.#storage.getItem(KEY);
    if (stored === null) return null;
    if (!stored.startsWith("{")) return { id: stored, server: null };
    const { id, server } = storedMembers(stored);
    if (typeof id !== "string") return null;
    return { id, server: typeof server === "string" ? server : null };
  }

  keep(id: string, server: string | null): void {
    this.#storage.setItem(KEY, JSON.stringify({ id, server }));
    this.id.value = id;
  }

  forget(): void {
    this.#storage.removeItem(KEY);
    this.id.value = null;
  }
}
