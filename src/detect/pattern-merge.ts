import type { PatternFindings, PatternHit, Patterns } from "./pattern-rules.ts";

/** The patterns of each list that a test admits, and the others; both keep their order. */
export function splitPatterns(
  patterns: Patterns,
  admits: (pattern: string) => boolean,
): [admitted: Patterns, others: Patterns] {
  const part = (wanted: boolean): Patterns => ({
    prompt: patterns.prompt.filter((pattern) => admits(pattern) === wanted),
    error: patterns.error.filter((pattern) => admits(pattern) === wanted),
  });
  return [part(true), part(false)];
}

/** The finding of one search over all patterns; `patterns` gives their order. */
export function mergeFindings(
  patterns: Patterns,
  a: PatternFindings,
  b: PatternFindings,
): PatternFindings {
  return {
    prompt: lowest(patterns.prompt, a.prompt, b.prompt),
    error: lowest(patterns.error, a.error, b.error),
  };
}

function lowest(
  order: readonly string[],
  a: PatternHit | null,
  b: PatternHit | null,
): PatternHit | null {
  if (!a || !b) return a ?? b;
  if (a.index !== b.index) return a.index > b.index ? a : b;
  return order.indexOf(a.pattern) <= order.indexOf(b.pattern) ? a : b;
}
