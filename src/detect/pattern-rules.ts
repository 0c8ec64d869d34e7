import { describeValue } from "../lib/words.ts";

export const MAX_PATTERNS = 40;
export const MAX_PATTERN_CHARS = 200;

export interface Patterns {
  prompt: readonly string[];
  error: readonly string[];
}

export interface PatternHit {
  pattern: string;
  index: number;
}

/** The lowest hit of each list in one pane's text. */
export interface PatternFindings {
  prompt: PatternHit | null;
  error: PatternHit | null;
}

export const NO_PATTERNS: PatternFindings = { prompt: null, error: null };

/** Prompts match in any case, errors as written; `^` and `$` match at lines. */
export const PATTERN_FLAGS = { prompt: "gim", error: "gm" } as const;

export function patternFault(pattern: string): string | null {
  if ([...pattern].length > MAX_PATTERN_CHARS)
    return `pattern too long (max ${MAX_PATTERN_CHARS} chars)`;
  try {
    new RegExp(pattern, PATTERN_FLAGS.error);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    return `bad regex ${describeValue(pattern)}: ${why}`;
  }
  return hasNestedQuantifier(pattern) ? `nested quantifier in ${describeValue(pattern)}` : null;
}

interface Group {
  hasQuantifier: boolean;
  /** First character of each alternative; null where it may be any of several. */
  firsts: (string | null)[];
  isAtStart: boolean;
}

/** A quantifier; the head of a group; an escape, a class or any other character. */
const TOKEN =
  /(?<quantifier>[*+?]|\{(?<least>\d+)(?<most>,\d*)?\})\??|\((?:\?(?:[:=!]|<[=!]|<[^>]*>))?|\\[^]|\[(?:\\[^]|[^\]\\])*\]|[^]/g;

/**
 * A repeated group that holds a quantifier, or alternatives that may begin alike: the two shapes
 * that make a backtracking matcher try every way to cut a text.
 */
function hasNestedQuantifier(pattern: string): boolean {
  const stack: Group[] = [newGroup()];
  let closed: Group | null = null;
  for (const { 0: token, groups = {} } of pattern.matchAll(TOKEN)) {
    const group = stack.at(-1) ?? newGroup();
    const before = closed;
    closed = null;
    if (groups.quantifier !== undefined) {
      if (before && repeats(groups) && (before.hasQuantifier || isAmbiguous(before))) return true;
      // A quantifier in a group counts for the groups around it too.
      group.hasQuantifier = true;
    } else if (token.startsWith("(")) {
      noteFirst(group, null);
      stack.push(newGroup());
    } else if (token === ")" && stack.length > 1) {
      closed = stack.pop() ?? null;
      const outer = stack.at(-1);
      if (outer && closed?.hasQuantifier) outer.hasQuantifier = true;
    } else if (token === "|") {
      if (group.isAtStart) group.firsts.push(null);
      group.isAtStart = true;
    } else noteFirst(group, token.length === 1 && token !== "." ? token : null);
  }
  return false;
}

function repeats({ quantifier, least, most }: Record<string, string | undefined>): boolean {
  if (least === undefined) return quantifier !== "?";
  return most === "," || Number(most?.slice(1) ?? least) > 1;
}

function newGroup(): Group {
  return { hasQuantifier: false, firsts: [], isAtStart: true };
}

function noteFirst(group: Group, first: string | null): void {
  if (group.isAtStart) group.firsts.push(first);
  group.isAtStart = false;
}

function isAmbiguous(group: Group): boolean {
  const count = group.firsts.length + (group.isAtStart ? 1 : 0);
  if (count < 2) return false;
  return (
    group.isAtStart ||
    group.firsts.includes(null) ||
    new Set(group.firsts).size < group.firsts.length
  );
}
