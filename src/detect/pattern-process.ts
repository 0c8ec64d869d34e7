import { type Companion, startCompanion } from "../lib/companion.ts";
import type { PatternFindings } from "./pattern-rules.ts";
import { AT, BEGIN, READY, type PatternJob, type PatternReply } from "./pattern-search.ts";

/** Time for all patterns over one pane's text. */
export const DEADLINE_MS = 50;
/** For the process to start, and for a job to begin, on a busy machine. */
export const START_DEADLINE_MS = 5_000;
/** Replies that arrived while this process was busy are read before a job is judged late. */
const READ_GRACE_MS = 5;

/** `pattern`: number of the one that ran away; null when the machine or the worker failed. */
export type Outcome = { findings: PatternFindings } | { findings: null; pattern: number | null };

/** One process of `pattern-worker.ts`. It runs one job at a time, and none after a failed one. */
export class PatternProcess {
  readonly #companion: Companion;
  #hasEnded = false;
  #hear: (line: string | null) => void = () => {};

  private constructor(command: readonly string[]) {
    this.#companion = startCompanion(command, {
      onLine: (line) => this.#hear(line),
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
    // Its end has been told: nobody would answer.
    if (this.#hasEnded) return { findings: null, pattern: null };
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    let begunAtCpuMs: number | null = null;
    let at: number | null = null;
    const finish = (outcome: Outcome) => {
      clearTimeout(timer);
      resolve(outcome);
    };
    const judge = async () => {
      // Its end is our doing, and no outcome of its own.
      this.#hear = () => {};
      const usedMs = await this.#companion.end();
      // A process that got no processor was held up by the machine, not by its pattern.
      const ranAway = begunAtCpuMs !== null && usedMs - begunAtCpuMs >= DEADLINE_MS / 2;
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
      clearTimeout(timer);
      timer = setTimeout(expire, DEADLINE_MS);
    };
    this.#companion.send(JSON.stringify(job));
    return await promise;
  }

  async end(): Promise<void> {
    await this.#companion.end();
  }
}

function outcomeIn(line: string): Outcome {
  try {
    // Our own worker wrote it.
    return { findings: (JSON.parse(line) as PatternReply).findings };
  } catch {
    // No worker of ours, or one that broke in the middle of a line.
    return { findings: null, pattern: null };
  }
}
