import { momentOf } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import { aborted, Loop } from "../lib/loop.ts";
import { printable } from "../lib/words.ts";
import type { LiveConfig, ProviderHealth } from "../protocol/config.ts";
import { type Hub, sameList } from "./hub.ts";
import { staleState } from "./observe.ts";
import { type ListedPane, ProviderError, type TerminalProvider } from "./provider.ts";
import type { PaneReading } from "./reading.ts";
import { type PassContext, type PassRules, passRules, type PassSettings } from "./record.ts";
import { Records, type RecordsDeps } from "./records.ts";
import { type VisibilityRules, type Visible, visiblePanes } from "./visible-panes.ts";

export type PollerSettings = PassSettings & VisibilityRules & Pick<LiveConfig, "poll_interval">;

export interface PollerDeps extends RecordsDeps {
  provider: TerminalProvider;
  hub: Pick<Hub, "publish">;
  log: Log;
  settings: () => PollerSettings;
}

/**
 * When a pane is looked at again after an action. Its echo comes late, and more often than not right
 * after the first look; what is seen first may be half drawn, so that a change does not end the looks.
 */
const LOOKS_MS = [10, 30, 80, 200];

/** More panes than these are looked at by one listing and one capture. */
const MAX_SINGLE_LOOKS = 2;

/**
 * One pass, repeated and woken: lists, captures what may have changed, interprets, publishes.
 * A failed pass proves nothing: what was published stays, marked stale.
 */
export class Poller {
  readonly #deps: PollerDeps;
  readonly #records: Records;
  #rules: PassRules | null = null;
  #visible: Visible = { panes: [], sights: [] };
  readonly #loop: Loop;
  /** By the id of a pane that was acted on. */
  readonly #looks = new Map<string, readonly Timer[]>();
  readonly #stopping = new AbortController();
  /** Whoever listens can hear it, or nobody will any more. */
  #ready: Promise<void> = Promise.resolve();
  #forced = new Set<string>();
  #isWoken = true;
  /** Told when the next pass is over. */
  #waiting: (() => void)[] = [];
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

  /** Begins at once; nothing is published before those who listen are `ready`. */
  start(ready: Promise<void> = Promise.resolve()): void {
    this.#ready = Promise.race([ready, aborted(this.#stopping.signal)]);
    this.#deps.provider.start(() => this.wake());
    this.#loop.start();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    for (const timer of [...this.#looks.values()].flat()) clearTimeout(timer);
    await this.#loop.stop();
    await this.#deps.provider.stop();
  }

  /** Asks for a pass now. */
  wake(): void {
    this.#isWoken = true;
    this.#loop.wake();
  }

  /** A pass that begins now: resolves when it was published, or has failed. */
  pass(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    this.wake();
    return Promise.race([promise, aborted(this.#stopping.signal)]);
  }

  /** An action reached this pane: it is working from now on, and is looked at for a moment. */
  noteAction(id: string): void {
    // One that ends after its machine was let go: nothing of it is published any more.
    if (this.#stopping.signal.aborted) return;
    const context = this.#context();
    if (!this.#records.noteAction(id, context)) return;
    // Whoever asks next must not read that it rests.
    if (this.#health.current.status === "ready") this.#publishNews(context);
    this.#lookAfter(id);
  }

  #lookAfter(id: string): void {
    for (const timer of this.#looks.get(id) ?? []) clearTimeout(timer);
    const look = (ms: number) => {
      if (ms === LOOKS_MS.at(-1)) this.#looks.delete(id);
      this.#forced.add(id);
      this.#loop.wake();
    };
    const timers = LOOKS_MS.map((ms) => setTimeout(look, ms, ms));
    this.#looks.set(id, timers);
  }

  /** Somebody looks at this pane: that an agent is done there is no news any more. */
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

  /** One pane as it is now, which is neither published nor remembered; null when it is gone. */
  async read(id: string): Promise<PaneReading | null> {
    const context = this.#context();
    const seen = await this.#deps.provider.look(
      id,
      context.rules.captureLines,
      this.#stopping.signal,
    );
    return seen && this.#records.reading(seen.pane, seen.capture, context);
  }

  /** As the last pass has read it, where its provider compares that with the screen before it sends. */
  lastReading(id: string): PaneReading | null {
    const { comparesScreens } = this.#deps.provider;
    return comparesScreens ? this.#records.lastReading(id, this.#context()) : null;
  }

  async #turn(signal: AbortSignal): Promise<void> {
    const startedMs = performance.now();
    // A look proves little: after a failure only a whole pass says that all is well again.
    const isReady = this.#health.current.status === "ready";
    const isPass = this.#isWoken || !isReady || startedMs >= this.#nextPassMs;
    const forced = this.#forced;
    this.#forced = new Set();
    const waiting = isPass ? this.#waiting : [];
    if (isPass) {
      this.#isWoken = false;
      this.#waiting = [];
    }
    try {
      if (isPass) await this.#pass(forced, signal);
      else if (forced.size > 0) await this.#look(forced, signal);
    } catch (error) {
      await this.#ready;
      if (!signal.aborted) this.#fail(error);
    } finally {
      if (isPass) this.#nextPassMs = this.#planned(startedMs);
      for (const resolve of waiting) resolve();
    }
  }

  // A pass that took longer than its interval is followed by a rest of one interval.
  #planned(startedMs: number): number {
    const nowMs = performance.now();
    const intervalMs = this.#deps.settings().poll_interval * 1000;
    const dueMs = startedMs + intervalMs;
    return dueMs > nowMs ? dueMs : nowMs + intervalMs;
  }

  async #pass(forced: ReadonlySet<string>, signal: AbortSignal): Promise<void> {
    const context = this.#context();
    const listing = await this.#deps.provider.list(signal);
    await this.#records.update(listing.panes, forced, context, signal);
    await this.#ready;
    if (signal.aborted) return;
    this.#health.succeeded(context.at, this.#deps.provider.info.caution ?? null);
    this.#update(context);
    this.#deps.hub.publish({ at: context.at, ...this.#visible, hasFailed: false });
  }

  // Between passes: only panes that were acted on, so that an answer is seen at once in any fleet.
  async #look(ids: ReadonlySet<string>, signal: AbortSignal): Promise<void> {
    const { provider } = this.#deps;
    const context = this.#context();
    // Whoever is new or gone is the next pass's to tell.
    const identities = new Set(this.#records.all.map(({ pane }) => pane.identity));
    const isKnown = ({ identity }: ListedPane) => identities.has(identity);
    if (ids.size > MAX_SINGLE_LOOKS) {
      const { panes } = await provider.list(signal);
      const wanted = panes.filter((pane) => ids.has(pane.id) && isKnown(pane));
      await this.#records.read(wanted, context, signal);
    } else
      for (const id of ids) {
        const seen = await provider.look(id, context.rules.captureLines, signal);
        if (seen && isKnown(seen.pane)) await this.#records.take([seen], context);
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
    this.#health.failed(error);
    this.#records.failed();
    const { panes, sights } = this.#visible;
    const staleSights = sights.map((sight) => ({ ...sight, state: staleState(sight.state) }));
    this.#visible = { panes: sameList(panes, panes.map(staleState)), sights: staleSights };
    this.#deps.hub.publish({ at: this.#deps.clock.now(), ...this.#visible, hasFailed: true });
  }
}

const MAX_ERROR_CHARS = 300;
const MAX_TOLD_CAUSES = 8;

type Health = Pick<ProviderHealth, "status" | "last_success_at" | "last_error" | "message">;

/** What the last passes say of the multiplexer; each cause of a failure is logged once. */
class PassHealth {
  readonly #log: Log;
  readonly #told = new Set<string>();
  #current: Health = { status: "unavailable", last_success_at: 0, last_error: null };

  constructor(log: Log) {
    this.#log = log;
  }

  get current(): Health {
    return this.#current;
  }

  /** A pass succeeded; `caution` is why the panes are shown but not answered. */
  succeeded(at: number, caution: ProviderError | null): void {
    if (this.#told.size > 0) this.#log.info("the multiplexer answers again");
    this.#told.clear();
    this.#current = {
      status: caution?.health ?? "ready",
      last_success_at: at,
      last_error: caution?.lastError ?? null,
      ...(caution ? { message: caution.message } : {}),
    };
  }

  failed(error: unknown): void {
    const isTold = error instanceof ProviderError;
    const message = shown(error instanceof Error ? error.message : String(error));
    const last_error = isTold ? shown(error.lastError) : message;
    // A multiplexer that is away for a night fills no log.
    if (!this.#told.has(last_error) && this.#told.size < MAX_TOLD_CAUSES) {
      this.#told.add(last_error);
      this.#log.warn(`a pass failed, the last snapshot stays: ${message}`);
    }
    const status = isTold ? error.health : "degraded";
    this.#current = { ...this.#current, status, last_error, message };
  }
}

const shown = (text: string): string => printable(text).slice(0, MAX_ERROR_CHARS);
