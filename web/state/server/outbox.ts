import { batch, signal } from "@preact/signals";
import type { SeenAct } from "../../../src/protocol/tolerant-later.ts";
import { isLike, StoredValue, parseMembers } from "../../model/stored.ts";
import { isUncertain, reasonOf, type Failure, type LockToken, type Result } from "../../net/api.ts";
import { Part } from "./part.ts";

const LABEL_LENGTH = 200;
/** Only what holds its panes gets it. */
const PASS = {} as LockToken; // Its member is for the types alone.
/** The record of the server is asked no more often than this. */
const ASK_EVERY_MS = 1500;
/** How long after a lost reply it is asked for again, each after the one before. */
const AGAIN_AFTER_MS = [300, 1000, 2500, 4000] as const;
/** One try on a network that hangs. */
const TRY_MS = 4000;
/** All tries of one action: after that a person is told that nobody knows. */
const SEND_DEADLINE_MS = 10_000;

/** What the record of the server says of one act; `unseen`: it never arrived. */
export interface ActFate {
  readonly state: SeenAct["state"] | "unseen";
  readonly reason: string | null;
}

/** What has left for a pane: its idempotency key, and words for a doubt that outlives the page. */
export interface PendingSend {
  readonly key: string;
  readonly label: string;
  /** The label is all of the person's own words. */
  readonly isWords: boolean;
}

export interface Doubt extends PendingSend {
  readonly paneId: string;
}

interface Hold extends Doubt {
  readonly lock: Lock | null;
  readonly isDoubted: boolean;
}

/** The right to send one thing to panes that nothing else holds. */
export interface Lock {
  readonly key: string;
  /**
   * It leaves now, once under one key; from here on a page that dies leaves a doubt. A reply that is
   * taken may name panes of which nobody knows.
   */
  send<T>(
    call: (pass: LockToken, key: string, signal: AbortSignal) => Promise<Result<T>>,
    options?: {
      readonly deadlineMs?: number;
      readonly unclear?: (reply: T) => readonly string[];
    },
  ): Promise<Result<T>>;
  /** Nothing has left, and nothing will. */
  release(): void;
}

/**
 * Whatever is sent to panes goes through here. A pane has one lock at a time: nothing goes there beside
 * it. What may have arrived keeps its pane until the record of the server tells what became of it, or
 * its terminal was looked at. It is kept outside the page too: one that is reloaded or killed in between
 * must not offer the same again as if nothing had been sent.
 */
export class Outbox extends Part {
  readonly #stored = new StoredValue(this.server.storage, "doubts", parcelsOf);
  readonly #holds = signal<readonly Hold[]>([]);
  /** Keys of which the server knows no more than this page. */
  readonly #unknownKeys = new Set<string>();
  readonly #ownKeys = new Set<string>();
  /** What has never arrived, by pane. */
  readonly #unseen = new Map<string, PendingSend>();
  #askedAt = -Infinity;

  /** Null while anything holds one of these panes. `label`: words for a doubt that outlives the page. */
  acquire(paneIds: readonly string[], label: string, hasWords = false): Lock | null {
    if (this.#holds.peek().some(({ paneId }) => paneIds.includes(paneId))) return null;
    const short = label.slice(0, LABEL_LENGTH);
    const [only = ""] = paneIds.length === 1 ? paneIds : [];
    const unseen = this.#unseen.get(only);
    this.#unseen.delete(only);
    // The same again goes under the same key: the first may only be late.
    const key = unseen?.label === short ? unseen.key : this.newKey();
    this.#ownKeys.add(key);
    const parcel: PendingSend = { key, label: short, isWords: hasWords && short === label };
    const lock: Lock = {
      key,
      send: (call, options) => this.#send(lock, paneIds, parcel, call, options),
      release: () => this.#end((hold) => hold.lock === lock),
    };
    const holds = paneIds.map((paneId) => ({ ...parcel, paneId, lock, isDoubted: false }));
    this.#holds.value = [...this.#holds.peek(), ...holds];
    return lock;
  }

  /** What was on its way when the page was last left, or is from another tab, may have arrived. */
  restore(isListed: (paneId: string) => boolean): void {
    const stored = Object.entries(this.#stored.get());
    const listed = stored.filter(([paneId]) => isListed(paneId));
    this.#stored.set(Object.fromEntries(listed));
    const held = this.#holds.peek();
    const doubts = listed.flatMap(([paneId, parcel]) => {
      const isKnown = held.some((hold) => hold.paneId === paneId && hold.key === parcel.key);
      return isKnown ? [] : [{ ...parcel, paneId, lock: null, isDoubted: true }];
    });
    this.#holds.value = [...held, ...doubts];
  }

  /**
   * Another window has begun to send, or knows what became of it. What it has not ended in the time that
   * this takes at most is in doubt here as well.
   */
  follow(changed: string): void {
    if (changed !== this.#stored.key) return;
    const stored = this.#stored.get();
    this.#end(({ key, lock, paneId }) => lock === null && stored[paneId]?.key !== key);
    setTimeout(() => this.restore(() => true), SEND_DEADLINE_MS);
  }

  isHeld(paneId: string): boolean {
    return this.#holds.value.some((hold) => hold.paneId === paneId);
  }

  /** Whether it has to be known what became of something before anything goes there again. */
  isDoubted(paneId: string): boolean {
    return this.doubts().some((doubt) => doubt.paneId === paneId);
  }

  doubts(): readonly Doubt[] {
    return this.#holds.value.filter(({ isDoubted }) => isDoubted);
  }

  inspected(paneId: string): void {
    this.#end((hold) => hold.paneId === paneId && hold.isDoubted);
  }

  isOwnKey(key: string): boolean {
    return this.#ownKeys.has(key);
  }

  /** With every second and snapshot: asks the record of the server about what is in doubt, or was before. */
  async ask(): Promise<void> {
    const server = this.server;
    const open = () => this.doubts().filter(({ key }) => key !== "" && !this.#unknownKeys.has(key));
    const asked = open();
    const sent = server.answers
      .fromEarlierSession()
      .filter(({ key, isGone }) => isGone || !this.#unknownKeys.has(key));
    if (
      asked.length + sent.length === 0 ||
      !server.canAnswer.peek() ||
      server.nowMs() - this.#askedAt < ASK_EVERY_MS
    )
      return;
    this.#askedAt = server.nowMs();
    const keys = [...new Set([...asked, ...sent].map(({ key }) => key))];
    const record = await server.recordOf(keys);
    if (record === null) return;
    const actOf = (asked: { readonly key: string; readonly paneId: string }) =>
      record.acts.find(({ key, pane_id }) => key === asked.key && pane_id === asked.paneId);
    batch(() => {
      for (const answer of sent) {
        // It tells no other fate after that.
        if (server.answers.isLate(answer.paneId)) this.#unknownKeys.add(answer.key);
        server.answers.settle(answer, actOf(answer)?.state === "confirmed");
      }
      for (const doubt of asked.filter((one) => open().includes(one))) {
        const act = actOf(doubt);
        const isUnseen = act === undefined && record.unseen.includes(doubt.key);
        const told: ActFate | undefined = isUnseen ? { state: "unseen", reason: null } : act;
        if (told === undefined || told.state === "unknown") this.#unknownKeys.add(doubt.key);
        else if (told.state !== "sending") {
          this.#end((hold) => hold === doubt);
          if (isUnseen) this.#unseen.set(doubt.paneId, doubt);
          server.answers.learnFate(doubt, told);
        }
      }
    });
  }

  /**
   * An action that happens once, however often it is asked for: a reply that is lost on its way is asked
   * for again under the same key, and says what became of the first request. `deadlineMs`: for all tries,
   * also by the clock on the wall: a machine that slept runs its timers late, and nobody waits for it then.
   */
  async withRetries<T>(
    call: (key: string, signal: AbortSignal) => Promise<Result<T>>,
    deadlineMs = SEND_DEADLINE_MS,
    key = this.newKey(),
  ): Promise<Result<T>> {
    const isRemembered = this.server.incarnation() !== null;
    const endsAt = Date.now() + deadlineMs;
    const deadline = timeoutOf(deadlineMs);
    const attempt = async () => {
      const timeout = timeoutOf(isRemembered ? TRY_MS : deadlineMs);
      const result = await call(key, AbortSignal.any([deadline.signal, timeout.signal]));
      timeout.clear();
      return result;
    };
    try {
      const first = await attempt();
      if (!isRemembered || first.ok || first.failure.kind !== "lost") return first;
      for (const ms of AGAIN_AFTER_MS) {
        if (!deadline.signal.aborted) await pause(ms, deadline.signal);
        if (deadline.signal.aborted || Date.now() > endsAt || this.server.signedOut.aborted) break;
        const again = await attempt();
        if (again.ok || tellsOutcome(again.failure)) return again;
      }
      return first;
    } finally {
      deadline.clear();
    }
  }

  /** It names the run of the server: after a restart nobody remembers it, and nothing is sent. */
  newKey(): string {
    const [run, uuid] = [this.server.incarnation(), this.server.browser.uuid()];
    return run === null ? uuid : `at:${run}:${uuid}`;
  }

  async #send<T>(
    lock: Lock,
    paneIds: readonly string[],
    parcel: PendingSend,
    call: (pass: LockToken, key: string, signal: AbortSignal) => Promise<Result<T>>,
    options: Parameters<typeof lock.send<T>>[1] = {},
  ): Promise<Result<T>> {
    this.#stored.set({
      ...this.#stored.get(),
      ...Object.fromEntries(paneIds.map((id) => [id, parcel])),
    });
    // Where the call itself fails nobody knows how far it came.
    let doubted = paneIds;
    try {
      const send = (key: string, signal: AbortSignal) => call(PASS, key, signal);
      const result = await this.withRetries(send, options.deadlineMs, parcel.key);
      if (result.ok) doubted = options.unclear?.(result.value) ?? [];
      else if (!isUncertain(result.failure)) doubted = [];
      return result;
    } finally {
      this.#end((hold) => hold.lock === lock && !doubted.includes(hold.paneId));
      this.#holds.value = this.#holds
        .peek()
        .map((hold) => (hold.lock === lock ? { ...hold, isDoubted: true } : hold));
    }
  }

  #end(isOver: (hold: Hold) => boolean): void {
    const ended = this.#holds.peek().filter(isOver);
    if (ended.length === 0) return;
    this.#holds.value = this.#holds.peek().filter((hold) => !ended.includes(hold));
    const isIts = ([paneId, { key }]: readonly [string, PendingSend]) =>
      ended.some((hold) => hold.paneId === paneId && hold.key === key);
    const left = Object.entries(this.#stored.get()).filter((entry) => !isIts(entry));
    this.#stored.set(Object.fromEntries(left));
  }
}

/** By pane. An earlier version of the page has kept the label alone. */
const parcelsOf = (stored: string | null): Readonly<Record<string, PendingSend>> =>
  Object.fromEntries(
    Object.entries(parseMembers(stored)).flatMap(([paneId, value]): [string, PendingSend][] => {
      if (typeof value === "string") return [[paneId, { key: "", label: value, isWords: false }]];
      if (!isLike({ key: "", label: "" }, value)) return [];
      const isWords = Reflect.get(value, "isWords") === true;
      return [[paneId, { key: value.key, label: value.label, isWords }]];
    }),
  );

/** `AbortSignal.timeout` that can be cleared. */
function timeoutOf(ms: number): { readonly signal: AbortSignal; readonly clear: () => void } {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), ms);
  return { signal: controller.signal, clear: () => clearTimeout(timer) };
}

/** After so many milliseconds, or once it is aborted if that comes first. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  signal.addEventListener("abort", () => {
    clearTimeout(timer);
    resolve();
  });
  return promise;
}

/** Whether a failure is that of the first request, and not one of asking again. */
function tellsOutcome(failure: Failure): boolean {
  return failure.kind === "refused" && !reasonOf(failure).startsWith("idempotency_key_");
}
