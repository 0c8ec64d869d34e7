import { AppError } from "../errors.ts";
import type { Clock } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import type { Act, ActBy, ActKind } from "../protocol/act.ts";
import type { AccessEvent } from "../protocol/acts.ts";
import type { PaneState } from "../protocol/pane.ts";
import { failureOf, StoreError } from "../store/store-error.ts";
import type { ActStore, Fate, KeptAct, KeptEvent, PageQuery } from "./store/act-store.ts";
import { aboutOf, labelOf, type Said, wordsOf } from "./label.ts";
import { INCARNATION, incarnationOf, Once } from "./once.ts";
import { reasonOf } from "./outcome.ts";
import { RecentActs } from "./recent-acts.ts";

const HOUR_SECONDS = 3600;
const MAX_WORDS = 1000;
const MAX_UNWRITTEN = 10_000;
const UNTOLD = "what became of it cannot be told";
/** Between two tries to open a store that could not be opened. */
const AGAIN_SECONDS = 5;
const PRUNE_SECONDS = 6 * HOUR_SECONDS;
const MAYBE: Fate = { state: "unknown", reason: "delivery_unknown" };

export interface LedgerDeps {
  /** @throws StoreError */
  open: () => Promise<ActStore>;
  keepDays: number;
  /** Whether the disk is told what was answered. */
  keepsAbout: boolean;
  /** A pane of this machine. */
  isHere(id: string): boolean;
  /** Of another run: in tests. */
  incarnation?: string;
  clock: Clock;
  log: Pick<Log, "info" | "warn" | "error">;
}

/** What is to be sent, by whom, and to which pane. */
export interface ActFacts {
  kind: ActKind;
  by: ActBy;
  said: Said;
  /** The idempotency key of its request; absent: one of ours. */
  key?: string | undefined;
  id: string;
  target: string;
  /** Of the pane: an id may be given out again. */
  identity: string | null;
}

/** An act on its way. */
export interface OpenAct {
  /**
   * Before anything leaves: when it resolves, the disk says so. A second call does nothing.
   * @throws AppError storage, persist_failed: then nothing may leave
   */
  begin(state: PaneState | null): Promise<void>;
  end(state: "sent" | "confirmed"): void;
  /** @param hasSent whether anything has left */
  failed(error: unknown, hasSent: boolean): void;
}

/** What this service sends by itself leaves a row once it is about to leave, and none of each look. */
export const SERVICE: ActBy = { grant: "service", name: "panewatch" };

/**
 * Whatever is sent to a pane by anybody, as one list: a row is on the disk before anything leaves, and
 * ends with what became of it. What an earlier run left in the middle is told, and never sent again.
 */
export class Ledger {
  readonly #deps: LedgerDeps;
  readonly #incarnation: string;
  readonly #once: Once;
  #store: ActStore | null = null;
  #opening: Promise<ActStore> | null = null;
  /** Monotonic seconds of the last failure to open it. */
  #failedAt: number | null = null;
  #prunedAt = -Infinity;
  /** Ends of acts, and outcomes of requests, that are not written yet. */
  readonly #unwritten: ((store: ActStore) => void)[] = [];
  /** Fates that are not written yet, by their rows. */
  readonly #fates = new Map<number, Fate>();
  /** Keys of running requests that have a row. */
  readonly #recorded = new Set<string>();
  /** How texts begin, by their rows. */
  readonly #words = new Map<number, string>();
  readonly #recent: RecentActs;
  #refused: { seq: number; from: number; count: number; written: number; what: string } | null =
    null;

  constructor(deps: LedgerDeps) {
    this.#deps = deps;
    this.#recent = new RecentActs(
      () => deps.clock.monotonic(),
      (act) => this.#told(act),
    );
    this.#incarnation = deps.incarnation ?? INCARNATION;
    this.#once = new Once(
      {
        find: async (key) => (await this.#required("nothing was sent")).request(key),
        finish: (key, digest, outcome) => this.#finish(key, digest, outcome),
      },
      this.#incarnation,
    );
  }

  get incarnation(): string {
    return this.#incarnation;
  }

  /** A store that cannot be opened is tried again with the next act, which is refused until then. */
  async open(): Promise<void> {
    await this.#opened().catch((error: unknown) =>
      this.#deps.log.error("nothing can be sent: the record of it cannot be kept", error),
    );
  }

  close(): void {
    this.#recount();
    this.#flush();
    this.#store?.close();
    this.#store = this.#opening = null;
  }

  /**
   * Carries a request out once for each key; without a key, each time. With `facts`, one that is
   * refused before it comes to its pane is an act as well.
   */
  once<T>(
    key: string | undefined,
    body: unknown,
    work: () => Promise<T>,
    facts: Pick<ActFacts, "kind" | "by" | "said" | "id"> | null = null,
  ): Promise<T> {
    if (key === undefined) return work();
    return this.#once.run(key, body, async () => {
      try {
        return await work();
      } catch (error) {
        if (facts && !this.#recorded.has(key))
          this.#refuse({ ...facts, key, target: "", identity: null }, reasonOf(error));
        throw error;
      } finally {
        this.#recorded.delete(key);
      }
    });
  }

  act(facts: ActFacts): OpenAct {
    let row: KeptAct | null = null;
    let begunIn: ActStore | null = null;
    const end = (fate: Fate) => {
      if (row) this.#end(row, fate, { isOnItsOwn: facts.kind === "broadcast", begunIn });
    };
    return {
      begin: async (state) => {
        if (row) return;
        const store = await this.#required("nothing was sent");
        row = this.#begin(store, facts, state);
        begunIn = store;
      },
      end: (state) => end({ state, reason: null }),
      failed: (error, hasSent) => {
        const reason = reasonOf(error);
        if (row) end({ state: hasSent ? "unknown" : "refused", reason });
        else if (facts.by !== SERVICE) this.#refuse(facts, reason);
      },
    };
  }

  /** What changed who may come in, or what holds. */
  note(event: Pick<AccessEvent, "kind" | "what" | "by">): void {
    const at = this.#deps.clock.now();
    this.#later((store) => void store.note({ ...event, at, count: 1 }));
    this.#flush();
  }

  /** Somebody tried to sign in and was not let in: one row an hour. */
  signRefused(address: string): void {
    const at = this.#deps.clock.now();
    const known = this.#refused;
    if (known && Math.abs(at - known.from) < HOUR_SECONDS) {
      known.count += 1;
      known.what = address;
      // Guesses must not keep the disk busy.
      if (known.count >= 2 * known.written) this.#recount();
      return;
    }
    this.#recount();
    const by = { grant: "", name: address };
    this.#later((store) => {
      const seq = store.note({ kind: "sign_refused", what: address, by, at, count: 1 });
      this.#refused = { seq, from: at, count: 1, written: 1, what: address };
    });
    this.#flush();
  }

  /** The newest act of a pane for a minute, the same object until it differs. */
  of(identity: string): Act | undefined {
    return this.#recent.of(identity);
  }

  /** After each pass: what has arrived may show that it was taken. */
  follow({ sights }: { sights: readonly { identity: string; state: PaneState }[] }): void {
    const fate: Fate = { state: "confirmed", reason: null };
    for (const act of this.#recent.confirmedBy(sights))
      this.#end(act, fate, { isOnItsOwn: true, begunIn: this.#store });
  }

  /** What became of keys. @throws AppError where that cannot be told */
  async fatesOf(keys: readonly string[]): Promise<{ acts: Act[]; unseen: string[] }> {
    const store = await this.#required(UNTOLD);
    const acts: Act[] = [];
    const unseen: string[] = [];
    for (const key of new Set(keys)) {
      const found = this.#guarded(UNTOLD, () => store.withKey(key));
      acts.push(...found.map((act) => this.#told(act)));
      const run = incarnationOf(key);
      const isUnseen =
        found.length === 0 &&
        store.request(key) === null &&
        this.#once.runningUnder(key) === null &&
        (run === null || store.isKnownRun(run));
      if (isUnseen) unseen.push(key);
    }
    return { acts, unseen };
  }

  /** Newest first. @throws AppError where that cannot be told */
  async page(query: PageQuery): Promise<(KeptAct | KeptEvent)[]> {
    const store = await this.#required(UNTOLD);
    this.#recount();
    this.#flush();
    const rows = this.#guarded(UNTOLD, () => store.page(query));
    return rows.map((row) => ("state" in row ? { ...row, ...this.#told(row) } : row));
  }

  #begin(store: ActStore, facts: ActFacts, state: PaneState | null): KeptAct {
    const { keepsAbout } = this.#deps;
    const row = this.#rowOf(facts, state);
    const digest = this.#once.runningUnder(row.key);
    let seq = 0;
    // A power cut ends the panes of this machine; those of another one live on.
    const isSynced = !this.#deps.isHere(row.pane_id);
    this.#guarded("nothing was sent", () => {
      store.write(isSynced, () => {
        for (const write of this.#unwritten) write(store);
        if (digest !== null) store.reserve(row.key, digest, row.at);
        seq = store.add(keepsAbout ? row : { ...row, about: null });
      });
      this.#written();
    });
    const act: KeptAct = { ...row, seq };
    if (digest !== null) this.#recorded.add(row.key);
    this.#remember(seq, wordsOf(facts.said, state));
    this.#recent.begun(act, state);
    return act;
  }

  #refuse(facts: ActFacts, reason: string): void {
    const row = { ...this.#rowOf(facts, null), state: "refused", reason } as const;
    if (this.#once.runningUnder(row.key) !== null) this.#recorded.add(row.key);
    this.#later((store) => void store.add(row));
    if (this.#once.runningUnder(row.key) === null) this.#flush();
  }

  #rowOf(
    { kind, by, said, key = crypto.randomUUID(), id, target, identity }: ActFacts,
    state: PaneState | null,
  ): Omit<KeptAct, "seq"> {
    return {
      ...{ key, kind, by, identity, pane_id: id, target, at: this.#deps.clock.now() },
      ...{ label: labelOf(said, state), about: aboutOf(state), state: "sending", reason: null },
    };
  }

  #end(
    act: KeptAct,
    fate: Fate,
    { isOnItsOwn, begunIn }: { isOnItsOwn: boolean; begunIn: ActStore | null },
  ): void {
    this.#fates.set(act.seq, fate);
    this.#later((store) => {
      // One that was begun anew has another row there.
      if (store === begunIn) store.end(act.seq, fate);
    });
    this.#recent.ended(act, fate);
    // Else it is written with the outcome of its request.
    if (isOnItsOwn || this.#once.runningUnder(act.key) === null) this.#flush();
  }

  #finish(key: string, digest: string, outcome: string): void {
    const at = this.#deps.clock.now();
    this.#later((store) => {
      store.reserve(key, digest, at);
      store.finish(key, outcome);
    });
    this.#flush();
  }

  #told({ seq, identity: _, ...act }: KeptAct): Act {
    const words = this.#words.get(seq);
    return { ...act, ...this.#fates.get(seq), ...(words === undefined ? {} : { label: words }) };
  }

  #remember(seq: number, words: string | null): void {
    if (words === null) return;
    this.#words.set(seq, words);
    const [oldest] = this.#words.keys();
    if (this.#words.size > MAX_WORDS && oldest !== undefined) this.#words.delete(oldest);
  }

  #recount(): void {
    const refused = this.#refused;
    if (refused === null || refused.count === refused.written) return;
    const { seq, count, what } = refused;
    refused.written = count;
    this.#later((store) => store.recount(seq, count, what));
  }

  #later(write: (store: ActStore) => void): void {
    this.#unwritten.push(write);
    // Of a disk that takes nothing for long; what was being sent is unknown after a start then.
    if (this.#unwritten.length > MAX_UNWRITTEN) this.#unwritten.shift();
  }

  #written(): void {
    this.#unwritten.length = 0;
    this.#fates.clear();
  }

  /** What cannot be written now is written with what comes next; memory knows it until then. */
  #flush(): void {
    const store = this.#store;
    if (!store || this.#unwritten.length === 0) return;
    try {
      this.#guarded("what became of an act cannot be written down", () =>
        store.write(false, () => {
          for (const write of this.#unwritten) write(store);
        }),
      );
      this.#written();
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

  /** @throws AppError */
  async #required(sentence: string): Promise<ActStore> {
    if (this.#store) return this.#store;
    return this.#opened().catch((error: unknown) => {
      throw refusedByDisk(sentence, error);
    });
  }

  #opened(): Promise<ActStore> {
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
    const { open, clock, log } = this.#deps;
    const store = await open();
    const left = store.write(true, () => {
      store.beginRun(this.#incarnation, clock.now());
      return store.recover(MAYBE);
    });
    for (const act of left) {
      log.warn(
        `acts: ${act.kind} for ${act.target || act.pane_id} may have arrived before the start`,
      );
      this.#recent.begun(act, null);
    }
    this.#store = store;
    this.#prune(store);
    return store;
  }

  /** @throws AppError in place of what the store throws; a damaged one is opened anew */
  #guarded<T>(sentence: string, use: () => T): T {
    try {
      return use();
    } catch (error) {
      if (failureOf(error) === "corrupt") {
        this.#store?.close();
        this.#store = this.#opening = null;
        this.#recent.clear();
        this.#fates.clear();
        this.#words.clear();
      }
      throw refusedByDisk(sentence, error);
    }
  }
}

function refusedByDisk(sentence: string, cause: unknown): AppError {
  const kind = cause instanceof StoreError ? cause.kind : failureOf(cause);
  const message = `the record of what is sent cannot be used; ${sentence}`;
  return kind === "full"
    ? new AppError("storage", `${message}: the disk is full`, undefined, { cause })
    : new AppError("persist_failed", message, undefined, { cause });
}
