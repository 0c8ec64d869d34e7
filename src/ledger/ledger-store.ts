import { AppError } from "../errors.ts";
import type { Clock } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import { failureOf, StoreError } from "../store/store-error.ts";
import type { ActStore } from "./store/act-store.ts";

const MAX_UNWRITTEN = 10_000;
const AGAIN_SECONDS = 5;
const PRUNE_SECONDS = 6 * 3600;

interface LedgerStoreDeps {
  /** @throws StoreError */
  open: () => Promise<ActStore>;
  /** The first use of a store; what it throws counts as not opened. */
  opened(store: ActStore): void;
  written(): void;
  /** The store was damaged or removed: the next one is another. */
  lost(): void;
  keepDays: number;
  clock: Clock;
  log: Pick<Log, "error">;
}

export class LedgerStore {
  readonly #deps: LedgerStoreDeps;
  #store: ActStore | null = null;
  #opening: Promise<ActStore> | null = null;
  /** Monotonic seconds of the last failure to open it. */
  #failedAt: number | null = null;
  #prunedAt = -Infinity;
  readonly #unwritten: ((store: ActStore) => void)[] = [];

  constructor(deps: LedgerStoreDeps) {
    this.#deps = deps;
  }

  get current(): ActStore | null {
    return this.#store;
  }

  close(): void {
    this.flush();
    this.#drop();
  }

  /** @throws AppError storage, persist_failed, with this sentence */
  async required(sentence: string): Promise<ActStore> {
    if (this.#store?.isInPlace()) return this.#store;
    if (this.#store) this.#lose();
    return this.open().catch((error: unknown) => {
      throw refusedByDisk(sentence, error);
    });
  }

  /** @throws AppError in place of what the store throws; a damaged one is opened anew */
  use<T>(sentence: string, work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (failureOf(error) === "corrupt") this.#lose();
      throw refusedByDisk(sentence, error);
    }
  }

  /** Writes this and all that waits, or none of it. @throws AppError with this sentence */
  write(store: ActStore, isSynced: boolean, sentence: string, work = () => {}): void {
    this.use(sentence, () => {
      store.write(isSynced, () => {
        for (const write of this.#unwritten) write(store);
        work();
      });
      this.#unwritten.length = 0;
      this.#deps.written();
    });
  }

  later(write: (store: ActStore) => void): void {
    this.#unwritten.push(write);
    // Of a disk that takes nothing for long; what was being sent is unknown after a start then.
    if (this.#unwritten.length > MAX_UNWRITTEN) this.#unwritten.shift();
  }

  /** What cannot be written now is written with what comes next. */
  flush(): void {
    const store = this.#store;
    if (!store || this.#unwritten.length === 0) return;
    try {
      this.write(store, false, "what became of an act cannot be written down");
      this.#prune(store);
    } catch (error) {
      this.#deps.log.error("the record of what was sent is behind", error);
    }
  }

  #prune(store: ActStore): void {
    const { clock, keepDays } = this.#deps;
    if (clock.monotonic() - this.#prunedAt < PRUNE_SECONDS) return;
    this.#prunedAt = clock.monotonic();
    // In memory nothing is too old.
    store.write(false, () => store.prune(keepDays || Infinity, clock.now()));
  }

  open(): Promise<ActStore> {
    const { clock } = this.#deps;
    const failedAt = this.#failedAt ?? Infinity;
    if (this.#opening && clock.monotonic() - failedAt < AGAIN_SECONDS) return this.#opening;
    this.#failedAt = null;
    this.#opening = this.#open().catch((error: unknown) => {
      this.#failedAt = clock.monotonic();
      throw error;
    });
    return this.#opening;
  }

  async #open(): Promise<ActStore> {
    const store = await this.#deps.open();
    this.#deps.opened(store);
    this.#store = store;
    this.#prune(store);
    return store;
  }

  #lose(): void {
    this.#drop();
    this.#deps.lost();
  }

  #drop(): void {
    this.#store?.close();
    this.#store = this.#opening = null;
  }
}

function refusedByDisk(sentence: string, cause: unknown): AppError {
  const kind = cause instanceof StoreError ? cause.kind : failureOf(cause);
  const message = `the record of what is sent cannot be used; ${sentence}`;
  return kind === "full"
    ? new AppError("storage", `${message}: the disk is full`, undefined, { cause })
    : new AppError("persist_failed", message, undefined, { cause });
}
