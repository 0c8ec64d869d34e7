import { batch, computed, signal } from "@preact/signals";
import { reuse } from "../../model/reuse.ts";
import type { Failure, Result } from "../../net/api.ts";

/** Events come in bursts: one request serves them all. */
const DEBOUNCE_MS = 100;
/** Longer lists are searched, not scrolled. */
const MAX_ITEMS = 1000;

type Fetch<T> = (signal: AbortSignal) => Promise<Result<T>>;

/**
 * A GET with its last good value and last failure. While a view watches it, an invalidation reloads
 * it; otherwise the next watcher does. One request is under way at a time.
 */
export class Query<T> {
  readonly value = signal<T | null>(null);
  readonly failure = signal<Failure | null>(null);
  readonly isLoading = signal(false);
  /** Duration of the last successful request. */
  readonly tookMs = signal<number | null>(null);
  readonly #fetch: Fetch<T>;
  readonly #restMs: number;
  #watchers = 0;
  /** Invalidated since the last request. */
  #isStale = false;
  #asking: AbortController | null = null;
  #askedAt = -Infinity;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `restMs`: least time between reloads by events; 0 merges only bursts. */
  constructor(question: Fetch<T>, restMs = 0) {
    this.#fetch = question;
    this.#restMs = restMs;
  }

  get isWatched(): boolean {
    return this.#watchers > 0;
  }

  /** Loads unless there is a good value or a request under way. The result ends it, called once. */
  watch(): () => void {
    this.#watchers += 1;
    if (this.#isStale || this.value.peek() === null) void this.load();
    return () => {
      this.#watchers -= 1;
      if (this.#watchers === 0) this.#unschedule();
    };
  }

  /** The value on the server has changed. */
  invalidate(): void {
    this.#isStale = true;
    this.#schedule();
  }

  /** Does nothing while a request is under way. */
  async load(): Promise<void> {
    if (this.#asking === null) await this.reload();
  }

  /** Drops the reply to an earlier request. */
  reload(): Promise<void> {
    this.#isStale = false;
    this.#askedAt = performance.now();
    return this.fetchWith(this.#fetch);
  }

  /** Replaces the request under way by another one of the same type. */
  async fetchWith(question: Fetch<T>): Promise<void> {
    this.#drop();
    const asking = (this.#asking = new AbortController());
    const begunAt = performance.now();
    this.isLoading.value = true;
    const result = await question(asking.signal);
    if (this.#asking !== asking) return;
    this.#asking = null;
    batch(() => {
      this.isLoading.value = false;
      this.failure.value = result.ok ? null : result.failure;
      if (!result.ok) return;
      this.value.value = result.value;
      this.tookMs.value = performance.now() - begunAt;
    });
    // An invalidation during the request is about a newer value.
    if (this.#isStale) this.#schedule();
    if (!result.ok) this.#isStale = true;
  }

  clear(): void {
    this.#drop();
    this.#isStale = false;
    batch(() => {
      this.isLoading.value = false;
      this.value.value = null;
      this.failure.value = null;
    });
  }

  /** Never aborts a request for an event: on a slow link none would ever finish. */
  #schedule(): void {
    if (this.#watchers === 0 || this.#timer !== undefined || this.#asking !== null) return;
    const restMs = this.#askedAt + this.#restMs - performance.now();
    this.#timer = setTimeout(() => void this.reload(), Math.max(DEBOUNCE_MS, restMs));
  }

  #unschedule(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #drop(): void {
    this.#unschedule();
    this.#asking?.abort();
    this.#asking = null;
  }
}

/** Part of a list, newest first; a null end has nothing beyond it. */
export interface Stretch<Item> {
  readonly items: readonly Item[];
  readonly older: string | null;
  readonly newer: string | null;
}

interface PagedOptions<Item> {
  /** The items below a cursor; null for the newest. */
  readonly ask: (cursor: string | null, signal: AbortSignal) => Promise<Result<Stretch<Item>>>;
  readonly idOf: (item: Item) => string;
  /** See `Query`. */
  readonly restMs?: number;
}

/**
 * A list loaded page by page, newest first, without duplicates. Watching follows its newest page. An
 * equal item stays the same object.
 */
export class PagedQuery<Item> extends Query<Stretch<Item>> {
  readonly items = computed(() => this.value.value?.items ?? null);
  readonly hasMore = computed(() => {
    const { items = [], older = null } = this.value.value ?? {};
    return older !== null && items.length < MAX_ITEMS;
  });
  readonly #options: PagedOptions<Item>;

  constructor(options: PagedOptions<Item>) {
    super((signal) => this.newest(signal), options.restMs);
    this.#options = options;
  }

  async more(): Promise<void> {
    const older = this.value.peek()?.older ?? null;
    if (this.hasMore.peek()) await this.grow("older", (signal) => this.#ask(older, signal));
  }

  /** Loads older items until the oldest one is far enough back. */
  async reach(isFar: (oldest: Item) => boolean): Promise<void> {
    while (!this.isLoading.peek() && this.failure.peek() === null && this.hasMore.peek()) {
      const oldest = this.value.peek()?.items.at(-1);
      if (oldest !== undefined && isFar(oldest)) return;
      await this.more();
    }
  }

  /** Adds the items beyond one end. */
  protected async grow(end: "older" | "newer", question: Fetch<Stretch<Item>>): Promise<void> {
    const shown = this.value.peek();
    if (shown === null || this.isLoading.peek()) return;
    await this.fetchWith(async (signal) => {
      const result = await question(signal);
      if (!result.ok) return result;
      const { items, older, newer } = result.value;
      const grown =
        end === "older"
          ? { ...shown, older, items: [...shown.items, ...this.#without(items, shown.items)] }
          : { ...shown, newer, items: [...this.#without(items, shown.items), ...shown.items] };
      return { ok: true, value: this.fit(grown, end) };
    });
  }

  /** Older items stay only where the new first page reaches them: there must be no gap. */
  protected async newest(signal: AbortSignal): Promise<Result<Stretch<Item>>> {
    const shown = this.value.peek();
    const result = await this.#ask(null, signal);
    if (!result.ok || shown === null || result.value.older === null) return result;
    const { items } = result.value;
    const ids = new Set(items.map(this.#options.idOf));
    // An item that moved up from below proves nothing about those between.
    const top = shown.items.slice(0, items.length);
    const at = top.findLastIndex((item) => ids.has(this.#options.idOf(item)));
    if (at < 0) return result;
    const rest = this.#without(shown.items.slice(at + 1), items);
    const joined = { ...shown, items: [...items, ...rest], newer: null };
    return { ok: true, value: this.fit(joined, null) };
  }

  /** Trims a list after it grew at an `end`, or (null) was reloaded. */
  protected fit(stretch: Stretch<Item>, _end: "older" | "newer" | null): Stretch<Item> {
    return stretch;
  }

  async #ask(cursor: string | null, signal: AbortSignal): Promise<Result<Stretch<Item>>> {
    const { ask, idOf } = this.#options;
    const result = await ask(cursor, signal);
    if (!result.ok || signal.aborted) return result;
    const { items, older } = result.value;
    // A long search answers in parts, and empty parts are skipped.
    if (items.length === 0 && older !== null) return this.#ask(older, signal);
    const shown = this.value.peek()?.items ?? [];
    return { ok: true, value: { ...result.value, items: reuse(shown, items, idOf) } };
  }

  #without(items: readonly Item[], others: readonly Item[]): readonly Item[] {
    const { idOf } = this.#options;
    const known = new Set(others.map(idOf));
    return items.filter((item) => !known.has(idOf(item)));
  }
}

/** Reads one page with its cursor. */
export async function pageOf<Body extends { readonly next_cursor: string | null }, Item>(
  asked: Promise<Result<Body>>,
  itemsOf: (body: Body) => readonly Item[],
): Promise<Result<Stretch<Item>>> {
  const result = await asked;
  if (!result.ok) return result;
  const { next_cursor: older } = result.value;
  return { ok: true, value: { items: itemsOf(result.value), older, newer: null } };
}
