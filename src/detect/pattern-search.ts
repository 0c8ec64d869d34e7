import {
  PATTERN_FLAGS,
  type PatternFindings,
  type PatternHit,
  type Patterns,
} from "./pattern-rules.ts";

export interface PatternJob extends Patterns {
  text: string;
}

/** The worker has started; for each job follow `begin`, `at` and its findings as JSON. */
export const READY = "ready";
/** `begin <milliseconds of processor time so far>` */
export const BEGIN = "begin ";
/** `at <number of the pattern that runs now>`: read when nothing else comes any more. */
export const AT = "at ";

/** Runs the patterns of a job; `onStart` hears the number of each pattern before it runs. */
export class PatternSearch {
  readonly #compiled = new Map<string, RegExp>();

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

  #regex(pattern: string, flags: string): RegExp {
    const key = `${flags}:${pattern}`;
    // Patterns are compiled once before when they are set, so that none is refused here.
    const regex = this.#compiled.get(key) ?? new RegExp(pattern, flags);
    this.#compiled.set(key, regex);
    return regex;
  }
}

function lastMatch(text: string, regex: RegExp): number | null {
  let last: number | null = null;
  for (const match of text.matchAll(regex)) last = match.index;
  return last;
}
