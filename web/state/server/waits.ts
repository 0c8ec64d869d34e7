import { signatureOf } from "../../model/guard.ts";
import { waits, type Pane } from "../../model/pane.ts";

const KEY = "panewatch.waits";

/**
 * Since when each pane waits: the server's word (`prompt_since`), else the first time its prompt was
 * seen by this browser. What was there on first load counts from its last output.
 */
export class Waits {
  readonly #storage: Storage;
  readonly #seen: Map<string, { signature: string; since: number }>;
  #isFirst = true;

  constructor(storage: Storage) {
    this.#storage = storage;
    this.#seen = new Map(readSeen(storage.getItem(KEY)));
  }

  learn(panes: readonly Pane[], now: number): void {
    let isChanged = false;
    const waiting = panes.filter((pane) => waits(pane) && pane.prompt_since === null);
    for (const pane of waiting) {
      const signature = signatureOf(pane);
      if (this.#seen.get(pane.id)?.signature === signature) continue;
      this.#seen.set(pane.id, { signature, since: this.#isFirst ? pane.updated : now });
      isChanged = true;
    }
    const present = new Set(waiting.map((pane) => pane.id));
    for (const id of this.#seen.keys())
      if (!present.has(id)) isChanged = this.#seen.delete(id) || isChanged;
    this.#isFirst = false;
    if (isChanged) this.#save();
  }

  since(pane: Pane): number {
    return pane.prompt_since ?? this.#seen.get(pane.id)?.since ?? pane.updated;
  }

  clear(): void {
    this.#seen.clear();
    this.#isFirst = true;
    this.#storage.removeItem(KEY);
  }

  #save(): void {
    this.#storage.setItem(KEY, JSON.stringify([...this.#seen]));
  }
}

function readSeen(stored: string | null): [string, { signature: string; since: number }][] {
  try {
    const value: unknown = JSON.parse(stored ?? "[]");
    return Array.isArray(value) ? value.filter(isSeen) : [];
  } catch {
    return [];
  }
}

function isSeen(item: unknown): item is [string, { signature: string; since: number }] {
  if (!Array.isArray(item) || typeof item[0] !== "string") return false;
  const seen: unknown = item[1];
  return (
    typeof seen === "object" &&
    seen !== null &&
    typeof Reflect.get(seen, "signature") === "string" &&
    typeof Reflect.get(seen, "since") === "number"
  );
}
