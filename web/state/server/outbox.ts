import { batch, signal } from "@preact/signals";
import type { SeenAct } from "../../../src/protocol/tolerant-later.ts";
import { isLike, StoredValue, parseMembers } from "../../model/stored.ts";
import { isUncertain, reasonOf, type Failure, type LockToken, type Result } from "../../net/api.ts";
import { Part } from "./part.ts";

const LABEL_LENGTH = 200;
const PASS = {} as LockToken; // Its member is for the types alone.
/** Least time between two requests for the record. */
const ASK_EVERY_MS = 1500;
/** Pauses before the retries after a lost reply, one after another. */
const AGAIN_AFTER_MS = [300, 1000, 2500, 4000] as const;
/** Timeout of one try. */
const TRY_MS = 4000;
/** For all tries of one action; after that its outcome counts as unknown. */
const SEND_DEADLINE_MS = 10_000;

/** `unseen`: it never arrived. */
export interface ActFate {
  readonly state: SeenAct["state"] | "unseen";
  readonly reason: string | null;
}

/** Something that was sent to a pane, as stored for a page that is reloaded meanwhile. */
interface PendingSend {
  readonly key: string;
  readonly label: string;
  /** `label` is the whole text that the person wrote. */
  readonly isWords: boolean;
}

export interface Doubt extends PendingSend {
  readonly paneId: string;
}

interface Hold extends Doubt {
  readonly lock: Lock | null;
  readonly isDoubted: boolean;
}

/** The right to send once to panes that nothing else holds. */
interface Lock {
  readonly key: string;
  /**
   * Sends once under one key; from here on a reload leaves a doubt. `unclear` names panes of a
   * successful reply that may or may not have got it.
   */
  send<T>(
    call: (pass: LockToken, key: string, signal: AbortSignal) => Promise<Result<T>>,
    options?: {
      readonly deadlineMs?: number;
      readonly unclear?: (reply: T) => readonly string[];
    },
  ): Promise<Result<T>>;
  /** Ends a lock that has sent nothing. */
  release(): void;
}

/**
 * Everything that is sent to panes goes through here. A pane has one lock at a time. A send that
 * may have arrived keeps the pane until the server's record tells its fate, or its terminal was
 * looked at. Doubts are stored, so that a reloaded page does not offer the same again.
 */
export class Outbox extends Part {
  readonly #stored = new StoredValue(this.server.storage, "doubts", parsePendingSends);
  readonly #holds = signal<readonly Hold[]>([]);
  /** Keys whose fate the server does not know either. */
  readonly #unknownKeys = new Set<string>();
  readonly #ownKeys = new Set<string>();
  /** Sends that never arrived, by pane. */
  readonly #unseen = new Map<string, PendingSend>();
  #askedAt = -Infinity;

  /** Null while one of these panes is held. `label` describes the send should it become a doubt. */
  acquire(paneIds: readonly string[], label: string, hasWords = false): Lock | null {
    if (this.#holds.peek().some(({ paneId }) => paneIds.includes(paneId))) return null;
    const short = label.slice(0, LABEL_LENGTH);
    const [only = ""] = paneIds.length === 1 ? paneIds : [];
    const unseen = this.#unseen.get(only);
    this.#unseen.delete(only);
    // The same text again uses the same key: the first request may only be late. After a restart of
    // the server that would be refused, and so would the late one.
    const isLate = unseen?.label === short && unseen.key.startsWith(this.#keyPrefix);
    const key = isLate ? unseen.key : this.newKey();
    this.#ownKeys.add(key);
    const pending: PendingSend = { key, label: short, isWords: hasWords && short === label };
    const lock: Lock = {
      key,
      send: (call, options) => this.#send(lock, paneIds, pending, call, options),
      release: () => this.#end((hold) => hold.lock === lock),
    };
    const holds = paneIds.map((paneId) => ({ ...pending, paneId, lock, isDoubted: false }));
    this.#holds.value = [...this.#holds.peek(), ...holds];
    return lock;
  }

  /** Takes stored sends of an earlier page or another tab as doubts. */
  restore(isListed: (paneId: string) => boolean): void {
    const stored = Object.entries(this.#stored.get());
    const listed = stored.filter(([paneId]) => isListed(paneId));
    this.#stored.set(Object.fromEntries(listed));
    const held = this.#holds.peek();
    const doubts = listed.flatMap(([paneId, pending]) => {
      const isKnown = held.some((hold) => hold.paneId === paneId && hold.key === pending.key);
      return isKnown ? [] : [{ ...pending, paneId, lock: null, isDoubted: true }];
    });
    this.#holds.value = [...held, ...doubts];
  }

  /**
   * Called for changes of another tab: ends doubts that it has settled, and takes over those it has
   * not within its deadline.
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

  /** Whether a send to it may have arrived. */
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

  /**
   * Called with every tick and snapshot: asks the server's record about doubts and about answers of
   * an earlier session.
   */
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
        // The record will not say more later.
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
   * Runs an action at most once: a lost reply is asked for again under the same key, which tells
   * the fate of the first request. `deadlineMs` is for all tries, also by the wall clock: after a
   * sleep of the machine timers run late, and nobody waits any more.
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

  /**
   * Names the run of the server: after its restart the key is refused, and nothing is sent twice.
   */
  newKey(): string {
    return this.#keyPrefix + this.server.browser.uuid();
  }

  get #keyPrefix(): string {
    const run = this.server.incarnation();
    return run === null ? "" : `at:${run}:`;
  }

  async #send<T>(
    lock: Lock,
    paneIds: readonly string[],
    pending: PendingSend,
    call: (pass: LockToken, key: string, signal: AbortSignal) => Promise<Result<T>>,
    options: Parameters<typeof lock.send<T>>[1] = {},
  ): Promise<Result<T>> {
    this.#stored.set({
      ...this.#stored.get(),
      ...Object.fromEntries(paneIds.map((id) => [id, pending])),
    });
    // A call that throws may have arrived.
    let doubted = paneIds;
    try {
      const send = (key: string, signal: AbortSignal) => call(PASS, key, signal);
      const result = await this.withRetries(send, options.deadlineMs, pending.key);
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

/** By pane. Early versions stored the label alone. */
const parsePendingSends = (stored: string | null): Readonly<Record<string, PendingSend>> =>
  Object.fromEntries(
    Object.entries(parseMembers(stored)).flatMap(([paneId, value]): [string, PendingSend][] => {
      if (typeof value === "string") return [[paneId, { key: "", label: value, isWords: false }]];
      if (!isLike({ key: "", label: "" }, value)) return [];
      const isWords = Reflect.get(value, "isWords") === true;
      return [[paneId, { key: value.key, label: value.label, isWords }]];
    }),
  );

/** `AbortSignal.timeout` cannot be cleared. */
function timeoutOf(ms: number): { readonly signal: AbortSignal; readonly clear: () => void } {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), ms);
  return { signal: controller.signal, clear: () => clearTimeout(timer) };
}

/** Resolves after `ms`, or earlier when aborted. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  signal.addEventListener("abort", () => {
    clearTimeout(timer);
    resolve();
  });
  return promise;
}

/** Statuses with which the server refuses a request before it looks at its key. */
const BEFORE_KEY: ReadonlySet<number> = new Set([403, 429]);

/**
 * Whether a failure is about the first request, and not about the retry itself. Without a detail it
 * is of something between page and server.
 */
function tellsOutcome(failure: Failure): boolean {
  if (failure.kind !== "refused" || failure.detail === null) return false;
  return !BEFORE_KEY.has(failure.status) && !reasonOf(failure).startsWith("idempotency_key_");
}
