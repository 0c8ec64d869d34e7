import type { Log } from "./log.ts";

interface LoopDeps {
  /** One run. What it throws is logged as a bug; the loop goes on. */
  run: (signal: AbortSignal) => Promise<void>;
  restMs: () => number;
  log: Log;
}

/**
 * A periodic task: one run after another, never two at once. A wake during a run causes one more run,
 * however many wakes there were; missed runs are not made up for.
 */
export class Loop {
  readonly #deps: LoopDeps;
  readonly #stopping = new AbortController();
  #ended: Promise<void> | null = null;
  #isAwake = false;
  #interrupt: (() => void) | null = null;

  constructor(deps: LoopDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#ended ??= this.#loop();
  }

  /** Ends the current rest, or skips the next one. */
  wake(): void {
    this.#isAwake = true;
    this.#interrupt?.();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#interrupt?.();
    await this.#ended;
  }

  async #loop(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      this.#isAwake = false;
      try {
        await this.#deps.run(signal);
      } catch (error) {
        if (!signal.aborted) this.#deps.log.error("a periodic task failed", error);
      }
      if (!this.#isAwake && !signal.aborted) await this.#rest(this.#deps.restMs());
    }
  }

  #rest(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        this.#interrupt = null;
        resolve();
      };
      const timer = setTimeout(end, ms);
      this.#interrupt = end;
    });
  }
}

/** Resolves when the signal is given. */
export function waitForAbort(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) =>
    signal.addEventListener("abort", () => resolve(), { once: true }),
  );
}
