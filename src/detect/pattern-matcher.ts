import type { PatternFindings, Patterns } from "./pattern-rules.ts";
import { PatternProgress, type PatternJob, type PatternReply } from "./pattern-search.ts";

/** Time for all patterns over one pane's text. */
export const DEADLINE_MS = 50;
/** A pattern that missed its deadline this often is set aside for the life of the process. */
export const MAX_MISSES = 3;
const START_DEADLINE_MS = 5_000;

export interface MatcherDeps {
  /** Address of `pattern-worker.ts`; `main.ts` knows where it is. */
  worker: string | URL;
  warn: (message: string) => void;
}

interface RunningWorker {
  worker: Worker;
  progress: PatternProgress;
}

/**
 * Runs the user's patterns in a worker under a deadline: a pattern that would hang holds up
 * nothing but itself. A worker that misses its deadline is terminated; the next job starts another.
 */
export class PatternMatcher {
  readonly #deps: MatcherDeps;
  readonly #misses = new Map<string, number>();
  #running: RunningWorker | null = null;
  #queue: Promise<unknown> = Promise.resolve();
  #job = 0;
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

  stop(): void {
    this.#isStopped = true;
    this.#end();
  }

  async #matchAll(batch: readonly { id: string; text: string }[], patterns: Patterns) {
    const results = new Map<string, PatternFindings | "failed">();
    for (const { id, text } of batch) results.set(id, await this.#matchOne(text, patterns));
    return results;
  }

  async #matchOne(text: string, patterns: Patterns): Promise<PatternFindings | "failed"> {
    const prompt = patterns.prompt.filter((pattern) => !this.#isSetAside(pattern));
    const error = patterns.error.filter((pattern) => !this.#isSetAside(pattern));
    if (prompt.length + error.length === 0 || text === "") return { prompt: null, error: null };
    const running = await this.#start();
    if (!running) return "failed";
    const job: PatternJob = { job: ++this.#job, text, prompt, error };
    const reply = await this.#ask(running, job);
    if (reply) return reply.findings;
    const { pattern } = running.progress;
    const stuck = pattern === null ? undefined : [...prompt, ...error][pattern];
    this.#end();
    if (stuck !== undefined && !this.#isStopped) this.#miss(stuck);
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

  async #start(): Promise<RunningWorker | null> {
    if (this.#isStopped) return null;
    if (this.#running) return this.#running;
    // Bun's Worker: unref() is not in the DOM's type. A quiet worker must not hold the process.
    const worker = new Worker(this.#deps.worker) as Worker & { unref(): void };
    worker.unref();
    const progress = new PatternProgress();
    this.#running = { worker, progress };
    const isReady = await answerOf(
      worker,
      () => worker.postMessage({ progress: progress.shared }),
      (data) => isRecord(data) && data["ready"] === true,
      () => START_DEADLINE_MS,
    );
    if (!isReady) this.#failToStart();
    return this.#running;
  }

  #failToStart(): void {
    this.#end();
    if (this.#isStopped || this.#hasWarned) return;
    this.#hasWarned = true;
    this.#deps.warn("the pattern worker does not start: prompt and error patterns find nothing");
  }

  async #ask({ worker, progress }: RunningWorker, job: PatternJob): Promise<PatternReply | null> {
    const reply = await answerOf(
      worker,
      () => worker.postMessage(job),
      (data) => isRecord(data) && data["job"] === job.job,
      // A job that has not begun, or whose reply is on its way, waits for a busy machine and not
      // for a pattern.
      (waitedMs) =>
        progress.pattern === null
          ? waitedMs + (waitedMs < START_DEADLINE_MS ? DEADLINE_MS : 0)
          : waitedMs + DEADLINE_MS - progress.elapsedMs,
    );
    // Our own worker wrote it, under the number of this job.
    return reply as PatternReply | null;
  }

  #end(): void {
    this.#running?.worker.terminate();
    this.#running = null;
  }
}

/**
 * The first message that fits, or null when the worker fails or time is up. `deadline` is asked for
 * the milliseconds to wait in all, given those that have passed.
 */
function answerOf(
  worker: Worker,
  ask: () => void,
  fits: (data: unknown) => boolean,
  deadline: (waitedMs: number) => number,
): Promise<unknown> {
  return new Promise((resolve) => {
    const start = performance.now();
    const finish = (value: unknown) => {
      clearTimeout(timer);
      worker.removeEventListener("message", onMessage);
      worker.removeEventListener("error", onFailure);
      worker.removeEventListener("close", onFailure);
      resolve(value);
    };
    const onMessage = (event: MessageEvent) => {
      if (fits(event.data)) finish(event.data);
    };
    const onFailure = (event: Event) => {
      event.preventDefault();
      finish(null);
    };
    const check = () => {
      const waitedMs = performance.now() - start;
      const restMs = deadline(waitedMs) - waitedMs;
      if (restMs <= 0) finish(null);
      else timer = setTimeout(check, restMs);
    };
    let timer = setTimeout(check, 0);
    worker.addEventListener("message", onMessage);
    worker.addEventListener("error", onFailure);
    // Terminated by stop(): nobody will answer.
    worker.addEventListener("close", onFailure);
    ask();
  });
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
