import { batch, computed, signal, type ReadonlySignal } from "@preact/signals";
import type { Failure, Result } from "../../net/api.ts";

/** Events come in bursts: what they are about is asked for once. */
export const DEBOUNCE_MS = 100;
/** More pages than this are searched, not scrolled. */
const MAX_PAGES = 20;

export interface QueryOptions {
  /** The least time between two questions that events cause; without it only bursts are one. */
  readonly restMs?: number;
  /** Monotonic milliseconds. */
  readonly nowMs?: () => number;
}

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
  /** Monotonic milliseconds of the last good answer. */
  readonly readAt = signal(-Infinity);
  readonly #question: (signal: AbortSignal) => Promise<Result<T>>;
  readonly #restMs: number;
  readonly #nowMs: () => number;
  #watchers = 0;
  /** The server may have another answer than the one that is shown. */
  #isOld = false;
  #asking: AbortController | null = null;
  #askedAt = -Infinity;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    question: (signal: AbortSignal) => Promise<Result<T>>,
    { restMs = 0, nowMs = () => performance.now() }: QueryOptions = {},
  ) {
    this.#question = question;
    this.#restMs = restMs;
    this.#nowMs = nowMs;
  }

  get isWatched(): boolean {
    return this.#watchers > 0;
  }

  /** A view shows it: asks unless a good answer is there, or on its way. The result ends watching. */
  watch(): () => void {
    this.#watchers += 1;
    if (this.#isOld || this.value.peek() === null) void this.load();
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
    this.#isOld = true;
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
    return this.take(this.#question);
  }

  /** Takes the answer to another question that gives the same. */
  async take(question: (signal: AbortSignal) => Promise<Result<T>>): Promise<void> {
    this.#isOld = false;
    this.#askedAt = this.#nowMs();
    const before = this.value.peek();
    await this.ask(question, (value) => {
      this.value.value = value;
      this.readAt.value = this.#nowMs();
      this.tookMs.value = this.#nowMs() - this.#askedAt;
      this.replaced(before, value);
    });
  }

  /** What it is by now, as another reply tells: an older answer that is on its way is dropped. */
  put(value: T): void {
    this.#drop();
    batch(() => {
      this.isLoading.value = false;
      this.value.value = value;
    });
  }

  clear(): void {
    this.#drop();
    this.#isOld = false;
    batch(() => {
      this.isLoading.value = false;
      this.value.value = null;
      this.failure.value = null;
    });
  }

  protected replaced(_before: T | null, _after: T): void {}

  /** Asks the one question that may be on its way; `accept` is not called where another took its place. */
  protected async ask<R>(
    question: (signal: AbortSignal) => Promise<Result<R>>,
    accept: (answer: R) => void,
  ): Promise<void> {
    this.#drop();
    const asking = (this.#asking = new AbortController());
    this.isLoading.value = true;
    const result = await question(asking.signal);
    if (this.#asking !== asking) return;
    this.#asking = null;
    batch(() => {
      this.isLoading.value = false;
      this.failure.value = result.ok ? null : result.failure;
      if (result.ok) accept(result.value);
    });
    // An invalidation that came meanwhile is about a newer answer than this one.
    if (this.#isOld) this.#schedule();
    if (!result.ok) this.#isOld = true;
  }

  /** A question that is on its way is not dropped for an event: on a slow link none would ever arrive. */
  #schedule(): void {
    if (this.#watchers === 0 || this.#timer !== undefined || this.#asking !== null) return;
    const restMs = this.#askedAt + this.#restMs - this.#nowMs();
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

export interface Page<Item> {
  readonly items: readonly Item[];
  /** Null at the end. */
  readonly next: string | null;
}

interface Older<Item> extends Page<Item> {
  readonly pages: number;
}

/** Where the rows of a list live, so that each stands once whichever list has read it. */
interface Rows<Item> {
  upsert(items: readonly Item[]): readonly Item[];
  get(id: string): ReadonlySignal<Item | null>;
}

export interface PagedQueryDeps<Item> extends QueryOptions {
  /** `cursor` is null for the first page. */
  readonly ask: (cursor: string | null, signal: AbortSignal) => Promise<Result<Page<Item>>>;
  readonly idOf: (item: Item) => string;
  readonly table?: Rows<Item>;
  readonly maxPages?: number;
}

/** A list that comes page by page, newest first, each item once. Watching it follows its first page. */
export class PagedQuery<Item> extends Query<Page<Item>> {
  readonly items: ReadonlySignal<readonly Item[] | null>;
  readonly hasMore: ReadonlySignal<boolean>;
  readonly #deps: PagedQueryDeps<Item>;
  readonly #older = signal<Older<Item> | null>(null);

  constructor(deps: PagedQueryDeps<Item>) {
    super((signal) => this.#page(null, signal), deps);
    this.#deps = deps;
    const { maxPages = MAX_PAGES } = deps;
    this.items = computed(() => this.#all());
    this.hasMore = computed(() => {
      const pages = 1 + (this.#older.value?.pages ?? 0);
      return pages < maxPages && this.#cursor() !== null;
    });
  }

  async more(): Promise<void> {
    if (!this.hasMore.peek() || this.isLoading.peek()) return;
    const cursor = this.#cursor();
    await this.ask(
      (signal) => this.#page(cursor, signal),
      (page) => {
        const { items, pages } = this.#older.peek() ?? { items: [], pages: 0 };
        this.#older.value = { items: [...items, ...page.items], next: page.next, pages: pages + 1 };
      },
    );
  }

  /** Asks for another list, with another filter for one: nothing of the earlier one is kept. */
  async replace(): Promise<void> {
    this.clear();
    await this.reload();
  }

  override clear(): void {
    super.clear();
    this.#older.value = null;
  }

  /** Older pages stay only where the new first page reaches the old one: there is no gap between. */
  protected override replaced(before: Page<Item> | null, after: Page<Item>): void {
    if (before === null) return;
    const { idOf } = this.#deps;
    const known = new Set(before.items.map(idOf));
    const here = new Set(after.items.map(idOf));
    if (known.isDisjointFrom(here)) {
      this.#older.value = null;
      return;
    }
    // What the newer items have pushed out of the first page stands between it and the older ones.
    const pushed = before.items.filter((item) => !here.has(idOf(item)));
    const older = this.#older.peek();
    if (older !== null) this.#older.value = { ...older, items: [...pushed, ...older.items] };
  }

  async #page(cursor: string | null, signal: AbortSignal): Promise<Result<Page<Item>>> {
    const { ask, table } = this.#deps;
    const result = await ask(cursor, signal);
    if (result.ok && !signal.aborted) table?.upsert(result.value.items);
    return result;
  }

  #cursor(): string | null {
    return (this.#older.value ?? this.value.value)?.next ?? null;
  }

  #all(): readonly Item[] | null {
    const first = this.value.value;
    if (first === null) return null;
    const older = this.#older.value?.items ?? [];
    const { idOf, table } = this.#deps;
    const byId = new Map<string, Item>();
    for (const item of [...first.items, ...older]) {
      const id = idOf(item);
      const row = table === undefined ? item : table.get(id).value;
      if (row !== null && !byId.has(id)) byId.set(id, row);
    }
    return [...byId.values()];
  }
}

/** A page of a list as a paged query takes it. */
export function pageOf<Body extends { readonly next_cursor: string | null }, Item>(
  result: Result<Body>,
  itemsOf: (body: Body) => readonly Item[],
): Result<Page<Item>> {
  if (!result.ok) return result;
  return { ok: true, value: { items: itemsOf(result.value), next: result.value.next_cursor } };
}
