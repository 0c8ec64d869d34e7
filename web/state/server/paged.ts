import { computed, signal, type ReadonlySignal } from "@preact/signals";
import type { Failure, Result } from "../../net/api.ts";
import { Resource } from "./resource.ts";

/** More than this is searched for, not scrolled to. */
const MAX_PAGES = 20;

export interface Page<Item> {
  readonly items: readonly Item[];
  /** What the next page is asked with; null at the end. */
  readonly next: string | null;
}

/** Everything behind the first page. */
interface Older<Item> extends Page<Item> {
  readonly pages: number;
}

export interface PagedDeps<Item> {
  /** `cursor` is null for the first page. */
  readonly ask: (cursor: string | null, signal: AbortSignal) => Promise<Result<Page<Item>>>;
  readonly idOf: (item: Item) => string;
  readonly onUnauthorized: () => void;
  /** How many pages are kept. */
  readonly maxPages?: number;
}

/** A list that comes page by page, newest first, each item once. */
export class PagedResource<Item> {
  readonly items: ReadonlySignal<readonly Item[] | null>;
  /** Whether an older page is there, and may still be asked for. */
  readonly hasMore: ReadonlySignal<boolean>;
  readonly failure: ReadonlySignal<Failure | null>;
  readonly isLoading: ReadonlySignal<boolean>;
  readonly #idOf: (item: Item) => string;
  readonly #first: Resource<Page<Item>>;
  readonly #next: Resource<Page<Item>>;
  readonly #older = signal<Older<Item> | null>(null);

  constructor({ ask, idOf, onUnauthorized, maxPages = MAX_PAGES }: PagedDeps<Item>) {
    this.#idOf = idOf;
    this.#first = new Resource((signal) => ask(null, signal), onUnauthorized);
    this.#next = new Resource((signal) => ask(this.#cursor(), signal), onUnauthorized);
    this.items = computed(() => this.#all());
    this.hasMore = computed(() => {
      const pages = 1 + (this.#older.value?.pages ?? 0);
      return pages < maxPages && this.#cursor() !== null;
    });
    this.failure = computed(() => this.#first.failure.value ?? this.#next.failure.value);
    this.isLoading = computed(() => this.#first.isLoading.value || this.#next.isLoading.value);
  }

  load(): Promise<void> {
    return this.#keeping(this.#first.load());
  }

  /** Asks for the first page anew, for another filter for one: nothing of before is kept. */
  async reload(): Promise<void> {
    this.clear();
    await this.#first.reload();
  }

  /** Asks for one older page. */
  async more(): Promise<void> {
    if (!this.hasMore.peek() || this.isLoading.peek()) return;
    const cursor = this.#cursor();
    await this.#next.load();
    const page = this.#next.value.peek();
    this.#next.value.value = null;
    // A refresh may have let go of what this page stands behind: it would leave a gap.
    if (page === null || cursor !== this.#cursor()) return;
    const { items, pages } = this.#older.peek() ?? { items: [], pages: 0 };
    this.#older.value = { items: [...items, ...page.items], next: page.next, pages: pages + 1 };
  }

  /** The newest may have changed: the first page is asked for again, what is older stays. */
  async refresh(): Promise<void> {
    await this.#keeping(this.#first.reload());
  }

  clear(): void {
    this.#first.clear();
    this.#next.clear();
    this.#older.value = null;
  }

  /** Older pages stay only where the new first page reaches the old one: there is no gap between. */
  async #keeping(asked: Promise<void>): Promise<void> {
    const before = this.#first.value.peek();
    await asked;
    const after = this.#first.value.peek();
    if (before === null || after === null || before === after) return;
    const known = new Set(before.items.map(this.#idOf));
    const here = new Set(after.items.map(this.#idOf));
    if (known.isDisjointFrom(here)) {
      this.#older.value = null;
      return;
    }
    // What the newer items have pushed out of the first page stands between it and the older ones.
    const pushed = before.items.filter((item) => !here.has(this.#idOf(item)));
    const older = this.#older.peek();
    if (older !== null) this.#older.value = { ...older, items: [...pushed, ...older.items] };
  }

  #cursor(): string | null {
    return (this.#older.value ?? this.#first.value.value)?.next ?? null;
  }

  #all(): readonly Item[] | null {
    const first = this.#first.value.value;
    if (first === null) return null;
    const seen = new Set<string>();
    return [...first.items, ...(this.#older.value?.items ?? [])].filter((item) => {
      const id = this.#idOf(item);
      const isNew = !seen.has(id);
      seen.add(id);
      return isNew;
    });
  }
}
