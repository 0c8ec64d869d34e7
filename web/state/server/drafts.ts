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
/** Neighbours tell a restart from a closed pane. */
const MAX_BESIDE = 200;
const EMPTY: Draft = {
  ...{ text: "", choice: null, images: [], remarks: [], writing: null, edits: {} },
  ...{ name: "", beside: [], savedAt: 0 },
};

type Change = Partial<Omit<Draft, "name" | "beside" | "savedAt">>;

interface StoredDraft {
  readonly place: DraftPlace;
  readonly draft: Draft;
}

interface OpenDraft {
  readonly draft: Signal<Draft>;
  /** Storage key, by where the pane was when last looked at. */
  key: string;
  /** Not stored yet. */
  unsaved: Change | null;
}

/**
 * Unsent texts of this browser. A draft belongs to its pane; the place only brings it back after a
 * restart of the multiplexer. It goes when it was sent, or at sign-out.
 */
export class Drafts extends Part {
  /** Changes with the set of drafts. */
  readonly revision = signal(0);
  /** By server and pane id: another server may answer at the same address. */
  readonly #open = new Map<string, OpenDraft>();
  /** Contents of the storage by key; null once they may have changed. */
  #read: { server: string; stored: ReadonlyMap<string, StoredDraft> } | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  of(pane: Pane): Signal<Draft> {
    return this.#openOf(pane).draft;
  }

  #openOf(pane: Pane): OpenDraft {
    const slot = this.#slot(pane);
    const known = this.#open.get(slot);
    if (known !== undefined) return this.#moved(known, pane);
    const key = this.#keyFor(pane);
    const empty = { ...EMPTY, name: pane.name };
    const stored = parseDraft(this.server.storage.getItem(key), Date.now());
    const draft = signal<Draft>(stored ?? empty);
    const open: OpenDraft = { draft, key, unsaved: null };
    this.#open.set(slot, open);
    return this.#moved(open, pane);
  }

  set(pane: Pane, change: Change): void {
    const open = this.#openOf(pane);
    const { draft } = open;
    const beside = this.#beside(pane);
    draft.value = { ...draft.value, ...change, name: pane.name, beside, savedAt: Date.now() };
    open.unsaved = { ...open.unsaved, ...change };
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.saveAll(), SAVE_AFTER_MS);
  }

  /**
   * Called for changes of other tabs, and where a frozen page may have missed some: those win, except
   * over what is being written here.
   */
  follow(changed?: string): void {
    if (changed !== undefined && !isDraftKey(changed)) return;
    this.#read = null;
    for (const { key, draft, unsaved } of this.#open.values()) {
      const { name, beside, savedAt } = draft.peek();
      const told = parseDraft(this.server.storage.getItem(key), Date.now()) ?? { ...EMPTY, name };
      draft.value = unsaved === null ? told : { ...told, ...unsaved, beside, savedAt };
    }
    this.revision.value++;
  }

  /** Anything written since stays. */
  sent(pane: Pane, sent: Partial<MessageParts>): void {
    this.set(pane, withoutSent(this.of(pane).peek(), sent));
    this.saveAll();
  }

  /** Called before the page may be killed, too. */
  saveAll(): void {
    clearTimeout(this.#timer);
    for (const open of this.#open.values()) {
      if (open.unsaved === null) continue;
      open.unsaved = null;
      const draft = open.draft.peek();
      this.#write(open.key, isEmpty(draft) ? null : JSON.stringify(draft));
      this.revision.value++;
    }
  }

  orphans(panes: readonly Pane[]) {
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
    for (const [slot, open] of this.#open) if (open.key === key) this.#open.delete(slot);
    this.#write(key, null);
    this.revision.value++;
  }

  /** Read once until it changes; expired drafts of any server are removed. */
  #stored(): ReadonlyMap<string, StoredDraft> {
    const server = this.server.instance();
    if (this.#read?.server === server) return this.#read.stored;
    const { storage } = this.server;
    const stored = new Map<string, StoredDraft>();
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
    // Sign-out also drops what was not saved yet.
    if (this.server.signedOut.aborted) return;
    if (text === null) this.server.storage.removeItem(key);
    else this.server.storage.setItem(key, text);
  }

  /** The key of the pane's own draft, or of one that comes back by its place. */
  #keyFor(pane: Pane): string {
    const listed = this.server.panes.all.peek();
    const own = draftKey(this.server.instance(), pane);
    const stored = this.#stored();
    if (stored.has(own)) return own;
    const found = [...stored].filter(([, { place, draft }]) =>
      isDraftOf(pane, place, draft, listed),
    );
    // Of several in that place, the newest was there at the restart.
    return found.toSorted(([, a], [, b]) => a.draft.savedAt - b.draft.savedAt).at(-1)?.[0] ?? own;
  }

  /** A pane that has moved takes its draft along. */
  #moved(open: OpenDraft, pane: Pane): OpenDraft {
    const key = draftKey(this.server.instance(), pane);
    if (key === open.key) return open;
    const { storage } = this.server;
    // Another tab may have moved the draft already.
    const stored = storage.getItem(open.key) ?? storage.getItem(key);
    this.#write(open.key, null);
    open.key = key;
    const moved = open.unsaved !== null ? null : parseDraft(stored, Date.now());
    // The new neighbours tell it from a later pane in its place.
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
}
