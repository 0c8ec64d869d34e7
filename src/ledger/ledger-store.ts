import { type AppError, persistError } from "../errors.ts";
import { AgeClock, type Clock } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import { failureOf } from "../store/store-error.ts";
import type { ActStore } from "./store/act-store.ts";

const MAX_UNWRITTEN = 10_000;
const AGAIN_SECONDS = 5;

export interface LedgerStoreDeps {
  /** @param damage what the last store failed with, where it is damaged @throws StoreError */
  open: (damage: unknown) => Promise<ActStore>;
  /** Uses the store for the first time: what it throws counts as not opened. */
  onOpened(store: ActStore): void;
  onWritten(): void;
  /** The store was damaged or removed, and the next one will be another. */
  onLost(): void;
  keepDays: number;
  clock: Clock;
  log: Pick<Log, "error">;
}

export class LedgerStore {
  readonly #deps: LedgerStoreDeps;
  #store: ActStore | null = null;
  #opening: Promise<ActStore> | null = null;
  /** Monotonic seconds: when a store that could not be opened is tried again. */
  #againAt = Infinity;
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
  async require(sentence: string): Promise<ActStore> {
    if (this.#store?.isInPlace()) return this.#store;
    if (this.#store) this.#lose();
    return this.open().catch((error: unknown) => {
      throw diskError(sentence, error);
    });
  }

  /** @throws AppError storage, persist_failed, with this sentence */
  async query<T>(sentence: string, look: (store: ActStore) => T): Promise<T> {
    const store = await this.require(sentence);
    return this.#use(sentence, () => look(store));
  }

  /** A damaged store is replaced by the next use. @throws AppError storage, persist_failed */
  #use<T>(sentence: string, work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (failureOf(error) === "corrupt") this.#lose(error);
      throw diskError(sentence, error);
    }
  }

  /** Writes the queue and `work` in one transaction. @throws AppError with this sentence */
  write(store: ActStore, isSynced: boolean, sentence: string, work = () => {}): void {
    this.#use(sentence, () => {
      store.write(isSynced, () => {
        for (const write of this.#unwritten) write(store);
        work();
      });
      this.#unwritten.length = 0;
      this.#deps.onWritten();
    });
  }

  enqueue(write: (store: ActStore) => void): void {
    this.#unwritten.push(write);
    // The disk has failed for long: after a start the outcome of the dropped act is unknown.
    if (this.#unwritten.length > MAX_UNWRITTEN) this.#unwritten.shift();
  }

  /** What cannot be written now is written with the next act. */
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
    // Zero days: the store is in memory, and nothing is too old.
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
    // Read once: by the next call another file may stand there.
    const damage = this.#damage;
    this.#damage = null;
    const store = await this.#deps.open(damage);
    try {
      this.#deps.onOpened(store);
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
    this.#deps.onLost();
  }

  #drop(): void {
    this.#store?.close();
    this.#store = this.#opening = null;
  }
}

const diskError = (sentence: string, cause: unknown): AppError =>
  persistError(`the record of what is sent cannot be used; ${sentence}`, cause);
