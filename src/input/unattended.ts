import { AppError } from "../errors.ts";
import type { Clock } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import { type JsonStore, StoredJson, type StoredJsonDeps } from "../lib/stored-json.ts";
import type { PaneState } from "../protocol/pane.ts";
import type { Snapshot } from "../terminal/hub.ts";
import { type PaneReading, noSuchPane } from "../terminal/reading.ts";
import type { ActionQueue } from "./action-queue.ts";
import { ENTER_STEP, pressUntilTaken, typeGuarded } from "./typing.ts";
import { type Client, SERVICE_CLIENT } from "./client.ts";
import { findDraftMessage, refusal } from "./refusals.ts";
import type { Accept, PaneTurn } from "./pane-turn.ts";

/** After a failed write, or a pane that could not be read. */
const REST_SECONDS = 10;

export const MAY_HAVE_ARRIVED = "it may have arrived: look at its terminal";

export interface Job {
  readonly id: string;
  /** Of the pane, whose id may be given out again. */
  readonly identity: string;
  readonly text: string;
  /** Idempotency key of its act; absent: the ledger makes one. */
  readonly key?: string;
}

export type JobFate =
  | { state: "sent" }
  /** `reason` tells a person more than that it may have arrived. */
  | { state: "unknown"; reason: string | null }
  | { state: "unsent"; hasBegun: boolean; error: unknown }
  | { state: "dropped"; reason: string };

export interface JobSight {
  /** Null where the last listing has no such pane. */
  pane: PaneState | null;
  wasListed: boolean;
  hasFailed: boolean;
  /** Seconds for which every pass has found it so; -Infinity where it is not so now. */
  since(what: string, isSo: boolean): number;
}

interface UnattendedDeps {
  queue: Pick<ActionQueue, "run" | "find">;
  clock: Pick<Clock, "monotonic">;
  log: Pick<Log, "error">;
}

export interface Press {
  client: Client;
  key: string;
  accept: Accept;
}

/** Monotonic seconds. */
interface Watch {
  isBusy: boolean;
  wasListed: boolean;
  restsUntil: number;
  /** The published state of the last attempt, whose screen may have refused it. */
  lastAttempt: { pane: PaneState; at: number } | null;
  since: Map<string, number>;
}

/**
 * Sends with nobody looking. Each pass looks at the jobs, so that no timer has to survive sleep, a
 * clock that is set, or a restart. A job that is due is stored as being sent, typed once under the
 * pane's turn and guard, and its end is written until the disk takes it. Nothing that may have
 * arrived is sent again.
 */
export abstract class UnattendedSender<J extends Job> {
  protected abstract readonly kind: "message" | "continue" | "first_message";
  /** How long an unchanged screen that refused a job is not read again. */
  protected abstract readonly againSeconds: number;
  protected readonly deps: UnattendedDeps;
  readonly #watches = new Map<string, Watch>();
  /** Ends that are not written yet. */
  readonly #ends = new Map<J, { fate: JobFate; isWriting: boolean }>();
  #writesAgainAt = -Infinity;

  constructor(deps: UnattendedDeps) {
    this.deps = deps;
  }

  /** The next job of each pane. */
  protected abstract waiting(): readonly J[];
  protected abstract look(job: J, seen: JobSight): "wait" | "send" | { drop: string };
  /** Whether the screen takes it, read anew and of the same pane. */
  protected abstract accept(job: J, now: PaneReading): ReturnType<Accept>;
  /** Its text stands in the input line already, and only Enter is missing. */
  protected isTyped?(job: J, now: PaneReading): boolean;
  /**
   * Stores that it is being sent: what a start finds in that state may have arrived.
   * @param press idempotency key of a person's request to send it now
   * @throws AppError where that cannot be written, or the job has changed
   */
  protected abstract begin(job: J, press: string | null): Promise<void>;
  /** Stores what became of it; changes nothing where a person has revoked it. */
  protected abstract end(job: J, fate: JobFate): Promise<void>;

  /** Called after each pass. */
  follow({ sights, hasFailed }: Pick<Snapshot, "sights" | "hasFailed">): void {
    if (this.deps.clock.monotonic() >= this.#writesAgainAt)
      for (const job of this.#ends.keys()) void this.#writeEnd(job);
    const waiting = this.waiting();
    if (waiting.length === 0) return this.#watches.clear();
    const identities = new Set(waiting.map(({ identity }) => identity));
    for (const identity of this.#watches.keys())
      if (!identities.has(identity)) this.#watches.delete(identity);
    const panes = new Map(sights.map(({ identity, state }) => [identity, state]));
    for (const job of waiting) this.#look(job, panes.get(job.identity) ?? null, hasFailed);
  }

  /** @throws AppError why nothing was sent; `delivery_unknown` where it may have arrived */
  protected async send(job: J, press: Press | null = null): Promise<void> {
    const { queue } = this.deps;
    const { id, text } = job;
    const act = { kind: this.kind, client: press?.client ?? SERVICE_CLIENT, input: { text } };
    const accept: Accept =
      press?.accept ??
      ((now) => (now.pane.identity === job.identity ? this.accept(job, now) : "prompt_changed"));
    let hasBegun = false;
    let fate: JobFate | null = null;
    const work = async (turn: PaneTurn) => {
      await turn.require(accept);
      await this.begin(job, press?.key ?? null);
      hasBegun = true;
      try {
        // `begin` waited for the disk: the screen may have changed.
        const now = await turn.read();
        if (this.isTyped?.(job, now)) await turn.send([ENTER_STEP], accept);
        else await typeGuarded(turn, { text, enter: true }, accept);
        await pressUntilTaken(turn, text);
        fate = { state: "sent" };
      } catch (cause) {
        if (!turn.hasSent) throw cause;
        fate = { state: "unknown", reason: findDraftMessage(cause) };
        throw refusal("delivery_unknown", MAY_HAVE_ARRIVED, { cause });
      }
    };
    try {
      await queue.run({ id, listed: queue.find(id) }, { ...act, key: press?.key ?? job.key }, work);
    } catch (error) {
      fate ??= { state: "unsent", hasBegun, error };
      throw error;
    } finally {
      if (fate) await this.#end(job, fate);
    }
    // The next job waits until the agent has worked on this one and is free again.
    const watch = this.#watchOf(job.identity);
    watch.since.clear();
    watch.lastAttempt = null;
  }

  #look(job: J, pane: PaneState | null, hasFailed: boolean): void {
    const watch = this.#watchOf(job.identity);
    watch.wasListed ||= pane !== null;
    const now = this.deps.clock.monotonic();
    const isEnding = this.#ends.keys().some(({ identity }) => identity === job.identity);
    if (watch.isBusy || now < watch.restsUntil || isEnding) return;
    const { since, wasListed, lastAttempt } = watch;
    const todo = this.look(job, {
      ...{ pane, hasFailed, wasListed },
      since(what, isSo) {
        const from = isSo ? (since.get(what) ?? now) : null;
        if (from === null) since.delete(what);
        else since.set(what, from);
        return from === null ? -Infinity : now - from;
      },
    });
    if (todo === "wait" || (todo === "send" && pane === null)) return;
    if (todo !== "send") return void this.#end(job, { state: "dropped", reason: todo.drop });
    if (lastAttempt?.pane === pane && now - lastAttempt.at < this.againSeconds) return;
    watch.lastAttempt = pane && { pane, at: now };
    void this.#try(job, watch);
  }

  /** The action queue logs each refusal; later passes try again. */
  async #try(job: J, watch: Watch): Promise<void> {
    watch.isBusy = true;
    try {
      await this.send(job);
    } catch (error) {
      if (!(error instanceof AppError && error.kind === "conflict"))
        watch.restsUntil = this.deps.clock.monotonic() + REST_SECONDS;
    } finally {
      watch.isBusy = false;
    }
  }

  #end(job: J, fate: JobFate): Promise<void> {
    this.#ends.set(job, { fate, isWriting: false });
    return this.#writeEnd(job);
  }

  async #writeEnd(job: J): Promise<void> {
    const { clock, log } = this.deps;
    const end = this.#ends.get(job);
    if (!end || end.isWriting) return;
    end.isWriting = true;
    try {
      await this.end(job, end.fate);
      this.#ends.delete(job);
    } catch (error) {
      end.isWriting = false;
      this.#writesAgainAt = clock.monotonic() + REST_SECONDS;
      log.error("cannot write down what became of a message", error);
    }
  }

  #watchOf(identity: string): Watch {
    const known = this.#watches.get(identity);
    if (known) return known;
    const watch: Watch = {
      ...{ isBusy: false, wasListed: false, restsUntil: -Infinity },
      ...{ lastAttempt: null, since: new Map() },
    };
    this.#watches.set(identity, watch);
    return watch;
  }
}

export interface StoredJobsDeps extends UnattendedDeps {
  queue: Pick<ActionQueue, "run" | "find" | "publishedState">;
  file: JsonStore;
  /** A pane has to be published anew. */
  changed(): void;
  clock: Clock;
  log: Pick<Log, "info" | "error">;
}

/** Jobs that outlive the service, in one file. */
export abstract class StoredJobs<J extends Job, T> extends UnattendedSender<J> {
  protected readonly stored: StoredJson<T>;
  readonly #deps: StoredJobsDeps;

  constructor(deps: StoredJobsDeps, options: Omit<StoredJsonDeps<T>, "file">) {
    super(deps);
    this.stored = new StoredJson({ file: deps.file, ...options });
    this.#deps = deps;
  }

  /** A pane that is listed and published. @throws AppError not_found */
  protected paneAt(idOrTarget: string) {
    const { queue } = this.#deps;
    const listed = queue.find(idOrTarget);
    const pane = listed && queue.publishedState(listed.id);
    if (!listed || !pane) throw noSuchPane(idOrTarget);
    return { listed, pane };
  }

  /** @throws UnreadableError: nothing is stored then, and nothing sent */
  async open(): Promise<void> {
    const before = this.stored.current;
    await this.stored.open();
    // Most starts find no jobs and must not wake a pass.
    if (this.stored.current !== before) this.#deps.changed();
  }

  /** @throws AppError unavailable where the file cannot be read */
  async opened(): Promise<void> {
    await this.stored.opened();
  }

  async stop(): Promise<void> {
    await this.stored.saved();
  }
}
