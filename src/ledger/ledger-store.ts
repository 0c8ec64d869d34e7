import { type AppError, persistError } from "../errors.ts";
import { AgeClock, type Clock } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import { failureOf } from "../store/store-error.ts";
import type { ActStore } from "./store/act-store.ts";

const MAX_UNWRITTEN = 10_000;
const AGAIN_SECONDS = 5;

export interface LedgerStoreDeps {
  /** @param damage why the last one is of no use, null where it is not known to be @throws StoreError */
  open: (damage: unknown) => Promise<ActStore>;
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
  /** Monotonic seconds: when one that could not be opened is tried again. */
  #againAt = Infinity;
  /** Why the last one proved damaged. */
  #damage: unknown = null;
  readonly #age: AgeClock;
  readonly #unwritten: ((store: ActStore) => void)[] = [];

  constructor(deps: LedgerStoreDeps) {
    this.#deps = deps;
    this.#age = new AgeClock(deps.clock);
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

  /** @throws AppError storage, persist_failed, with this sentence */
  async ask<T>(sentence: string, look: (store: ActStore) => T): Promise<T> {
    const store = await this.required(sentence);
    return this.#use(sentence, () => look(store));
  }

  /** @throws AppError in place of what the store throws; a damaged one is begun anew */
  #use<T>(sentence: string, work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (failureOf(error) === "corrupt") this.#lose(error);
      throw refusedByDisk(sentence, error);
    }
  }

  /** Writes this and all that waits, or none of it. @throws AppError with this sentence */
  write(store: ActStore, isSynced: boolean, sentence: string, work = () => {}): void {
    this.#use(sentence, () => {
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
    if (!store) return;
    try {
      if (this.#unwritten.length > 0)
        this.write(store, false, "what became of an act cannot be written down");
      this.#prune(store);
    } catch (error) {
      this.#deps.log.error("the record of what was sent is behind", error);
    }
  }

  #prune(store: ActStore): void {
    if (!this.#age.isDue) return;
    const now = this.#age.now();
    this.#age.look();
    // In memory nothing is too old.
    const prune = () => store.prune(this.#deps.keepDays || Infinity, now);
    this.#use("it stays as long as it is", () => store.write(false, prune));
  }

  open(): Promise<ActStore> {
    const { clock } = this.#deps;
    if (this.#opening && clock.monotonic() < this.#againAt) return this.#opening;
    this.#againAt = Infinity;
    this.#opening = this.#open().catch((error: unknown) => {
      this.#againAt = clock.monotonic() + AGAIN_SECONDS;
      throw error;
    });
    return this.#opening;
  }

  async #open(): Promise<ActStore> {
    // Once: what stands there now may be another one, or none.
    const damage = this.#damage;
    this.#damage = null;
    const store = await this.#deps.open(damage);
    try {
      this.#deps.opened(store);
    } catch (error) {
      if (failureOf(error) === "corrupt") this.#damage = error;
      store.close();
      throw error;
    }
    this.#store = store;
    this.flush();
    return store;
  }

  #lose(damage: unknown = null): void {
    this.#damage = damage;
    this.#drop();
    this.#deps.lost();
  }

  #drop(): void {
    this.#store?.close();
    this.#store = this.#opening = null;
  }
}

const refusedByDisk = (sentence: string, cause: unknown): AppError =>
  persistError(`the record of what is sent cannot be used; ${sentence}`, cause);
