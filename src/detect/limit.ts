/** A limit of use that has ended an agent's turn, in its own words. */
export interface Limit {
  /** `5-hour limit`, `weekly limit`, `usage limit`. */
  name: string;
  /** All that was said of it: the time of its reset is somewhere in there. */
  text: string;
}

const WINDOW = "(?:\\d+-hour|daily|weekly|monthly|session|usage)";

const WINDOW_ALONE = new RegExp(`^${WINDOW}$`, "i");

/** The notices that say so, as their messages begin. Limits of context or of retries are others. */
const NOTICES = [
  new RegExp(
    `^You(?:'ve|’ve| have) (?:hit|reached|exceeded) your (?:(?:[\\w.-]+ )?(${WINDOW}) )?limit\\b`,
    "i",
  ),
  /^\[API Error: You have exhausted your (daily) quota on this model\b/i,
  /^You(?:'ve|’ve| have) (?:hit|reached|exceeded) your (?!.*\b(?:context|retry)\b)(.{1,40}?) limit\b/i,
  // The turn that it cuts short looks finished.
  new RegExp(`^Approaching your (${WINDOW}) usage limit — Claude will wrap up`, "i"),
  new RegExp(
    `^(?:Claude )?(?:AI )?(?:[\\w.-]+ )?(${WINDOW}) limit reached(?=\\s*(?:$|[^\\s\\w]))`,
    "i",
  ),
];
/** Of a message, before its words. */
const MARK = /^[●⏺⎿■⚠✗✕│┃]\s*/u;
/** A notice takes a few lines where the pane is narrow. */
const MAX_LINES = 4;

/** @param evidence lines of an agent's error, the one that tells it first */
export function detectLimit(evidence: readonly string[]): Limit | null {
  const lines = evidence.slice(0, MAX_LINES).map((line) => line.trim());
  const text = lines.join(" ").replace(MARK, "");
  const [first = ""] = lines;
  for (const notice of NOTICES) {
    const found = notice.exec(first.replace(MARK, "")) ?? notice.exec(text);
    if (found !== null) return { name: `${nameOf(found[1] ?? "usage")} limit`, text };
  }
  return null;
}

/** As the program writes it: the name of a model, or the length of a time. */
function nameOf(shown: string): string {
  return WINDOW_ALONE.test(shown) ? shown.toLowerCase() : shown;
}

const CONTINUES =
  /\bcontinu(?:es?|ing) automatically\b|^[\s●⏺]*Usage limit reached · (?:set to )?continu/iu;
const CANCELLED = /\bautomatic continue cancelled\b/i;
const TYPED = /^\s{0,2}[❯>]/u;

/**
 * Whether the program goes on by itself then: the last of its notes from the notice on says so.
 *
 * @param lines the end of the screen
 */
export function isContinuing(lines: readonly string[], notice: string): boolean {
  for (const line of lines.toReversed()) {
    if (CANCELLED.test(line)) return false;
    if (CONTINUES.test(line) && !TYPED.test(line)) return true;
    if (line === notice) return false;
  }
  return false;
}
