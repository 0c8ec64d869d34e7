import type { Clock } from "../lib/clock.ts";
import { splitLines, type PipedProgram, spawnPiped } from "../lib/line-process.ts";
import { Semaphore } from "../lib/lock.ts";
import { NO_PATTERNS, type PatternFindings, type Patterns } from "./pattern-rules.ts";
import { AT, BEGIN, type PatternJob, PatternSearch, READY } from "./pattern-search.ts";

/** Misses of the deadline after which a pattern, unless it is ours, is set aside until restart. */
export const MAX_MISSES = 3;

/** Pause after a start that failed; it doubles with each more. */
export const RETRY_SECONDS = 30;
const MAX_RETRY_SECONDS = 300;

interface MatcherDeps {
  /** Command line of `pattern-worker.ts`; `main.ts` knows how it is started. */
  worker: readonly string[];
  /** Our own patterns, known to be quick: by themselves they run in this process. */
  trusted: ReadonlySet<string>;
  warn: (message: string) => void;
  clock: Clock;
  /** Time for the process to start; absent: enough for a busy machine. */
  startMs?: number;
}

/**
 * Runs patterns, where one of them is not ours, in a process of their own under a deadline: one that
 * hangs holds up nothing else. The first such job starts the process; a process that misses its
 * deadline is ended, and the next job starts another.
 */
export class PatternMatcher {
  readonly #deps: MatcherDeps;
  readonly #misses = new Map<string, number>();
  readonly #search = new PatternSearch();
  readonly #turns = new Semaphore(1);
  #running: PatternProcess | null = null;
  #starting: Promise<void> | null = null;
  /** Monotonic seconds before which a failed start is not repeated, and how long it waits next. */
  #retryAt = -Infinity;
  #retrySeconds = RETRY_SECONDS;
  #isStopped = false;
  #hasWarned = false;

  constructor(deps: MatcherDeps) {
    this.#deps = deps;
  }

  /** `failed` is not "no match": nothing is known then. */
  match(text: string, patterns: Patterns): Promise<PatternFindings | "failed"> {
    return this.#turns.run(() => this.#match(text, patterns));
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#end();
  }

  async #match(text: string, patterns: Patterns): Promise<PatternFindings | "failed"> {
    if (text === "") return NO_PATTERNS;
    const isOwn = (pattern: string) => this.#deps.trusted.has(pattern);
    const job = { text, ...filterPatterns(patterns, (pattern) => !this.#isSetAside(pattern)) };
    if ([...job.prompt, ...job.error].every(isOwn)) return this.#search.run(job);
    const findings = await this.#matchElsewhere(job);
    if (findings !== "failed") return findings;
    // A prompt that our own patterns find needs no other.
    const own = this.#search.run({ text, ...filterPatterns(patterns, isOwn) });
    return own.prompt ? own : "failed";
  }

  async #matchElsewhere(job: PatternJob): Promise<PatternFindings | "failed"> {
    const running = await this.#start();
    if (!running) return "failed";
    const outcome = await running.run(job);
    if (outcome.findings) return outcome.findings;
    await this.#end();
    const ranAway =
      outcome.pattern === null ? undefined : [...job.prompt, ...job.error][outcome.pattern];
    // Our own pattern ran late because the machine is slow: it stays.
    const isOwn = ranAway !== undefined && this.#deps.trusted.has(ranAway);
    if (ranAway !== undefined && !isOwn && !this.#isStopped) this.#miss(ranAway);
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

  /** Null while no process can be started: the job fails at once. */
  async #start(): Promise<PatternProcess | null> {
    if (this.#isStopped) return null;
    // The system may have ended it between two jobs.
    if (this.#running?.hasEnded) await this.#end();
    if (this.#running) return this.#running;
    if (this.#deps.clock.monotonic() < this.#retryAt) return null;
    this.#starting ??= this.#launch();
    // After a start that failed no job waits for the next one.
    if (this.#retrySeconds === RETRY_SECONDS) await this.#starting;
    return this.#running;
  }

  async #launch(): Promise<void> {
    const { worker, startMs } = this.#deps;
    const started = await PatternProcess.start(worker, startMs).catch(() => null);
    this.#running = started;
    this.#starting = null;
    // Stopped meanwhile: the new process must not stay.
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

function filterPatterns(
  { prompt, error }: Patterns,
  isWanted: (pattern: string) => boolean,
): Patterns {
  return { prompt: prompt.filter(isWanted), error: error.filter(isWanted) };
}

/** Time for all patterns over one pane's text, longer where the machine leaves no processor. */
export const DEADLINE_MS = 50;
/** For the process to start, and for a job to begin, on a busy machine. */
export const START_DEADLINE_MS = 5_000;
/** How long in all a job may wait for a worker that gets no processor. */
const HELD_UP_MS = 1_000;
/** Time to read a reply that arrived while this process was busy, before a job counts as late. */
const READ_GRACE_MS = 5;

/** `pattern`: index of the one that ran away; null when the machine or the worker failed. */
type Outcome = { findings: PatternFindings } | { findings: null; pattern: number | null };

/** One process of `pattern-worker.ts`. It runs one job at a time, and none after a failed one. */
class PatternProcess {
  readonly #program: PipedProgram;
  #hasEnded = false;
  #hear: (line: string | null) => void = () => {};

  private constructor(command: readonly string[]) {
    this.#program = spawnPiped(command, {
      onOutput: splitLines((line) => this.#hear(line)),
      onMessages: () => {},
      onEnd: () => {
        this.#hasEnded = true;
        this.#hear(null);
      },
    });
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Null when it does not start. */
  static async start(
    command: readonly string[],
    deadlineMs = START_DEADLINE_MS,
  ): Promise<PatternProcess | null> {
    const started = new PatternProcess(command);
    const isReady = await new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => resolve(false), deadlineMs);
      started.#hear = (line) => {
        clearTimeout(timer);
        resolve(line === READY);
      };
    });
    if (!isReady) await started.end();
    return isReady ? started : null;
  }

  /** Never rejects: whenever the process dies, the answer is an outcome without findings. */
  async run(job: PatternJob): Promise<Outcome> {
    // Nobody would answer.
    if (this.#hasEnded) return { findings: null, pattern: null };
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    let begunAtCpuMs: number | null = null;
    let latest = 0;
    let at: number | null = null;
    const finish = (outcome: Outcome) => {
      clearTimeout(timer);
      resolve(outcome);
    };
    // A process that got no processor was held up by the machine, not by its pattern.
    const hasRunAway = (usedMs: number | null) =>
      begunAtCpuMs !== null && usedMs !== null && usedMs - begunAtCpuMs >= DEADLINE_MS / 2;
    const judge = async () => {
      const usedMs = this.#program.processorMs();
      if (usedMs !== null && !hasRunAway(usedMs) && performance.now() < latest) {
        timer = setTimeout(expire, DEADLINE_MS);
        return;
      }
      // We end it: that is no outcome of the job.
      this.#hear = () => {};
      const ranAway = hasRunAway(await this.end());
      finish({ findings: null, pattern: ranAway ? at : null });
    };
    const expire = () => {
      timer = setTimeout(() => void judge(), READ_GRACE_MS);
    };
    let timer = setTimeout(expire, START_DEADLINE_MS);
    this.#hear = (line) => {
      if (line === null) return finish({ findings: null, pattern: null });
      if (line.startsWith(AT)) {
        at = Number(line.slice(AT.length));
        return;
      }
      if (!line.startsWith(BEGIN)) return finish(outcomeIn(line));
      begunAtCpuMs = Number(line.slice(BEGIN.length));
      latest = performance.now() + HELD_UP_MS;
      clearTimeout(timer);
      timer = setTimeout(expire, DEADLINE_MS);
    };
    this.#program.write(`${JSON.stringify(job)}\n`);
    return await promise;
  }

  /** Kills it; resolves to the milliseconds of processor time that it used. */
  end(): Promise<number> {
    this.#program.kill();
    return this.#program.ended;
  }
}

function outcomeIn(line: string): Outcome {
  try {
    // Our own worker wrote it.
    return { findings: JSON.parse(line) as PatternFindings };
  } catch {
    // No worker of ours, or one that broke in the middle of a line.
    return { findings: null, pattern: null };
  }
}
