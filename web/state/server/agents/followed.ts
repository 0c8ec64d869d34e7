/** Events come in bursts: what they are about is asked for once. */
export const DEBOUNCE_MS = 100;

export interface FollowedDeps {
  /** Asks the server anew. */
  readonly ask: () => Promise<void>;
  /** At most one question in so many milliseconds; without it only bursts are one. */
  readonly restMs?: number;
  readonly nowMs: () => number;
}

/**
 * Something that the server tells of when it changes. While somebody looks at it, it is asked for
 * again, once for each burst; else it is old, and asked for when it is next looked at.
 */
export class Followed {
  readonly #deps: FollowedDeps;
  #watchers = 0;
  #isOld = true;
  #askedAt = -Infinity;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(deps: FollowedDeps) {
    this.#deps = deps;
  }

  get isWatched(): boolean {
    return this.#watchers > 0;
  }

  /** Somebody looks; the result ends it. */
  watch(): () => void {
    this.#watchers += 1;
    if (this.#isOld) this.#ask();
    let hasEnded = false;
    return () => {
      if (hasEnded) return;
      hasEnded = true;
      this.#watchers -= 1;
      if (this.#watchers > 0 || this.#timer === undefined) return;
      clearTimeout(this.#timer);
      this.#timer = undefined;
    };
  }

  invalidate(): void {
    this.#isOld = true;
    if (this.#watchers === 0 || this.#timer !== undefined) return;
    const { restMs = 0, nowMs } = this.#deps;
    const rest = this.#askedAt + restMs - nowMs();
    this.#timer = setTimeout(() => this.#ask(), Math.max(DEBOUNCE_MS, rest));
  }

  /** Asks now, for a person who wants it again. */
  retry(): void {
    this.#ask();
  }

  #ask(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isOld = false;
    this.#askedAt = this.#deps.nowMs();
    void this.#deps.ask();
  }
}
