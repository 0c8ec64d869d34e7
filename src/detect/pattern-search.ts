import { PATTERN_FLAGS, type PatternFindings, type PatternHit } from "./pattern-rules.ts";

/** One pane's text and the patterns to run over it, as sent to the worker. */
export interface PatternJob {
  job: number;
  text: string;
  prompt: readonly string[];
  error: readonly string[];
}

export interface PatternReply {
  job: number;
  findings: PatternFindings;
}

/**
 * Shared between matcher and worker: what the worker does now, and since when. Times are
 * milliseconds of the wall clock in 31 bits; only differences mean something.
 */
export class PatternProgress {
  readonly #cells: Int32Array;

  constructor(readonly shared = new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT)) {
    this.#cells = new Int32Array(shared);
  }

  /** Number of the pattern that runs, or null before the first and after the last one. */
  get pattern(): number | null {
    const number = Atomics.load(this.#cells, 0);
    return number > 0 ? number - 1 : null;
  }

  get elapsedMs(): number {
    return (clock() - Atomics.load(this.#cells, 1)) & TIME_MASK;
  }

  begin(): void {
    Atomics.store(this.#cells, 1, clock());
  }

  enter(pattern: number): void {
    Atomics.store(this.#cells, 0, pattern + 1);
  }

  rest(): void {
    Atomics.store(this.#cells, 0, 0);
  }
}

const TIME_MASK = 0x7fff_ffff;

function clock(): number {
  return Date.now() & TIME_MASK;
}

const MAX_HITS = 1_000;

/** Runs the patterns of a job; `onStart` hears the number of each pattern before it runs. */
export class PatternSearch {
  readonly #compiled = new Map<string, RegExp | null>();

  run(job: PatternJob, onStart: (index: number) => void = () => {}): PatternFindings {
    return {
      prompt: this.#lowest(job.text, job.prompt, PATTERN_FLAGS.prompt, onStart),
      error: this.#lowest(job.text, job.error, PATTERN_FLAGS.error, (index) =>
        onStart(job.prompt.length + index),
      ),
    };
  }

  #lowest(
    text: string,
    patterns: readonly string[],
    flags: string,
    onStart: (index: number) => void,
  ): PatternHit | null {
    let lowest: PatternHit | null = null;
    for (const [index, pattern] of patterns.entries()) {
      onStart(index);
      const at = lastMatch(text, this.#regex(pattern, flags));
      if (at !== null && (lowest === null || at > lowest.index)) lowest = { pattern, index: at };
    }
    return lowest;
  }

  #regex(pattern: string, flags: string): RegExp | null {
    const key = `${flags}:${pattern}`;
    const known = this.#compiled.get(key);
    if (known !== undefined) return known;
    const regex = compile(pattern, flags);
    this.#compiled.set(key, regex);
    return regex;
  }
}

// Patterns were admitted before; one that this engine refuses all the same finds nothing.
function compile(pattern: string, flags: string): RegExp | null {
  try {
    return new RegExp(pattern, flags);
  } catch {
    return null;
  }
}

function lastMatch(text: string, regex: RegExp | null): number | null {
  if (!regex) return null;
  let last: number | null = null;
  let count = 0;
  for (const match of text.matchAll(regex)) {
    last = match.index;
    if (++count >= MAX_HITS) break;
  }
  return last;
}
