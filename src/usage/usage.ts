import { AppError } from "../errors.ts";
import type { Clock } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import { Loop } from "../lib/loop.ts";
import type { Info } from "../protocol/config.ts";
import {
  type UsageBucket,
  type UsageHistory,
  UsagePeriod,
  type UsageQuota,
  type UsageReply,
  UsageScope,
} from "../protocol/usage.ts";
import type { Handlers, Slice } from "../slice.ts";
import { Collector, CollectorError } from "./command.ts";
import {
  availability,
  HISTORY_DAYS,
  lastDays,
  localDate,
  parseGraph,
  parseHours,
  parseMonths,
  parseQuotas,
  todayOf,
  type UsagePart,
} from "./summary.ts";

/** Then the reply to a refresh has the old values, and the pass goes on. */
const ANSWER_WITHIN_MS = 8000;
/** Least time between two passes of a kind, however often a client asks. */
export const PAUSE_SECONDS = 5;

export interface UsageSettings {
  usage_enabled: boolean;
  usage_quota_refresh: number;
  usage_report_refresh: number;
}

interface UsageDeps {
  collector: Collector;
  settings: () => UsageSettings;
  /** Called with fresh quotas after each good pass. */
  quotasSeen?: (quotas: readonly UsageQuota[]) => void;
  clock: Clock;
  log: Log;
}

type Pass = "quota" | "reports";

interface UsageRun {
  stopping: AbortController;
  loops: Record<Pass, Loop>;
  settings: UsageSettings;
  passes: Partial<Record<Pass, Promise<void>>>;
  /** Monotonic seconds. */
  notBefore: Record<Pass, number>;
}

export const USAGE_OFF: Info["usage"] = {
  available: false,
  enabled: false,
  installed: false,
  resolved_path: null,
  quota_age: null,
  reports_age: null,
  last_error: null,
};

export class Usage {
  readonly #deps: UsageDeps;
  readonly #quotas: CollectedValue<UsageQuota[]>;
  readonly #reports: Readonly<Record<UsagePeriod, CollectedValue<UsageBucket[]>>>;
  #running: UsageRun | null = null;
  #ended: Promise<unknown> = Promise.resolve();

  constructor(deps: UsageDeps) {
    this.#deps = deps;
    this.#quotas = new CollectedValue(deps, "quotas", () => ["usage", "--json"], parseQuotas);
    const report = (
      name: string,
      args: () => readonly string[],
      parse: (output: unknown) => UsageBucket[] | null,
    ) => new CollectedValue(deps, name, () => [...args(), "--no-spinner"], parse);
    const days = () => {
      const now = deps.clock.now();
      return ["graph", "--since", localDate(now, HISTORY_DAYS - 1), "--until", localDate(now)];
    };
    this.#reports = {
      hourly: report("hours", () => ["hourly", "--json", "--today"], parseHours),
      daily: report("days", days, parseGraph),
      monthly: report("months", () => ["monthly", "--json"], parseMonths),
    };
  }

  async stop(): Promise<void> {
    this.#end();
    await this.#ended;
  }

  /** Starts and stops with the live setting; a new interval begins with a pass. */
  settingsChanged(): void {
    const settings = this.#deps.settings();
    if (!settings.usage_enabled) return this.#end();
    const running = this.#running;
    if (!running) return this.#begin(settings);
    const before = running.settings;
    running.settings = settings;
    if (before.usage_quota_refresh !== settings.usage_quota_refresh) running.loops.quota.wake();
    if (before.usage_report_refresh !== settings.usage_report_refresh) running.loops.reports.wake();
  }

  reply(): UsageReply {
    const days = this.#reports.daily.part.value;
    return {
      ...availability(this.#running !== null, this.#parts()),
      quotas: this.#quotas.part.value ?? [],
      today: days && todayOf(days, this.#deps.clock.now()),
    };
  }

  /** `days` bounds a daily history only. */
  history(period: UsagePeriod, days: number): UsageHistory {
    const { part } = this.#reports[period];
    const buckets = part.value ?? [];
    return {
      ...availability(this.#running !== null, [part]),
      period,
      buckets: period === "daily" ? lastDays(buckets, days, this.#deps.clock.now()) : buckets,
    };
  }

  /** Joins a pass that runs already, and waits for it no longer than the timeout. */
  async refresh(scope: UsageScope): Promise<UsageReply> {
    const running = this.#running;
    if (!running) return this.reply();
    const kinds: Pass[] = scope === "all" ? ["quota", "reports"] : [scope];
    const passes = Promise.all(kinds.map((pass) => this.#pass(pass, running)));
    await Promise.race([passes, Bun.sleep(ANSWER_WITHIN_MS)]);
    return this.reply();
  }

  info(): Info["usage"] {
    const { path } = this.#deps.collector;
    return {
      enabled: this.#running !== null,
      installed: path !== null,
      resolved_path: path,
      quota_age: this.#quotas.age,
      reports_age: this.#reports.daily.age,
      last_error: this.#parts().find(({ failure }) => failure)?.failure?.detail ?? null,
    };
  }

  #parts(): UsagePart<unknown>[] {
    return [this.#quotas, ...Object.values(this.#reports)].map(({ part }) => part);
  }

  #begin(settings: UsageSettings): void {
    const loop = (pass: Pass, seconds: () => number) =>
      new Loop({
        run: () => this.#pass(pass, running),
        restMs: () => seconds() * 1000,
        log: this.#deps.log,
      });
    const running: UsageRun = {
      stopping: new AbortController(),
      settings,
      passes: {},
      notBefore: { quota: -Infinity, reports: -Infinity },
      loops: {
        quota: loop("quota", () => running.settings.usage_quota_refresh),
        reports: loop("reports", () => running.settings.usage_report_refresh),
      },
    };
    this.#running = running;
    for (const pass of Object.values(running.loops)) pass.start();
  }

  /** Drops the collected values: they would be stale when usage is switched on again. */
  #end(): void {
    const running = this.#running;
    if (!running) return;
    this.#running = null;
    running.stopping.abort();
    const { quota, reports } = running.loops;
    this.#ended = Promise.all([this.#ended, quota.stop(), reports.stop()]);
    for (const value of [this.#quotas, ...Object.values(this.#reports)]) value.forget();
  }

  /**
   * At most one pass of a kind runs at a time, and a call joins it. Soon after its end a call does
   * nothing, since the values are fresh.
   */
  async #pass(pass: Pass, { stopping, passes, notBefore }: UsageRun): Promise<void> {
    const current = passes[pass];
    if (current) return current;
    const { clock } = this.#deps;
    if (clock.monotonic() < notBefore[pass]) return;
    const started =
      pass === "quota" ? this.#quotaPass(stopping.signal) : this.#reportPass(stopping.signal);
    const ended = started.finally(() => {
      delete passes[pass];
      notBefore[pass] = clock.monotonic() + PAUSE_SECONDS;
    });
    passes[pass] = ended;
    return ended;
  }

  async #quotaPass(signal: AbortSignal): Promise<void> {
    const before = this.#quotas.part.value;
    await this.#quotas.refresh(signal);
    const { value } = this.#quotas.part;
    if (value && value !== before) this.#deps.quotasSeen?.(value);
  }

  /** Calls run one after another, since each may keep all processors busy. */
  async #reportPass(signal: AbortSignal): Promise<void> {
    // Brings one agent's data up to date; the other reports do not need it.
    await this.#deps.collector.run(["antigravity", "sync"], signal).catch(asCollectorError);
    for (const report of Object.values(this.#reports))
      if (!signal.aborted) await report.refresh(signal);
  }
}

/** @throws any other error */
function asCollectorError(error: unknown): CollectorError {
  if (error instanceof CollectorError) return error;
  throw error;
}

/** A value that is refreshed periodically; a failure leaves the last good one. */
class CollectedValue<T> {
  #part: UsagePart<T> = { value: null, fetchedAt: 0, failure: null };
  /** Monotonic seconds of the last good value. */
  #since = 0;

  constructor(
    readonly deps: Pick<UsageDeps, "collector" | "clock" | "log">,
    readonly name: string,
    readonly args: () => readonly string[],
    readonly parse: (output: unknown) => T | null,
  ) {}

  get part(): UsagePart<T> {
    return this.#part;
  }

  get age(): number | null {
    return this.#part.fetchedAt === 0 ? null : this.deps.clock.monotonic() - this.#since;
  }

  async refresh(signal: AbortSignal): Promise<void> {
    const { name } = this;
    const { collector, clock, log } = this.deps;
    try {
      const value = this.parse(await collector.json(this.args(), signal));
      if (value === null)
        throw new CollectorError("error", `The usage collector's ${name} has an unknown shape.`);
      if (signal.aborted) return;
      if (this.#part.failure) log.info(`usage ${name}: available again`);
      this.#part = { value, fetchedAt: clock.now(), failure: null };
      this.#since = clock.monotonic();
    } catch (error) {
      const { reason, message: detail } = asCollectorError(error);
      if (signal.aborted) return;
      if (this.#part.failure?.detail !== detail) log.warn(`usage ${name}: ${detail}`);
      const failure = { reason, detail };
      this.#part = { ...this.#part, failure };
    }
  }

  forget(): void {
    this.#part = { value: null, fetchedAt: 0, failure: null };
  }
}

const MAX_ECHOED_CHARS = 40;

interface UsageSliceDeps extends Omit<UsageDeps, "collector"> {
  command: readonly string[];
}

export function usageSlice({ command, ...deps }: UsageSliceDeps): Slice {
  const usage = new Usage({ ...deps, collector: new Collector({ command }) });
  return {
    name: "usage",
    routes: usageRoutes(usage),
    info: () => ({ usage: usage.info() }),
    start: () => usage.settingsChanged(),
    stop: () => usage.stop(),
    settingsChanged: () => usage.settingsChanged(),
  };
}

export function usageRoutes(usage: Usage): Handlers {
  return {
    "GET /api/usage": () => usage.reply(),
    "GET /api/usage/history": (c) => {
      const { period, days = HISTORY_DAYS } = c.req.valid("query");
      const knownPeriod = requireKnown(UsagePeriod.options, "period", period);
      return usage.history(knownPeriod, Math.min(HISTORY_DAYS, Math.max(1, days)));
    },
    "POST /api/usage/refresh": (c) =>
      usage.refresh(requireKnown(UsageScope.options, "scope", c.req.valid("json").scope)),
  };
}

function requireKnown<T extends string>(options: readonly T[], what: string, value: string): T {
  const option = options.find((each) => each === value);
  if (option === undefined)
    throw new AppError("invalid", `bad ${what}: ${value.slice(0, MAX_ECHOED_CHARS)}`);
  return option;
}
