import { AppError } from "../errors.ts";
import type { Clock } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import { type JsonStore, StoredJson, type StoredJsonDeps } from "../lib/stored-json.ts";
import type { PaneState } from "../protocol/pane.ts";
import type { Snapshot } from "../terminal/hub.ts";
import { type PaneReading, noSuchPane } from "../terminal/reading.ts";
import type { ActionQueue } from "./action-queue.ts";
import { findDraftMessage, pressUntilTaken, typeGuarded } from "./answer.ts";
import { type Client, SERVICE_CLIENT } from "./client.ts";
import { ENTER_STEP } from "./plan.ts";
import { refusal } from "./refusals.ts";
import type { Accept, PaneTurn } from "./pane-turn.ts";

/** After a disk that refused, or a pane that could not be read. */
const REST_SECONDS = 10;

export const MAY_HAVE_ARRIVED = "it may have arrived: look at its terminal";

export interface Job {
  readonly id: string;
  /** Of the pane: an id may be given out again. */
  readonly identity: string;
  readonly text: string;
  /** Of its act; absent: one of the ledger's. */
  readonly key?: string;
}

export type JobFate =
  | { state: "sent" }
  /** @property reason what a person has to know of it beside that; null: nothing more */
  | { state: "unknown"; reason: string | null }
  | { state: "unsent"; hasBegun: boolean; error: unknown }
  | { state: "dropped"; reason: string };

export interface JobSight {
  /** Null: it is not in the last listing. */
  pane: PaneState | null;
  wasListed: boolean;
  hasFailed: boolean;
  /** Seconds for which this was so in each pass that was looked at; -Infinity where it is not so now. */
  since(what: string, isSo: boolean): number;
}

export interface UnattendedDeps {
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
  /** The state that was due and refused when its screen was read. */
  tried: { pane: PaneState; at: number } | null;
  since: Map<string, number>;
}

/**
 * Whatever leaves with nobody looking. A job is looked at with each pass: no timer has to survive
 * sleep, a clock that is set, or a restart. When its pane is as its kind wants it, that it is being
 * sent is written down, it is typed once under the pane's turn and guard, and its end is written
 * until the disk takes it. Nothing that may have arrived is sent again.
 */
export abstract class UnattendedSender<J extends Job> {
  protected abstract readonly kind: "message" | "continue" | "first_message";
  /** A screen that refused it and is the same object is read again only after that. */
  protected abstract readonly againSeconds: number;
  protected readonly deps: UnattendedDeps;
  readonly #watches = new Map<string, Watch>();
  /** Ends that are not written yet, and whether one is being written. */
  readonly #ends = new Map<J, { fate: JobFate; isWriting: boolean }>();
  #writesAgainAt = -Infinity;

  constructor(deps: UnattendedDeps) {
    this.deps = deps;
  }

  /** The next one of each pane. */
  protected abstract waiting(): readonly J[];
  protected abstract look(job: J, seen: JobSight): "wait" | "send" | { drop: string };
  /** Whether the screen, read anew and of the same pane, takes it. */
  protected abstract accept(job: J, now: PaneReading): ReturnType<Accept>;
  /** It stands in the input line already: Enter alone is missing. */
  protected isTyped?(job: J, now: PaneReading): boolean;
  /**
   * Writes down that it is under way: whatever a start finds so may have arrived.
   * @param press key of the person's request that sends it now
   * @throws AppError where that cannot be written, or the job is not what it was
   */
  protected abstract begin(job: J, press: string | null): Promise<void>;
  /** Writes down what became of it; what a person has taken back meanwhile changes nothing. */
  protected abstract end(job: J, fate: JobFate): Promise<void>;

  /** After each pass; with nothing waiting it costs nothing. */
  follow({ sights, hasFailed }: Pick<Snapshot, "sights" | "hasFailed">): void {
    if (this.deps.clock.monotonic() >= this.#writesAgainAt)
      for (const job of this.#ends.keys()) void this.#writeEnd(job);
    const waiting = this.waiting();
    if (waiting.length === 0) return this.#watches.clear();
    const wanted = new Set(waiting.map(({ identity }) => identity));
    for (const identity of this.#watches.keys())
      if (!wanted.has(identity)) this.#watches.delete(identity);
    const panes = new Map<string, PaneState>();
    for (const { identity, state } of sights) if (wanted.has(identity)) panes.set(identity, state);
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
        // The disk may have taken its time.
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
    // The next one waits until the agent has taken this one, worked, and is free again.
    const watch = this.#watchOf(job.identity);
    watch.since.clear();
    watch.tried = null;
  }

  #look(job: J, pane: PaneState | null, hasFailed: boolean): void {
    const watch = this.#watchOf(job.identity);
    watch.wasListed ||= pane !== null;
    const now = this.deps.clock.monotonic();
    if (watch.isBusy || now < watch.restsUntil || this.#isEnding(job)) return;
    const { since, wasListed, tried } = watch;
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
    if (tried?.pane === pane && now - tried.at < this.againSeconds) return;
    watch.tried = pane && { pane, at: now };
    void this.#try(job, watch);
  }

  /** Each refusal is in the log, and is looked at again with the passes that follow. */
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

  #isEnding({ identity }: J): boolean {
    for (const job of this.#ends.keys()) if (job.identity === identity) return true;
    return false;
  }

  #watchOf(identity: string): Watch {
    const known = this.#watches.get(identity);
    if (known) return known;
    const watch: Watch = {
      ...{ isBusy: false, wasListed: false, restsUntil: -Infinity },
      ...{ tried: null, since: new Map() },
    };
    this.#watches.set(identity, watch);
    return watch;
  }
}

export interface StoredJobsDeps extends UnattendedDeps {
  file: JsonStore;
  hub: { readonly current: { readonly panes: readonly PaneState[] } };
  /** What is published of a pane may differ now. */
  changed(): void;
  clock: Clock;
  log: Pick<Log, "info" | "error">;
}

/** Jobs that outlive the service, in a file of their own. */
export abstract class StoredJobs<J extends Job, T> extends UnattendedSender<J> {
  protected readonly stored: StoredJson<T>;
  readonly #kept: StoredJobsDeps;

  constructor(deps: StoredJobsDeps, kept: Omit<StoredJsonDeps<T>, "file">) {
    super(deps);
    this.stored = new StoredJson({ file: deps.file, ...kept });
    this.#kept = deps;
  }

  /** A pane that is listed and published, by its id or target. @throws AppError not_found */
  protected paneAt(wanted: string) {
    const { queue, hub } = this.#kept;
    const listed = queue.find(wanted);
    const pane = hub.current.panes.find(({ id }) => id === listed?.id);
    if (!listed || !pane) throw noSuchPane(wanted);
    return { listed, pane };
  }

  /** @throws UnreadableError: then nothing is kept, and nothing sent */
  async open(): Promise<void> {
    const before = this.stored.current;
    await this.stored.open();
    // Most starts find nothing: no pass is woken for that.
    if (this.stored.current !== before) this.#kept.changed();
  }

  /** Until then nothing of it is known. @throws AppError unavailable where it cannot be read */
  async opened(): Promise<void> {
    await this.stored.opened();
  }

  async stop(): Promise<void> {
    await this.stored.saved();
  }
}
