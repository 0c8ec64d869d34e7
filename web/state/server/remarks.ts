import { signal, type Signal } from "@preact/signals";
import { MAX_REMARK, type Remark } from "../../model/changes.ts";
import { keyOf, storedMembers } from "../../model/stored.ts";

/** Remarks on changed lines, by pane and work tree; this browser keeps them until they are sent. */
export class Remarks {
  readonly #storage: Storage;
  readonly #known = new Map<string, Signal<readonly Remark[]>>();
  /** The one that is being written. It outlives its line, its file and the page that shows them. */
  readonly writing = signal<(Remark & { readonly place: string }) | null>(null);

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  /** `place` is the server, the pane and the top of its work tree. */
  of(place: string): Signal<readonly Remark[]> {
    const known = this.#known.get(place);
    if (known !== undefined) return known;
    const read = Object.values(storedMembers(this.#storage.getItem(keyOf("remarks.", place))));
    const remarks = signal<readonly Remark[]>(read.filter(isRemark));
    this.#known.set(place, remarks);
    return remarks;
  }

  writingIn(place: string, path: string): Remark | null {
    const { value } = this.writing;
    return value?.place === place && value.path === path ? value : null;
  }

  /** Adds it, or puts it in the place of the one with its id. */
  keep(place: string, remark: Remark): void {
    const { value } = this.of(place);
    const isKnown = value.some(({ id }) => id === remark.id);
    const next = isKnown
      ? value.map((one) => (one.id === remark.id ? remark : one))
      : [...value, remark];
    this.#write(place, next);
  }

  remove(place: string, ids: ReadonlySet<string>): void {
    this.#write(
      place,
      this.of(place).value.filter(({ id }) => !ids.has(id)),
    );
  }

  clear(): void {
    for (const remarks of this.#known.values()) remarks.value = [];
    this.writing.value = null;
  }

  #write(place: string, remarks: readonly Remark[]): void {
    this.of(place).value = remarks;
    if (remarks.length === 0) this.#storage.removeItem(keyOf("remarks.", place));
    else this.#storage.setItem(keyOf("remarks.", place), JSON.stringify(remarks));
  }
}

function isRemark(value: unknown): value is Remark {
  if (typeof value !== "object" || value === null) return false;
  const { id, path, side, line, text, words } = value as Record<string, unknown>;
  return (
    [id, path, text].every((one) => typeof one === "string") &&
    (side === "old" || side === "new") &&
    typeof line === "number" &&
    typeof words === "string" &&
    words.length <= MAX_REMARK
  );
}
