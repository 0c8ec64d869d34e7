import type { ActionQueue } from "../input/action-queue.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Clock } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import { Loop } from "../lib/loop.ts";
import type { AgentRuntime } from "../protocol/agents.ts";
import { asStoreError, StoreError } from "../store/store-error.ts";
import type { Hub, Snapshot } from "../terminal/hub.ts";
import type { PaneProcess } from "../terminal/provider.ts";
import { Binder } from "./binding/binder.ts";
import { Acts } from "./acts/acts.ts";
import { LogReading, Retention } from "./logs/reading.ts";
import { StepReader } from "./logs/steps.ts";
import type { AgentFeed } from "./feed.ts";
import { ObservedPanes } from "./binding/observed-panes.ts";
import { Reviewer } from "./review/review.ts";
import type { AgentAlerts } from "./session.ts";
import type { AgentStore } from "./store/store.ts";
import { AGENT_STORE_FILE, isUnusable } from "./store/store-file.ts";
import { Verifier } from "./acts/verifier.ts";

/** The hub, for the panes of this machine: logs are read here alone. */
export interface HubView {
  readonly local: Hub["local"];
  readonly current: Pick<Snapshot, "panes">;
  subscribe(listener: () => void): () => void;
}

export interface AgentRunDeps {
  hub: HubView;
  /** Outlives the run. */
  feed: AgentFeed;
  processes(paneId: string): Promise<readonly PaneProcess[]>;
  queue: Pick<ActionQueue, "run" | "find">;
  ledger: Pick<Ledger, "runOnce">;
  /** Data folders of the runtimes, as configured: absolute, or beginning with `~`. */
  homes: Readonly<Record<AgentRuntime, string>>;
  retentionDays: number;
  /** The store cannot be used any more: the run is to be stopped. */
  damaged(run: AgentRun, cause: unknown): void;
  alerts: AgentAlerts;
  /** `push.on_error`, in force until a person sets errors in Review's settings. */
  alertsErrors: boolean;
  /** Seconds. */
  pollInterval(): number;
  clock: Clock;
  log: Log;
}

/** Logs may have grown without a change of any pane. */
const REST_MS = 1000;
/** A message or an answer is typed, verified and stored within this time. */
const MAX_ACT_MS = 10_000;

export class AgentRun {
  readonly store: AgentStore;
  readonly binder: Binder;
  readonly acts: Acts;
  readonly steps: StepReader;
  readonly review: Reviewer;
  readonly #deps: AgentRunDeps;
  readonly #verifier: Verifier;
  readonly #reader: LogReading;
  readonly #retention: Retention;
  readonly #loop: Loop;
  readonly #unsubscribe: (() => void)[];
  readonly #working = new Set<Promise<unknown>>();
  #failure: string | null = null;

  constructor(store: AgentStore, deps: AgentRunDeps) {
    const { clock, hub } = deps;
    this.#deps = deps;
    this.store = store;
    this.#retention = new Retention(store, deps.retentionDays, clock);
    const retainedFrom = () => this.#retention.from;
    this.#reader = new LogReading({ ...deps, store, retainedFrom });
    this.steps = new StepReader({ store, retainedFrom });
    const statusHome = () => this.#reader.homeOf("agent_a");
    const panes = new ObservedPanes({ ...deps, statusHome });
    const binder = new Binder({ store, panes, clock });
    this.binder = binder;
    this.acts = new Acts({ ...deps, store, binder, panes });
    this.review = new Reviewer({
      ...{ agents: store, onError: deps.alertsErrors },
      panes: () => hub.current.panes,
      publish: (kind, agent_id) => deps.feed.publish({ kind, agent_id, revision: 0 }),
      sendDigest: () => deps.alerts.sendDigest(),
    });
    this.#verifier = new Verifier(store, deps.alerts);
    this.#loop = new Loop({
      run: (signal) => this.#turn(signal),
      restMs: () => REST_MS,
      log: deps.log,
    });
    this.#unsubscribe = [
      store.subscribe((event) => {
        binder.touch(event.agent_id);
        deps.feed.publish(event);
      }),
      hub.subscribe(() => {
        this.review.panesChanged();
        this.#loop.wake();
      }),
    ];
  }

  start(): void {
    this.#recover();
    this.#loop.start();
  }

  async stop(): Promise<void> {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    await this.#loop.stop();
    // An act under way stores its outcome before the store is closed.
    await Promise.race([Promise.allSettled(this.#working), Bun.sleep(MAX_ACT_MS)]);
    this.store.close();
  }

  /** Has `stop` wait for work that stores its outcome. */
  async act<T>(work: Promise<T>): Promise<T> {
    this.#working.add(work);
    try {
      return await work;
    } finally {
      this.#working.delete(work);
    }
  }

  /** Without its file the store would go on, and be lost at the next start. @throws StoreError */
  requireFile(): void {
    if (this.store.isInPlace()) return;
    const removed = new StoreError("removed", AGENT_STORE_FILE);
    this.noteFailure(removed);
    throw removed;
  }

  /** For errors of requests, turns and timers: a damaged store ends the run, whoever finds it. */
  noteFailure(error: unknown): void {
    const storeError = asStoreError(error, AGENT_STORE_FILE);
    if (isUnusable(storeError)) this.#deps.damaged(this, storeError);
  }

  /** A sentence for a person; null where all is well. */
  degraded(): string | null {
    return this.#failure ?? this.#reader.degraded();
  }

  /** The newest record is told of once sessions are matched with panes. */
  counts(): { sessions: number; last_record_at: number | null } {
    const { sessions } = this.store;
    const last_record_at = this.binder.observedAt > 0 ? sessions.lastRecordAt() : null;
    return { sessions: sessions.count(), last_record_at };
  }

  /** What an earlier run was sending when it ended may or may not have arrived. */
  #recover(): void {
    const { store } = this;
    store.write(() => {
      for (const { id } of store.messages.submitting())
        store.messages.noteSent(id, "unknown", store.now);
      for (const { id, status } of store.decisions.unresolved())
        if (status === "submitting")
          store.decisions.change(id, ["submitting"], { status: "unknown" }, store.now);
    });
  }

  async #turn(signal: AbortSignal): Promise<void> {
    try {
      this.requireFile();
      try {
        await this.#retention.keep(signal);
        const hasMore = await this.#reader.pass(signal, this.binder.live());
        if (signal.aborted) return;
        await this.#look();
        if (hasMore) this.#loop.wake();
      } finally {
        // Last, so that a failing review does not keep logs from being read; and after any failure,
        // since alerts are held back for the digest. An aborted run leaves it to the next one.
        if (!signal.aborted) this.review.tick();
      }
      this.#failure = null;
    } catch (error) {
      this.noteFailure(error);
      const storeError = asStoreError(error, AGENT_STORE_FILE);
      if (!(storeError instanceof StoreError)) throw error;
      // Once per change: a disk that is full for a night must not fill the log.
      if (this.#failure !== storeError.message) this.#deps.log.warn(storeError.message);
      this.#failure = storeError.message;
    }
  }

  async #look(): Promise<void> {
    const { local } = this.#deps.hub;
    // A failed pass proves nothing.
    if (local.hasFailed || local.sequence === 0) return;
    await this.binder.observe(local.sights, local.at);
    this.store.markOlderReviewed();
    for (const { runtime, home } of this.binder.panes)
      if (home !== null) this.#reader.adopt(runtime, home);
    this.#verifier.check(this.binder.bound(), this.#deps.clock.monotonic());
  }
}
