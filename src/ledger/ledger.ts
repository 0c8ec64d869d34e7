import type { Log } from "../lib/log.ts";
import type { Act, ActBy, ActKind } from "../protocol/act.ts";
import type { AccessEvent } from "../protocol/acts.ts";
import type { PaneState } from "../protocol/pane.ts";
import { actByOf, type RequestFacts, requesterName } from "../slice.ts";
import type { ActStore, Fate, StoredAct, StoredEvent, ActsPage } from "./store/act-store.ts";
import { LedgerStore, type LedgerStoreDeps } from "./ledger-store.ts";
import { actAbout, labelOf, type SentInput, labelWords } from "./label.ts";
import {
  IdempotencyCache,
  INCARNATION,
  incarnationOf,
  refusalReason,
} from "./idempotency-cache.ts";

const MAX_WORDS = 1000;
const RECENT_SECONDS = 60;
/** An act that no screen has confirmed by then stays `sent`. */
const CONFIRMED_WITHIN_SECONDS = 5;
const NOTHING_SENT = "nothing was sent";
const CANNOT_LOOK_UP = "what became of it cannot be told";
const DELIVERY_UNKNOWN: Fate = { state: "unknown", reason: "delivery_unknown" };

export interface LedgerDeps extends Pick<LedgerStoreDeps, "open" | "keepDays" | "clock"> {
  keepsAbout: boolean;
  isLocalPane(id: string): boolean;
  /** @throws AppError once another process may write the record */
  requireLock(): Promise<void>;
  incarnation?: string;
  log: Pick<Log, "info" | "warn" | "error">;
}

export interface ActFacts {
  kind: ActKind;
  by: ActBy;
  input: SentInput;
  /** The idempotency key of its request; absent: the ledger makes one. */
  key?: string | undefined;
  id: string;
  target: string;
  /** Of the pane, whose id may be given out again. */
  identity: string | null;
}

export interface OpenAct {
  /** Resolves when the act is on the disk. @throws AppError: nothing may be sent then */
  begin(state: PaneState | null): Promise<void>;
  end(state: "sent" | "confirmed"): void;
  failed(error: unknown, hasSent: boolean): void;
}

interface Recent {
  act: StoredAct;
  /** The pane when the act was sent; null where nobody read it. */
  before: PaneState | null;
  /** Monotonic seconds. */
  at: number;
}

/** For what the service sends by itself: its refused attempts are no acts. */
export const SERVICE: ActBy = { grant: "service", name: "panewatch" };

/**
 * The list of everything that is sent to panes: a row is on the disk before anything is sent, and
 * ends with what became of it. An act that an earlier run left open is never sent again.
 */
export class Ledger {
  readonly #deps: LedgerDeps;
  readonly incarnation: string;
  readonly #requests: IdempotencyCache;
  readonly #store: LedgerStore;
  #signNotedAt = -Infinity;
  /** The store has every act of this run. */
  #isWhole = true;
  /** Ends that are not written yet. */
  readonly #fates = new Map<number, Fate>();
  /** Keys of running requests that have an act. */
  readonly #recorded = new Set<string>();
  /** What was typed, in memory alone: the disk has its length. */
  readonly #words = new Map<number, string>();
  /** The newest act of each pane, by identity. */
  readonly #recent = new Map<string, Recent>();

  constructor(deps: LedgerDeps) {
    this.#deps = deps;
    this.#store = new LedgerStore({
      ...deps,
      onOpened: (store) => this.#beginRun(store),
      onWritten: () => this.#fates.clear(),
      onLost: () => {
        this.#isWhole = false;
        this.#recent.clear();
        this.#fates.clear();
        this.#words.clear();
      },
    });
    this.incarnation = deps.incarnation ?? INCARNATION;
    this.#requests = new IdempotencyCache(
      {
        find: (key) => this.#store.query(NOTHING_SENT, (store) => store.request(key)),
        finish: (key, digest, outcome) => this.#finish(key, digest, outcome),
      },
      this.incarnation,
    );
  }

  /** A store that cannot be opened is tried again with each act; until then nothing is sent. */
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

  /** With `facts`, a request that is refused before it reaches its pane is an act too. */
  runOnce<T>(
    key: string | undefined,
    body: unknown,
    work: () => Promise<T>,
    facts: Pick<ActFacts, "kind" | "by" | "input" | "id"> | null = null,
  ): Promise<T> {
    if (key === undefined) return work();
    return this.#requests.run(key, body, async () => {
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
      if (row) this.#end(row, fate, begunIn);
    };
    return {
      begin: async (state) => {
        if (row) return;
        await this.#deps.requireLock();
        const store = await this.#store.require(NOTHING_SENT);
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

  /** Records a change of access or settings, with a line of the log. */
  changed(
    facts: RequestFacts,
    { sentence, ...event }: Pick<AccessEvent, "kind" | "what"> & { sentence: string },
  ): void {
    this.#deps.log.info(`access: ${sentence} by ${requesterName(facts)}`);
    this.note({ ...event, by: actByOf(facts) });
  }

  note(event: Pick<AccessEvent, "kind" | "what" | "by">): void {
    const at = this.#deps.clock.now();
    this.#store.enqueue((store) => store.note({ ...event, at, count: 1 }));
    this.#store.flush();
  }

  signRefused(address: string): void {
    const { clock } = this.#deps;
    const at = clock.now();
    this.#store.enqueue((store) => store.signRefused(address, at));
    // Guesses must not keep the disk busy.
    if (clock.monotonic() - this.#signNotedAt < 1) return;
    this.#signNotedAt = clock.monotonic();
    this.#store.flush();
  }

  /** The newest act of a pane for a minute. */
  of(identity: string): Act | undefined {
    const recent = this.#recent.get(identity);
    return recent && this.#ageOf(recent) < RECENT_SECONDS ? this.#publicAct(recent.act) : undefined;
  }

  /** Called after each pass: a screen may confirm what was sent. */
  follow({ sights }: { sights: readonly { identity: string; state: PaneState }[] }): void {
    if (this.#recent.size === 0) return;
    for (const [identity, recent] of this.#recent)
      if (this.#ageOf(recent) >= RECENT_SECONDS) this.#recent.delete(identity);
    const fate: Fate = { state: "confirmed", reason: null };
    for (const { identity, state } of sights) {
      const recent = this.#recent.get(identity);
      if (recent?.act.state !== "sent" || this.#ageOf(recent) > CONFIRMED_WITHIN_SECONDS) continue;
      if (isConfirmed(recent.act, recent.before, state))
        this.#end(recent.act, fate, this.#store.current);
    }
  }

  /** @throws AppError where the store cannot be read */
  fatesOf(keys: readonly string[]): Promise<{ acts: Act[]; unseen: string[] }> {
    return this.#store.query(CANNOT_LOOK_UP, (store) => {
      const wanted = [...new Set(keys)];
      const acts = wanted.flatMap((key) => store.withKey(key)).map((act) => this.#publicAct(act));
      const known = new Set(acts.map(({ key }) => key));
      const isUnseen = (key: string) =>
        !known.has(key) &&
        store.request(key) === null &&
        this.#requests.runningUnder(key) === null &&
        // A key that names no run may be of this one.
        store.isKnownRun(incarnationOf(key) ?? this.incarnation);
      return { acts, unseen: wanted.filter(isUnseen) };
    });
  }

  /** Newest first. @throws AppError where the store cannot be read */
  async page(query: ActsPage): Promise<((Act & { seq: number }) | StoredEvent)[]> {
    this.#store.flush();
    const rows = await this.#store.query(CANNOT_LOOK_UP, (store) => store.page(query));
    return rows.map((row) => ("state" in row ? { seq: row.seq, ...this.#publicAct(row) } : row));
  }

  #begin(store: ActStore, facts: ActFacts, state: PaneState | null): StoredAct {
    const { keepsAbout } = this.#deps;
    const row = this.#rowOf(facts, state);
    const digest = this.#requests.runningUnder(row.key);
    let seq = 0;
    // A power cut ends the panes of this machine; those of another machine live on.
    const isSynced = !this.#deps.isLocalPane(row.pane_id);
    this.#store.write(store, isSynced, NOTHING_SENT, () => {
      if (digest !== null) store.reserve(row.key, digest, row.at);
      seq = store.add(keepsAbout ? row : { ...row, about: null });
    });
    const act: StoredAct = { ...row, seq };
    if (digest !== null) this.#recorded.add(row.key);
    const words = labelWords(facts.input, state);
    if (words !== null) this.#words.set(seq, words);
    const [oldest] = this.#words.keys();
    if (this.#words.size > MAX_WORDS && oldest !== undefined) this.#words.delete(oldest);
    this.#rememberRecent(act, state);
    return act;
  }

  #rememberRecent(act: StoredAct, before: PaneState | null): void {
    const at = this.#deps.clock.monotonic();
    if (act.identity !== null) this.#recent.set(act.identity, { act, before, at });
  }

  #ageOf({ at }: Recent): number {
    return this.#deps.clock.monotonic() - at;
  }

  #refuse(facts: ActFacts, reason: string): void {
    const row = { ...this.#rowOf(facts, null), state: "refused", reason } as const;
    this.#store.enqueue((store) => void store.add(row));
    if (this.#requests.runningUnder(row.key) === null) this.#store.flush();
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

  #end(act: StoredAct, fate: Fate, begunIn: ActStore | null): void {
    this.#fates.set(act.seq, fate);
    this.#store.enqueue((store) => {
      // A store that was made anew has another row under this number.
      if (store === begunIn) store.end(act.seq, fate);
    });
    const recent = this.#recent.get(act.identity ?? "");
    if (recent?.act.seq === act.seq) {
      recent.act = { ...recent.act, ...fate };
      if (fate.state !== "confirmed") recent.at = this.#deps.clock.monotonic();
    }
    // Otherwise it is written together with the outcome of its request. That of a broadcast is far.
    if (act.kind === "broadcast" || this.#requests.runningUnder(act.key) === null)
      this.#store.flush();
  }

  #finish(key: string, digest: string, outcome: string): void {
    const at = this.#deps.clock.now();
    this.#store.enqueue((store) => {
      store.reserve(key, digest, at);
      store.finish(key, outcome);
    });
    this.#store.flush();
  }

  #publicAct({ seq, identity: _, ...act }: StoredAct): Act {
    const words = this.#words.get(seq);
    return { ...act, ...this.#fates.get(seq), ...(words === undefined ? {} : { label: words }) };
  }

  #beginRun(store: ActStore): void {
    const { clock, log } = this.#deps;
    const interrupted = store.write(true, () => {
      if (this.#isWhole) store.beginRun(this.incarnation, clock.now());
      return store.recover(DELIVERY_UNKNOWN);
    });
    for (const act of interrupted) {
      log.warn(
        `acts: ${act.kind} for ${act.target || act.pane_id} may have arrived before the start`,
      );
      this.#rememberRecent(act, null);
    }
  }
}

/** Whether a pane shows that its program took what was sent, by what it has drawn since. */
export function isConfirmed(
  { kind, at }: Pick<Act, "kind" | "at">,
  before: PaneState | null,
  now: PaneState,
): boolean {
  if (before === null || now.stale) return false;
  if (kind === "stop") return now.status !== "working";
  if (now.updated < at) return false;
  const prompt = promptOf(before);
  if (prompt !== null)
    return promptOf(now) !== prompt || (now.prompt_since !== null && now.prompt_since > at);
  const isText = kind === "text" || kind === "broadcast";
  return isText && before.status !== "working" && now.status === "working";
}

function promptOf({ status, legacy_guard, action_guard, question }: PaneState): string | null {
  if (status !== "needs_input") return null;
  return legacy_guard?.prompt_fingerprint ?? action_guard?.prompt_fingerprint ?? question;
}
