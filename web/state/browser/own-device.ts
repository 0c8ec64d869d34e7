import { signal } from "@preact/signals";
import { isLike, Kept, storedMembers, type Storing } from "../../model/stored.ts";

interface Registered {
  readonly id: string;
  readonly server: string | null;
}

/** Which of the server's devices this browser is, and of which server; `id` is null for none. */
export class OwnDevice {
  readonly id = signal<string | null>(null);
  readonly #kept: Kept<Registered | null>;

  constructor(storage: Storing) {
    this.#kept = new Kept(storage, "device", readRegistered);
    this.id.value = this.registered()?.id ?? null;
  }

  registered(): Registered | null {
    return this.#kept.get();
  }

  keep(id: string, server: string | null): void {
    this.#kept.set({ id, server });
    this.id.value = id;
  }

  forget(): void {
    this.#kept.set(null);
    this.id.value = null;
  }
}

/** As it was registered last; version 0.2 kept the id alone. */
function readRegistered(stored: string | null): Registered | null {
  if (stored !== null && !stored.startsWith("{")) return { id: stored, server: null };
  const members = storedMembers(stored);
  if (!isLike({ id: "" }, members)) return null;
  const { server } = Object(members);
  return { id: members.id, server: typeof server === "string" ? server : null };
}
