import { signal, type Signal } from "@preact/signals";
import {
  draftKey,
  draftPlace,
  isEmpty,
  isDraftKey,
  isDraftOf,
  parseDraft,
  placeKey,
  withoutSent,
  type Draft,
  type DraftPlace,
  type MessageParts,
} from "../../model/drafts.ts";
import type { Pane } from "../../model/pane.ts";
import { Part } from "./part.ts";

const SAVE_AFTER_MS = 300;
/** Neighbours tell a restart from a pane that was closed; more than this nobody has. */
const MAX_BESIDE = 200;
const EMPTY: Draft = {
  ...{ text: "", choice: null, images: [], remarks: [], writing: null, edits: {} },
  ...{ name: "", beside: [], savedAt: 0 },
};

type Change = Partial<Omit<Draft, "name" | "beside" | "savedAt">>;

export interface UnsentDraft {
  readonly key: string;
  readonly target: string;
  readonly draft: Draft;
}

interface Stored {
  readonly place: DraftPlace;
  readonly draft: Draft;
}

interface Open {
  readonly draft: Signal<Draft>;
  /** Where it is stored: its pane as it stood when that was looked at last. */
  key: string;
  /** What was written here and is not stored yet. */
  unsaved: Change | null;
  timer: ReturnType<typeof setTimeout> | undefined;
}

/**
 * Unsent texts of this browser. A draft belongs to its pane; the place where the pane stood only brings
 * it back after a restart of the multiplexer. It goes when it was sent, or on sign-out.
 */
export class Drafts extends Part {
  /** Raised with every change of the set, so that lists of drafts follow. */
  readonly revision = signal(0);
  /** By server and id of the pane: another server may answer at the same address. */
  readonly #open = new Map<string, Open>();
  /** What the storage has, by key; null once it may have changed. */
  #read: { server: string; stored: ReadonlyMap<string, Stored> } | null = null;

  of(pane: Pane): Signal<Draft> {
    return this.#openOf(pane).draft;
  }

  #openOf(pane: Pane): Open {
    const slot = this.#slot(pane);
    const known = this.#open.get(slot);
    if (known !== undefined) return this.#moved(known, pane);
    const key = this.#keyFor(pane);
    const empty = { ...EMPTY, name: pane.name };
    const stored = parseDraft(this.server.storage.getItem(key), Date.now());
    const draft = signal<Draft>(stored ?? empty);
    const open: Open = { draft, key, unsaved: null, timer: undefined };
    this.#open.set(slot, open);
    return this.#moved(open, pane);
  }

  set(pane: Pane, change: Change): void {
    const open = this.#openOf(pane);
    const { draft } = open;
    const beside = this.#beside(pane);
    draft.value = { ...draft.value, ...change, name: pane.name, beside, savedAt: Date.now() };
    open.unsaved = { ...open.unsaved, ...change };
    clearTimeout(open.timer);
    open.timer = setTimeout(() => this.#save(open), SAVE_AFTER_MS);
  }

  /** Another tab has written or sent it: that is newer, but for what is being written here as well. */
  follow(key: string, stored: string | null): void {
    if (isDraftKey(key)) this.#read = null;
    for (const open of this.#open.values()) {
      if (open.key !== key) continue;
      const { name, beside, savedAt } = open.draft.peek();
      const told = parseDraft(stored, Date.now()) ?? { ...EMPTY, name };
      const { unsaved } = open;
      open.draft.value = unsaved === null ? told : { ...told, ...unsaved, beside, savedAt };
    }
    if (isDraftKey(key)) this.revision.value++;
  }

  /** A page that was frozen has not heard what other tabs did. */
  reread(): void {
    this.#read = null;
    for (const { key } of this.#open.values()) this.follow(key, this.server.storage.getItem(key));
  }

  /** Forgets what was sent, unless it has been written on meanwhile. */
  sent(pane: Pane, sent: Partial<MessageParts>): void {
    this.set(pane, withoutSent(this.of(pane).peek(), sent));
    this.saveAll();
  }

  /** Called before the page may die. */
  saveAll(): void {
    for (const open of this.#open.values()) if (open.unsaved !== null) this.#save(open);
  }

  orphans(panes: readonly Pane[]): readonly UnsentDraft[] {
    const owned = new Set(
      panes.map((pane) => this.#open.get(this.#slot(pane))?.key ?? this.#keyFor(pane)),
    );
    return [...this.#stored()].flatMap(([key, { place, draft }]) =>
      owned.has(key) || isEmpty({ ...draft, choice: null, images: [] })
        ? []
        : [{ key, target: place.target, draft }],
    );
  }

  discard(key: string): void {
    for (const [slot, open] of this.#open) {
      if (open.key !== key) continue;
      clearTimeout(open.timer);
      this.#open.delete(slot);
    }
    this.#write(key, null);
    this.revision.value++;
  }

  /** Reads the storage once until it changes; what is too old, of whichever server, goes. */
  #stored(): ReadonlyMap<string, Stored> {
    const server = this.server.instance();
    if (this.#read?.server === server) return this.#read.stored;
    const { storage } = this.server;
    const stored = new Map<string, Stored>();
    for (const key of storage.keys().filter(isDraftKey)) {
      const draft = parseDraft(storage.getItem(key), Date.now());
      const place = draftPlace(key, server);
      if (draft === null) storage.removeItem(key);
      else if (place !== null) stored.set(key, { place, draft });
    }
    this.#read = { server, stored };
    return stored;
  }

  #write(key: string, text: string | null): void {
    this.#read = null;
    // What was still to be saved when somebody signed out is forgotten with the rest.
    if (this.server.signedOut.aborted) return;
    if (text === null) this.server.storage.removeItem(key);
    else this.server.storage.setItem(key, text);
  }

  /** Where the draft of a pane lies: under its own name, or that of the place it takes after a restart. */
  #keyFor(pane: Pane): string {
    const listed = this.server.panes.all.peek();
    const own = draftKey(this.server.instance(), pane);
    const stored = this.#stored();
    if (stored.has(own)) return own;
    const found = [...stored].filter(
      ([, { place, draft }]) =>
        place.target === pane.target && isDraftOf(pane, place, draft, listed),
    );
    // Of two that stood there one after the other, the later was there when all began anew.
    return found.toSorted(([, a], [, b]) => a.draft.savedAt - b.draft.savedAt).at(-1)?.[0] ?? own;
  }

  /** A pane that stands elsewhere by now takes its draft along. */
  #moved(open: Open, pane: Pane): Open {
    const key = draftKey(this.server.instance(), pane);
    if (key === open.key) return open;
    const { storage } = this.server;
    // Another tab may have seen the pane move before this one.
    const stored = storage.getItem(open.key) ?? storage.getItem(key);
    this.#write(open.key, null);
    open.key = key;
    const moved = open.unsaved !== null ? null : parseDraft(stored, Date.now());
    // Its neighbours are others by now too: they tell it from whoever takes its new place.
    const draft = { ...(moved ?? open.draft.peek()), beside: this.#beside(pane) };
    open.draft.value = draft;
    if (!isEmpty(draft)) this.#write(key, JSON.stringify(draft));
    return open;
  }

  #beside(pane: Pane): readonly string[] {
    const others = this.server.panes.all.peek().filter(({ id }) => id !== pane.id);
    return others.slice(0, MAX_BESIDE).map(placeKey);
  }

  #slot({ id }: Pane): string {
    return `${this.server.instance()} ${id}`;
  }

  #save(open: Open): void {
    clearTimeout(open.timer);
    open.unsaved = null;
    const draft = open.draft.peek();
    this.#write(open.key, isEmpty(draft) ? null : JSON.stringify(draft));
    this.revision.value++;
  }
}
