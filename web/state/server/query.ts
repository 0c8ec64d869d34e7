import { batch, computed, signal, type ReadonlySignal } from "@preact/signals";
import type { Failure, Result } from "../../net/api.ts";

/** Events come in bursts: what they are about is asked for once. */
const DEBOUNCE_MS = 100;
/** More items than this are searched, not scrolled. */
const MAX_ITEMS = 1000;

type Fetch<T> = (signal: AbortSignal) => Promise<Result<T>>;

/**
 * A question to the server: its last good answer, and how the last try went. While a view watches it,
 * an invalidation asks again; otherwise the answer is old, and asked for when it is next watched.
 * One question is on its way at a time.
 */
export class Query<T> {
  readonly value = signal<T | null>(null);
  readonly failure = signal<Failure | null>(null);
  readonly isLoading = signal(false);
  /** How long the last answer took, in milliseconds. */
  readonly tookMs = signal<number | null>(null);
  readonly #fetch: Fetch<T>;
  readonly #restMs: number;
  #watchers = 0;
  /** The server may have another answer than the one that is shown. */
  #isStale = false;
  #asking: AbortController | null = null;
  #askedAt = -Infinity;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `restMs`: the least time between two questions that events cause; without it only bursts are one. */
  constructor(question: Fetch<T>, restMs = 0) {
    this.#fetch = question;
    this.#restMs = restMs;
  }

  get isWatched(): boolean {
    return this.#watchers > 0;
  }

  /** A view shows it: asks unless a good answer is there, or on its way. The result ends watching. */
  watch(): () => void {
    this.#watchers += 1;
    if (this.#isStale || this.value.peek() === null) void this.load();
    let hasEnded = false;
    return () => {
      if (hasEnded) return;
      hasEnded = true;
      this.#watchers -= 1;
      if (this.#watchers === 0) this.#unschedule();
    };
  }

  /** The server says that its answer is another one by now. */
  invalidate(): void {
    this.#isStale = true;
    this.#schedule();
  }

  /** The network is back: what failed without it is asked again. */
  retryFailed(): void {
    if (this.failure.peek() !== null) this.invalidate();
  }

  /** Nothing while an answer is awaited. */
  async load(): Promise<void> {
    if (this.#asking === null) await this.reload();
  }

  /** The answer to an earlier question is dropped. */
  reload(): Promise<void> {
    this.#isStale = false;
    this.#askedAt = performance.now();
    return this.fetchWith(this.#fetch);
  }

  /** Takes the answer to another question that gives the same, in the place of one that is on its way. */
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
    // An invalidation that came meanwhile is about a newer answer than this one.
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

  /** A question that is on its way is not dropped for an event: on a slow link none would ever arrive. */
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

/** A stretch of a list, newest first. An end that is null goes on nowhere. */
export interface Stretch<Item> {
  readonly items: readonly Item[];
  readonly older: string | null;
  readonly newer: string | null;
}

export interface PagedOptions<Item> {
  /** What stands below a cursor; `null` for the newest. */
  readonly ask: (cursor: string | null, signal: AbortSignal) => Promise<Result<Stretch<Item>>>;
  readonly idOf: (item: Item) => string;
  /** Where its rows live, so that each stands once whichever list has read it. */
  readonly table?: {
    upsert(items: readonly Item[]): void;
    of(id: string): ReadonlySignal<Item | null>;
  };
  /** The least time between two questions that events cause; without it only bursts are one. */
  readonly restMs?: number;
}

/** A list that comes page by page, newest first, each item once. Watching it follows its newest page. */
export class PagedQuery<Item> extends Query<Stretch<Item>> {
  readonly items: ReadonlySignal<readonly Item[] | null>;
  readonly hasMore: ReadonlySignal<boolean>;
  readonly #options: PagedOptions<Item>;

  constructor(options: PagedOptions<Item>) {
    super((signal) => this.newest(signal), options.restMs);
    this.#options = options;
    const { table, idOf } = options;
    this.items = computed(() => {
      const items = this.value.value?.items ?? null;
      if (table === undefined) return items;
      return items?.flatMap((item) => table.of(idOf(item)).value ?? []) ?? null;
    });
    this.hasMore = computed(() => {
      const { items = [], older = null } = this.value.value ?? {};
      return older !== null && items.length < MAX_ITEMS;
    });
  }

  async more(): Promise<void> {
    const older = this.value.peek()?.older ?? null;
    if (this.hasMore.peek()) await this.grow("older", (signal) => this.#ask(older, signal));
  }

  /** Puts what stands beyond one end to it. */
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

  /** Older items stay only where the newest ones reach them: there is no gap between. */
  protected async newest(signal: AbortSignal): Promise<Result<Stretch<Item>>> {
    const shown = this.value.peek();
    const result = await this.#ask(null, signal);
    if (!result.ok || shown === null || result.value.older === null) return result;
    const { items } = result.value;
    const ids = new Set(items.map(this.#options.idOf));
    // What has moved up from further below proves nothing of what stands between.
    const top = shown.items.slice(0, items.length);
    const at = top.findLastIndex((item) => ids.has(this.#options.idOf(item)));
    if (at < 0) return result;
    const rest = this.#without(shown.items.slice(at + 1), items);
    const joined = { ...shown, items: [...items, ...rest], newer: null };
    return { ok: true, value: this.fit(joined, null) };
  }

  /** What is kept of a list that has grown: at an end, or at the top where it was asked for anew. */
  protected fit(stretch: Stretch<Item>, _end: "older" | "newer" | null): Stretch<Item> {
    return stretch;
  }

  async #ask(cursor: string | null, signal: AbortSignal): Promise<Result<Stretch<Item>>> {
    const { ask, table } = this.#options;
    const result = await ask(cursor, signal);
    if (!result.ok || signal.aborted) return result;
    const { items, older } = result.value;
    table?.upsert(items);
    // A long search answers in parts, and a part without a find says nothing to a person.
    return items.length === 0 && older !== null ? this.#ask(older, signal) : result;
  }

  #without(items: readonly Item[], others: readonly Item[]): readonly Item[] {
    const { idOf } = this.#options;
    const known = new Set(others.map(idOf));
    return items.filter((item) => !known.has(idOf(item)));
  }
}

/** A page of a list, newest first, with the cursor of the next. */
export async function pageOf<Body extends { readonly next_cursor: string | null }, Item>(
  asked: Promise<Result<Body>>,
  itemsOf: (body: Body) => readonly Item[],
): Promise<Result<Stretch<Item>>> {
  const result = await asked;
  if (!result.ok) return result;
  const { next_cursor: older } = result.value;
  return { ok: true, value: { items: itemsOf(result.value), older, newer: null } };
}
