import type { Log } from "./lib/log.ts";
import type { Slice } from "./slice.ts";

/** The lifecycle of the slices: each starts, takes settings and stops, and a failure stays its own. */
export class Slices {
  readonly #slices: readonly Slice[];
  readonly #log: Log;
  #started: Promise<unknown> = Promise.resolve();

  constructor(deps: { slices: readonly Slice[]; log: Log }) {
    this.#slices = deps.slices;
    this.#log = deps.log;
  }

  start(): void {
    this.#started = this.#each("start", (slice) => slice.start?.());
  }

  settingsChanged(): void {
    void this.#each("take the new settings", (slice) => slice.settingsChanged?.());
  }

  async stop(): Promise<void> {
    await this.#started;
    await this.#each("stop", (slice) => slice.stop?.());
  }

  /** Runs a step of all parts at the same time; never rejects. */
  async #each(what: string, step: (slice: Slice) => void | Promise<void>): Promise<void> {
    const one = async (slice: Slice) => {
      try {
        await step(slice);
      } catch (error) {
        this.#log.error(`${slice.name} could not ${what}`, error);
      }
    };
    await Promise.all(this.#slices.map(one));
  }
}
