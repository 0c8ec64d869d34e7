import type { Log } from "./log.ts";

interface LoopDeps {
  /** What it throws is logged as a bug, and the loop goes on. */
  run: (signal: AbortSignal) => Promise<void>;
  restMs: () => number;
  log: Log;
}

/** A periodic task, never two runs at once. Any number of wakes during a run cause one more run. */
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

export function waitForAbort(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) =>
    signal.addEventListener("abort", () => resolve(), { once: true }),
  );
}
