import type { Log } from "../lib/log.ts";
import type { Act, ActBy, ActKind } from "../protocol/act.ts";
import type { AccessEvent } from "../protocol/acts.ts";
import type { PaneState } from "../protocol/pane.ts";
import { askedBy, type RequestFacts, whoAsks } from "../slice.ts";
import type { ActStore, Fate, StoredAct, StoredEvent, ActsPage } from "./store/act-store.ts";
import { LedgerStore, type LedgerStoreDeps } from "./ledger-store.ts";
import { actAbout, labelOf, type SentInput, labelWords } from "./label.ts";
import {
  IdempotencyCache,
  INCARNATION,
  incarnationOf,
  refusalReason,
} from "./idempotency-cache.ts";
import { isConfirmed } from "./confirmed.ts";

const MAX_WORDS = 1000;
const SHOWN_SECONDS = 60;
/** What is not confirmed by then stays `sent`. */
const CONFIRMED_WITHIN_SECONDS = 5;
const UNSENT = "nothing was sent";
const UNTOLD = "what became of it cannot be told";
const DELIVERY_UNKNOWN: Fate = { state: "unknown", reason: "delivery_unknown" };

export interface LedgerDeps extends Pick<LedgerStoreDeps, "open" | "keepDays" | "clock"> {
  keepsAbout: boolean;
  isLocalPane(id: string): boolean;
  /** @throws AppError where the record on the disk is this service's no more */
  requireClaim(): Promise<void>;
  incarnation?: string;
  log: Pick<Log, "info" | "warn" | "error">;
}

export interface ActFacts {
  kind: ActKind;
  by: ActBy;
  input: SentInput;
  /** The idempotency key of its request; absent: one of ours. */
  key?: string | undefined;
  id: string;
  target: string;
  /** Of the pane: an id may be given out again. */
  identity: string | null;
}

export interface OpenAct {
  /** When it resolves, the disk says so; once. @throws AppError: then nothing may leave */
  begin(state: PaneState | null): Promise<void>;
  end(state: "sent" | "confirmed"): void;
  failed(error: unknown, hasSent: boolean): void;
}

interface Recent {
  act: StoredAct;
  /** The pane when it left; null where nobody saw it. */
  before: PaneState | null;
  /** Monotonic seconds. */
  at: number;
}

/** What this service sends by itself leaves a row once it is about to leave, and none of each look. */
export const SERVICE: ActBy = { grant: "service", name: "panewatch" };

/**
 * Whatever is sent to a pane by anybody, as one list: a row is on the disk before anything leaves, and
 * ends with what became of it. What an earlier run left in the middle is told, and never sent again.
 */
export class Ledger {
  readonly #deps: LedgerDeps;
  readonly incarnation: string;
  readonly #once: IdempotencyCache;
  readonly #store: LedgerStore;
  #signNotedAt = -Infinity;
  /** The store has everything of this run. */
  #isWhole = true;
  readonly #fates = new Map<number, Fate>();
  readonly #recorded = new Set<string>();
  readonly #words = new Map<number, string>();
  /** The newest of each pane, by identity. */
  readonly #recent = new Map<string, Recent>();

  constructor(deps: LedgerDeps) {
    this.#deps = deps;
    this.#store = new LedgerStore({
      ...deps,
      opened: (store) => this.#opened(store),
      written: () => this.#fates.clear(),
      lost: () => {
        this.#isWhole = false;
        this.#recent.clear();
        this.#fates.clear();
        this.#words.clear();
      },
    });
    this.incarnation = deps.incarnation ?? INCARNATION;
    this.#once = new IdempotencyCache(
      {
        find: (key) => this.#store.ask(UNSENT, (store) => store.request(key)),
        finish: (key, digest, outcome) => this.#finish(key, digest, outcome),
      },
      this.incarnation,
    );
  }

  /** A store that cannot be opened is tried again with the next act, which is refused until then. */
  async open(): Promise<void> {
    await this.#store
      .open()
      .catch((error: unknown) =>
        this.#deps.log.error("nothing can be sent: the record of it cannot be kept", error),
      );
  }

  close(): void {
    this.#store.close();
  }

  /** Once for each key. With `facts`, what is refused before it comes to its pane is an act as well. */
  runOnce<T>(
    key: string | undefined,
    body: unknown,
    work: () => Promise<T>,
    facts: Pick<ActFacts, "kind" | "by" | "input" | "id"> | null = null,
  ): Promise<T> {
    if (key === undefined) return work();
    return this.#once.run(key, body, async () => {
      try {
        return await work();
      } catch (error) {
        if (facts && !this.#recorded.has(key))
          this.#refuse({ ...facts, key, target: "", identity: null }, refusalReason(error));
        throw error;
      } finally {
        this.#recorded.delete(key);
      }
    });
  }

  act(facts: ActFacts): OpenAct {
    let row: StoredAct | null = null;
    let begunIn: ActStore | null = null;
    const end = (fate: Fate) => {
      if (row) this.#end(row, fate, { isOnItsOwn: facts.kind === "broadcast", begunIn });
    };
    return {
      begin: async (state) => {
        if (row) return;
        await this.#deps.requireClaim();
        const store = await this.#store.required(UNSENT);
        row = this.#begin(store, facts, state);
        begunIn = store;
      },
      end: (state) => end({ state, reason: null }),
      failed: (error, hasSent) => {
        const reason = refusalReason(error);
        if (row) end({ state: hasSent ? "unknown" : "refused", reason });
        else if (facts.by !== SERVICE) this.#refuse(facts, reason);
      },
    };
  }

  /** What somebody changed of who comes in and how it is set up: a row, and a line of the log. */
  changed(
    facts: RequestFacts,
    { sentence, ...event }: Pick<AccessEvent, "kind" | "what"> & { sentence: string },
  ): void {
    this.#deps.log.info(`access: ${sentence} by ${whoAsks(facts)}`);
    this.note({ ...event, by: askedBy(facts) });
  }

  note(event: Pick<AccessEvent, "kind" | "what" | "by">): void {
    const at = this.#deps.clock.now();
    this.#store.later((store) => store.note({ ...event, at, count: 1 }));
    this.#store.flush();
  }

  signRefused(address: string): void {
    const { clock } = this.#deps;
    const at = clock.now();
    this.#store.later((store) => store.signRefused(address, at));
    // Guesses must not keep the disk busy.
    if (clock.monotonic() - this.#signNotedAt < 1) return;
    this.#signNotedAt = clock.monotonic();
    this.#store.flush();
  }

  /** The newest act of a pane for a minute. */
  of(identity: string): Act | undefined {
    const recent = this.#recent.get(identity);
    return recent && this.#ageOf(recent) < SHOWN_SECONDS ? this.#told(recent.act) : undefined;
  }

  /** After each pass: what has arrived may show that it was taken. */
  follow({ sights }: { sights: readonly { identity: string; state: PaneState }[] }): void {
    if (this.#recent.size === 0) return;
    // Of a pane that is gone nobody asks any more.
    for (const [identity, recent] of this.#recent)
      if (this.#ageOf(recent) >= SHOWN_SECONDS) this.#recent.delete(identity);
    const fate: Fate = { state: "confirmed", reason: null };
    for (const { identity, state } of sights) {
      const recent = this.#recent.get(identity);
      if (recent?.act.state !== "sent" || this.#ageOf(recent) > CONFIRMED_WITHIN_SECONDS) continue;
      if (isConfirmed(recent.act, recent.before, state))
        this.#end(recent.act, fate, { isOnItsOwn: true, begunIn: this.#store.current });
    }
  }

  /** @throws AppError where that cannot be told */
  fatesOf(keys: readonly string[]): Promise<{ acts: Act[]; unseen: string[] }> {
    return this.#store.ask(UNTOLD, (store) => {
      const wanted = [...new Set(keys)];
      const acts = wanted.flatMap((key) => store.withKey(key)).map((act) => this.#told(act));
      const known = new Set(acts.map(({ key }) => key));
      const isUnseen = (key: string) =>
        !known.has(key) &&
        store.request(key) === null &&
        this.#once.runningUnder(key) === null &&
        // One that names no run may be of this one.
        store.isKnownRun(incarnationOf(key) ?? this.incarnation);
      return { acts, unseen: wanted.filter(isUnseen) };
    });
  }

  /** Newest first. @throws AppError where that cannot be told */
  async page(query: ActsPage): Promise<((Act & { seq: number }) | StoredEvent)[]> {
    this.#store.flush();
    const rows = await this.#store.ask(UNTOLD, (store) => store.page(query));
    return rows.map((row) => ("state" in row ? { seq: row.seq, ...this.#told(row) } : row));
  }

  #begin(store: ActStore, facts: ActFacts, state: PaneState | null): StoredAct {
    const { keepsAbout } = this.#deps;
    const row = this.#rowOf(facts, state);
    const digest = this.#once.runningUnder(row.key);
    let seq = 0;
    // A power cut ends the panes of this machine; those of another one live on.
    const isSynced = !this.#deps.isLocalPane(row.pane_id);
    this.#store.write(store, isSynced, UNSENT, () => {
      if (digest !== null) store.reserve(row.key, digest, row.at);
      seq = store.add(keepsAbout ? row : { ...row, about: null });
    });
    const act: StoredAct = { ...row, seq };
    if (digest !== null) this.#recorded.add(row.key);
    const words = labelWords(facts.input, state);
    if (words !== null) this.#words.set(seq, words);
    const [oldest] = this.#words.keys();
    if (this.#words.size > MAX_WORDS && oldest !== undefined) this.#words.delete(oldest);
    this.#begun(act, state);
    return act;
  }

  #begun(act: StoredAct, before: PaneState | null): void {
    const at = this.#deps.clock.monotonic();
    if (act.identity !== null) this.#recent.set(act.identity, { act, before, at });
  }

  #ageOf({ at }: Recent): number {
    return this.#deps.clock.monotonic() - at;
  }

  #refuse(facts: ActFacts, reason: string): void {
    const row = { ...this.#rowOf(facts, null), state: "refused", reason } as const;
    this.#store.later((store) => void store.add(row));
    if (this.#once.runningUnder(row.key) === null) this.#store.flush();
    else this.#recorded.add(row.key);
  }

  #rowOf(
    { kind, by, input, key = crypto.randomUUID(), id, target, identity }: ActFacts,
    state: PaneState | null,
  ): Omit<StoredAct, "seq"> {
    return {
      ...{ key, kind, by, identity, pane_id: id, target, at: this.#deps.clock.now() },
      ...{ label: labelOf(input, state), about: actAbout(state), state: "sending", reason: null },
    };
  }

  #end(
    act: StoredAct,
    fate: Fate,
    { isOnItsOwn, begunIn }: { isOnItsOwn: boolean; begunIn: ActStore | null },
  ): void {
    this.#fates.set(act.seq, fate);
    this.#store.later((store) => {
      // One that was begun anew has another row there.
      if (store === begunIn) store.end(act.seq, fate);
    });
    const recent = this.#recent.get(act.identity ?? "");
    if (recent?.act.seq === act.seq) {
      recent.act = { ...recent.act, ...fate };
      if (fate.state !== "confirmed") recent.at = this.#deps.clock.monotonic();
    }
    // Else it is written with the outcome of its request.
    if (isOnItsOwn || this.#once.runningUnder(act.key) === null) this.#store.flush();
  }

  #finish(key: string, digest: string, outcome: string): void {
    const at = this.#deps.clock.now();
    this.#store.later((store) => {
      store.reserve(key, digest, at);
      store.finish(key, outcome);
    });
    this.#store.flush();
  }

  #told({ seq, identity: _, ...act }: StoredAct): Act {
    const words = this.#words.get(seq);
    return { ...act, ...this.#fates.get(seq), ...(words === undefined ? {} : { label: words }) };
  }

  #opened(store: ActStore): void {
    const { clock, log } = this.#deps;
    const left = store.write(true, () => {
      if (this.#isWhole) store.beginRun(this.incarnation, clock.now());
      return store.recover(DELIVERY_UNKNOWN);
    });
    for (const act of left) {
      log.warn(
        `acts: ${act.kind} for ${act.target || act.pane_id} may have arrived before the start`,
      );
      this.#begun(act, null);
    }
  }
}
