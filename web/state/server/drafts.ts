import { signal, type Signal } from "@preact/signals";
import {
  draftKey,
  draftTarget,
  isDraftKey,
  messageOf,
  parseDraft,
  type Draft,
} from "../../model/drafts.ts";
import type { Pane } from "../../model/pane.ts";

const SAVE_AFTER_MS = 300;
const EMPTY: Draft = { text: "", choice: null, images: [], name: "", savedAt: 0 };

export interface UnsentDraft {
  readonly target: string;
  readonly draft: Draft;
}

/** Unsent texts of this browser, per server and target. They go only when they were sent, or on sign-out. */
export class Drafts {
  /** Raised with every change of the set, so that lists of drafts follow. */
  readonly revision = signal(0);
  readonly #storage: Storage;
  readonly #server: () => string;
  readonly #open = new Map<string, Signal<Draft>>();
  readonly #unsaved = new Map<string, ReturnType<typeof setTimeout>>();
  /** What the storage had no room for: it is nowhere but here. */
  readonly #unstored = new Set<string>();

  constructor(storage: Storage, server: () => string) {
    this.#storage = storage;
    this.#server = server;
  }

  of(pane: Pane): Signal<Draft> {
    const key = this.#key(pane.target);
    const known = this.#open.get(key);
    if (known !== undefined) return known;
    const empty = { ...EMPTY, name: pane.name };
    const draft = signal<Draft>(parseDraft(this.#storage.getItem(key), Date.now()) ?? empty);
    this.#open.set(key, draft);
    return draft;
  }

  set(pane: Pane, change: Partial<Pick<Draft, "text" | "choice" | "images">>): void {
    const draft = this.of(pane);
    draft.value = { ...draft.value, ...change, name: pane.name, savedAt: Date.now() };
    const key = this.#key(pane.target);
    clearTimeout(this.#unsaved.get(key));
    this.#unsaved.set(
      key,
      setTimeout(() => this.#save(key), SAVE_AFTER_MS),
    );
  }

  /** Another tab has written or sent it: that is newer, unless it is being written here as well. */
  follow(key: string, stored: string | null): void {
    const draft = this.#open.get(key);
    if (draft !== undefined && !this.#unsaved.has(key) && !this.#unstored.has(key))
      draft.value = parseDraft(stored, Date.now()) ?? { ...EMPTY, name: draft.peek().name };
    if (isDraftKey(key)) this.revision.value++;
  }

  /** A page that was frozen has not heard what other tabs did. */
  reread(): void {
    for (const key of this.#open.keys()) this.follow(key, this.#storage.getItem(key));
  }

  /** Forgets a draft that was sent, unless it has been written on meanwhile. */
  sent(pane: Pane, text: string): void {
    const draft = this.of(pane).peek();
    if (messageOf(draft) === text) this.set(pane, { text: "", choice: null, images: [] });
    else if (draft.text === text) this.set(pane, { text: "", choice: null });
    this.saveAll();
  }

  /** Writes what is not yet stored; called before the page may die. */
  saveAll(): void {
    for (const key of this.#unsaved.keys()) this.#save(key);
  }

  /** Drafts whose pane is not among these targets. */
  orphans(targets: ReadonlySet<string>): readonly UnsentDraft[] {
    return this.#keys().flatMap((key) => {
      const target = draftTarget(key, this.#server());
      if (target === null || targets.has(target)) return [];
      const draft = parseDraft(this.#storage.getItem(key), Date.now());
      return draft === null || draft.text === "" ? [] : [{ target, draft }];
    });
  }

  discard(target: string): void {
    const key = this.#key(target);
    this.#open.delete(key);
    this.#storage.removeItem(key);
    this.revision.value++;
  }

  clear(): void {
    for (const timer of this.#unsaved.values()) clearTimeout(timer);
    this.#unsaved.clear();
    this.#unstored.clear();
    this.#open.clear();
    for (const key of this.#keys()) this.#storage.removeItem(key);
    this.revision.value++;
  }

  #keys(): readonly string[] {
    const keys = Array.from({ length: this.#storage.length }, (_, i) => this.#storage.key(i));
    return keys.filter((key): key is string => key !== null && isDraftKey(key));
  }

  #key(target: string): string {
    return draftKey(this.#server(), target);
  }

  #save(key: string): void {
    clearTimeout(this.#unsaved.get(key));
    this.#unsaved.delete(key);
    const draft = this.#open.get(key)?.value;
    if (draft === undefined) return;
    try {
      if (draft.text === "" && draft.choice === null && draft.images.length === 0)
        this.#storage.removeItem(key);
      else this.#storage.setItem(key, JSON.stringify(draft));
      this.#unstored.delete(key);
    } catch {
      this.#unstored.add(key);
    }
    this.revision.value++;
  }
}
