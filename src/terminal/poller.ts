import { momentOf } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import { waitForAbort, Loop } from "../lib/loop.ts";
import { stripControls } from "../lib/words.ts";
import type { LiveConfig, ProviderHealth } from "../protocol/config.ts";
import type { PaneState } from "../protocol/pane.ts";
import { type Hub, sameList } from "./hub.ts";
import { staleState } from "./observe.ts";
import { type ListedPane, ProviderError, type TerminalProvider } from "./provider.ts";
import type { PaneReading } from "./reading.ts";
import { type PassContext, type PassRules, passRules, type PassSettings } from "./record.ts";
import { Records, type RecordsDeps } from "./records.ts";
import { type VisibilityRules, type VisiblePanes, visiblePanes } from "./visible-panes.ts";

export type PollerSettings = PassSettings & VisibilityRules & Pick<LiveConfig, "poll_interval">;

export interface PollerDeps extends RecordsDeps {
  provider: TerminalProvider;
  hub: Pick<Hub, "publish">;
  log: Log;
  settings: () => PollerSettings;
}

/**
 * When a pane is read again after an action. The echo mostly comes right after the first of these, and
 * the screen may be half drawn then: a change does not end them.
 */
const LOOKS_MS = [10, 30, 80, 200];

/** More panes than these are read by one listing and one capture together. */
const MAX_SINGLE_LOOKS = 2;

/**
 * Repeats one pass: lists panes, captures those that may have changed, interprets, publishes.
 * After a failed pass the published state stays, marked stale.
 */
export class Poller {
  readonly #deps: PollerDeps;
  readonly #records: Records;
  #rules: PassRules | null = null;
  #visible: VisiblePanes = { panes: [], sights: [] };
  readonly #loop: Loop;
  /** By the id of the pane that was acted on. */
  readonly #looks = new Map<string, readonly Timer[]>();
  readonly #stopping = new AbortController();
  /** Nothing is published before this resolves. */
  #ready: Promise<void> = Promise.resolve();
  /** Ids of the panes whose next look is due. */
  #due = new Set<string>();
  #isWoken = true;
  #passWaiters: (() => void)[] = [];
  #nextPassMs = 0;
  readonly #health: PassHealth;
  /** Resolves when the first pass has succeeded or failed. */
  readonly firstPass: Promise<void>;

  constructor(deps: PollerDeps) {
    this.#deps = deps;
    this.#records = new Records(deps);
    this.#health = new PassHealth(deps.log);
    this.#loop = new Loop({
      run: (signal) => this.#turn(signal),
      restMs: () => Math.max(0, this.#nextPassMs - performance.now()),
      log: deps.log,
    });
    this.firstPass = this.pass();
  }

  /** Begins at once; publishes when the listeners are `ready`. */
  start(ready: Promise<void> = Promise.resolve()): void {
    this.#ready = Promise.race([ready, waitForAbort(this.#stopping.signal)]);
    this.#deps.provider.start(() => this.wake());
    this.#loop.start();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    for (const timer of [...this.#looks.values()].flat()) clearTimeout(timer);
    await this.#loop.stop();
    await this.#deps.provider.stop();
  }

  wake(): void {
    this.#isWoken = true;
    this.#loop.wake();
  }

  /** Resolves when a pass that begins from now on was published, or has failed. */
  pass(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#passWaiters.push(resolve);
    this.wake();
    return Promise.race([promise, waitForAbort(this.#stopping.signal)]);
  }

  /** An action reached this pane: it counts as working, and is read a few times at short intervals. */
  noteAction(id: string): void {
    // An action may end after its machine was removed: nothing is published then.
    if (this.#stopping.signal.aborted) return;
    const context = this.#context();
    if (!this.#records.noteAction(id, context)) return;
    // A client that asks now must not read that the pane is idle.
    if (this.#health.current.status === "ready") this.#publishNews(context);
    this.#lookAfter(id);
  }

  #lookAfter(id: string): void {
    for (const timer of this.#looks.get(id) ?? []) clearTimeout(timer);
    const look = (ms: number) => {
      if (ms === LOOKS_MS.at(-1)) this.#looks.delete(id);
      this.#due.add(id);
      this.#loop.wake();
    };
    const timers = LOOKS_MS.map((ms) => setTimeout(look, ms, ms));
    this.#looks.set(id, timers);
  }

  /** Somebody looks at this pane: that its agent is done is no news any more. */
  markSeen(id: string): void {
    if (this.#records.markSeen(id, this.#context())) this.wake();
  }

  health(): ProviderHealth {
    const { protocol, version } = this.#deps.provider.info;
    const { sights } = this.#visible;
    const hidden_panes = sights.filter(({ isShown }) => !isShown).length;
    const counts = { listed_panes: sights.length, hidden_panes };
    return { ...this.#health.current, protocol, version, ...counts };
  }

  /** One pane as it is now, neither published nor recorded; null when it is gone. */
  async read(id: string): Promise<PaneReading | null> {
    const { provider } = this.#deps;
    const context = this.#context();
    const found = await provider.look(id, context.rules.captureLines, this.#stopping.signal);
    return found && this.#records.reading(found.pane, found.capture, context);
  }

  /** What the last pass read, where the provider compares that with the screen before it sends. */
  lastReading(id: string): PaneReading | null {
    const { comparesScreens } = this.#deps.provider;
    return comparesScreens ? this.#records.lastReading(id, this.#context()) : null;
  }

  async #turn(signal: AbortSignal): Promise<void> {
    const startedMs = performance.now();
    // A look at one pane proves little: after a failure only a whole pass ends the failure.
    const isReady = this.#health.current.status === "ready";
    const isPass = this.#isWoken || !isReady || startedMs >= this.#nextPassMs;
    const due = this.#due;
    this.#due = new Set();
    const waiters = isPass ? this.#passWaiters : [];
    if (isPass) {
      this.#isWoken = false;
      this.#passWaiters = [];
    }
    try {
      if (isPass) await this.#pass(due, signal);
      else if (due.size > 0) await this.#look(due, signal);
    } catch (error) {
      await this.#ready;
      if (!signal.aborted) this.#fail(error);
    } finally {
      if (isPass) this.#nextPassMs = this.#planPass(startedMs);
      for (const resolve of waiters) resolve();
    }
  }

  // A pass that took longer than its interval is followed by a rest of one interval.
  #planPass(startedMs: number): number {
    const nowMs = performance.now();
    const intervalMs = this.#deps.settings().poll_interval * 1000;
    const dueMs = startedMs + intervalMs;
    return dueMs > nowMs ? dueMs : nowMs + intervalMs;
  }

  async #pass(forced: ReadonlySet<string>, signal: AbortSignal): Promise<void> {
    const context = this.#context();
    const panes = await this.#deps.provider.list(signal);
    await this.#records.update(panes, forced, context, signal);
    await this.#ready;
    if (signal.aborted) return;
    this.#health.recordSuccess(context.at, this.#deps.provider.info.caution ?? null);
    this.#update(context);
    this.#deps.hub.publish({ at: context.at, ...this.#visible, hasFailed: false });
  }

  // Between passes, only panes that were acted on: an answer shows at once, however many panes there are.
  async #look(ids: ReadonlySet<string>, signal: AbortSignal): Promise<void> {
    const { provider } = this.#deps;
    const context = this.#context();
    // Panes that are new or gone are left to the next pass.
    const identities = new Set(this.#records.all.map(({ pane }) => pane.identity));
    const isKnown = ({ identity }: ListedPane) => identities.has(identity);
    if (ids.size > MAX_SINGLE_LOOKS) {
      const panes = await provider.list(signal);
      const due = panes.filter((pane) => ids.has(pane.id) && isKnown(pane));
      await this.#records.read(due, context, signal);
    } else
      for (const id of ids) {
        const found = await provider.look(id, context.rules.captureLines, signal);
        if (found && isKnown(found.pane)) await this.#records.take([found], context);
      }
    this.#publishNews(context);
  }

  #publishNews(context: PassContext): void {
    const before = this.#visible.panes;
    this.#update(context);
    if (this.#visible.panes !== before)
      this.#deps.hub.publish({ at: context.at, ...this.#visible, hasFailed: false });
  }

  #update({ at, rules: { overrides, host } }: PassContext): void {
    const { settings, provider } = this.#deps;
    this.#visible = visiblePanes(this.#records.all, this.#visible, {
      ...{ at, overrides, host, rules: settings(), provider: provider.info.id },
    });
  }

  #context(): PassContext {
    this.#rules = passRules(this.#deps.settings(), this.#rules);
    return { ...momentOf(this.#deps.clock), rules: this.#rules };
  }

  #fail(error: unknown): void {
    this.#health.recordFailure(error);
    this.#records.breakRuns();
    const { panes, sights } = this.#visible;
    const { overrides } = this.#context().rules;
    const stale = (state: PaneState) => staleState(state, overrides.get(state.target));
    const staleSights = sights.map((sight) => ({ ...sight, state: stale(sight.state) }));
    this.#visible = { panes: sameList(panes, panes.map(stale)), sights: staleSights };
    this.#deps.hub.publish({ at: this.#deps.clock.now(), ...this.#visible, hasFailed: true });
  }
}

const MAX_ERROR_CHARS = 300;
const MAX_LOGGED_CAUSES = 8;

type Health = Pick<ProviderHealth, "status" | "last_success_at" | "last_error" | "message">;

/** Whether the multiplexer answers; each cause of a failure is logged once. */
class PassHealth {
  readonly #log: Log;
  readonly #loggedCauses = new Set<string>();
  #current: Health = { status: "unavailable", last_success_at: 0, last_error: null };

  constructor(log: Log) {
    this.#log = log;
  }

  get current(): Health {
    return this.#current;
  }

  /** `caution`: why the panes are shown but cannot be answered. */
  recordSuccess(at: number, caution: ProviderError | null): void {
    if (this.#loggedCauses.size > 0) this.#log.info("the multiplexer answers again");
    this.#loggedCauses.clear();
    this.#current = {
      status: caution?.health ?? "ready",
      last_success_at: at,
      last_error: caution?.lastError ?? null,
      ...(caution ? { message: caution.message } : {}),
    };
  }

  recordFailure(error: unknown): void {
    const isClassified = error instanceof ProviderError;
    const message = cutMessage(error instanceof Error ? error.message : String(error));
    const last_error = isClassified ? cutMessage(error.lastError) : message;
    // A multiplexer that is away for a night must not fill the log.
    if (!this.#loggedCauses.has(last_error) && this.#loggedCauses.size < MAX_LOGGED_CAUSES) {
      this.#loggedCauses.add(last_error);
      this.#log.warn(`a pass failed, the last snapshot stays: ${message}`);
    }
    const status = isClassified ? error.health : "degraded";
    this.#current = { ...this.#current, status, last_error, message };
  }
}

const cutMessage = (text: string): string => stripControls(text).slice(0, MAX_ERROR_CHARS);
