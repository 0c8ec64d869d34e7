import type { Clock } from "../lib/clock.ts";
import { mergeFindings, splitPatterns } from "./pattern-merge.ts";
import { DEADLINE_MS, PatternProcess } from "./pattern-process.ts";
import { NO_PATTERNS, type PatternFindings, type Patterns } from "./pattern-rules.ts";
import { PatternSearch } from "./pattern-search.ts";

/** A pattern that missed its deadline this often is set aside for the life of the process. */
export const MAX_MISSES = 3;

/** After a start that failed the next is tried so much later, and twice as much after each more. */
export const RETRY_SECONDS = 30;
const MAX_RETRY_SECONDS = 300;

export interface MatcherDeps {
  /** Command line of `pattern-worker.ts`; `main.ts` knows how it is started. */
  worker: readonly string[];
  /** Our own patterns, known to be quick: they run here, and need no process. */
  trusted: ReadonlySet<string>;
  warn: (message: string) => void;
  clock: Clock;
  /** Time for the process to start; absent: what a busy machine needs. */
  startMs?: number;
}

/**
 * Runs the user's patterns in a process of their own under a deadline: a pattern that would hang
 * holds up nothing but itself. The process starts with the first pattern that is not ours; one that
 * misses its deadline is ended, and the next job starts another.
 */
export class PatternMatcher {
  readonly #deps: MatcherDeps;
  readonly #misses = new Map<string, number>();
  readonly #search = new PatternSearch();
  #running: PatternProcess | null = null;
  #starting: Promise<void> | null = null;
  /** Monotonic seconds before which a failed start is not repeated, and how long it waits next. */
  #retryAt = -Infinity;
  #retrySeconds = RETRY_SECONDS;
  #queue: Promise<unknown> = Promise.resolve();
  #isStopped = false;
  #hasWarned = false;

  constructor(deps: MatcherDeps) {
    this.#deps = deps;
  }

  /** Findings of each pane by id; `failed` where nothing can be said, which is not "no match". */
  match(
    batch: readonly { id: string; text: string }[],
    patterns: Patterns,
  ): Promise<Map<string, PatternFindings | "failed">> {
    const work = () => this.#matchAll(batch, patterns);
    const result = this.#queue.then(work, work);
    this.#queue = result;
    return result;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#end();
  }

  async #matchAll(batch: readonly { id: string; text: string }[], patterns: Patterns) {
    const results = new Map<string, PatternFindings | "failed">();
    for (const { id, text } of batch) results.set(id, await this.#matchOne(text, patterns));
    return results;
  }

  async #matchOne(text: string, patterns: Patterns): Promise<PatternFindings | "failed"> {
    const [trusted, others] = splitPatterns(patterns, (one) => this.#deps.trusted.has(one));
    const found = this.#search.run({ text, ...trusted });
    const more = await this.#matchElsewhere(text, others);
    if (more !== "failed") return mergeFindings(patterns, found, more);
    // A prompt that our own patterns find is one, whatever the others would have found.
    return found.prompt ? found : more;
  }

  async #matchElsewhere(text: string, patterns: Patterns): Promise<PatternFindings | "failed"> {
    const [, { prompt, error }] = splitPatterns(patterns, (one) => this.#isSetAside(one));
    if (prompt.length + error.length === 0 || text === "") return NO_PATTERNS;
    const running = await this.#start();
    if (!running) return "failed";
    const outcome = await running.run({ text, prompt, error });
    if (outcome.findings) return outcome.findings;
    await this.#end();
    const ranAway = outcome.pattern === null ? undefined : [...prompt, ...error][outcome.pattern];
    if (ranAway !== undefined && !this.#isStopped) this.#miss(ranAway);
    return "failed";
  }

  #isSetAside(pattern: string): boolean {
    return (this.#misses.get(pattern) ?? 0) >= MAX_MISSES;
  }

  #miss(pattern: string): void {
    const count = (this.#misses.get(pattern) ?? 0) + 1;
    this.#misses.set(pattern, count);
    if (count === MAX_MISSES)
      this.#deps.warn(
        `pattern set aside until restart, it missed ${DEADLINE_MS} ms ${MAX_MISSES} times: ${pattern}`,
      );
  }

  /** The process; null while it cannot be had, and a job is failed at once then. */
  async #start(): Promise<PatternProcess | null> {
    if (this.#isStopped) return null;
    // Between two jobs the host may have ended it.
    if (this.#running?.hasEnded) await this.#end();
    if (this.#running) return this.#running;
    if (this.#deps.clock.monotonic() < this.#retryAt) return null;
    this.#starting ??= this.#launch();
    // One that has hung before is tried again without anybody waiting for it.
    if (this.#retrySeconds === RETRY_SECONDS) await this.#starting;
    return this.#running;
  }

  async #launch(): Promise<void> {
    const { worker, startMs } = this.#deps;
    const started = await PatternProcess.start(worker, startMs).catch(() => null);
    this.#running = started;
    this.#starting = null;
    // Stopped meanwhile: what has just started must not stay.
    if (this.#isStopped) return await this.#end();
    if (started) this.#retrySeconds = RETRY_SECONDS;
    else {
      this.#warnOnce();
      this.#retryAt = this.#deps.clock.monotonic() + this.#retrySeconds;
      this.#retrySeconds = Math.min(2 * this.#retrySeconds, MAX_RETRY_SECONDS);
    }
  }

  #warnOnce(): void {
    if (this.#isStopped || this.#hasWarned) return;
    this.#hasWarned = true;
    this.#deps.warn("the pattern worker does not start: prompt and error patterns find nothing");
  }

  async #end(): Promise<void> {
    const ended = this.#running;
    this.#running = null;
    await ended?.end();
  }
}
