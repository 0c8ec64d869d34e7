import { accepted, refused, type Declared, type Field } from "./field.ts";

export const MAX_PATTERNS = 40;
export const MAX_PATTERN_CHARS = 200;

/** Regular expressions of the user; one that could run away is refused wherever it comes from. */
export function patterns(declared: Declared<readonly string[]>): Field<readonly string[]> {
  return {
    ...declared,
    allowed:
      `a list of at most ${MAX_PATTERNS} regular expressions of at most ` +
      `${MAX_PATTERN_CHARS} characters, without nested quantifiers`,
    flagType: "string",
    read(raw, { key }) {
      if (!Array.isArray(raw)) return refused(`${key} must be a list`);
      if (raw.length > MAX_PATTERNS)
        return refused(`too many patterns (max ${MAX_PATTERNS})`, [MAX_PATTERNS]);
      for (const [index, pattern] of raw.entries()) {
        const fault = patternFault(pattern);
        if (fault !== null) return refused(fault, [index]);
      }
      return accepted(raw.map(String));
    },
  };
}

function patternFault(pattern: unknown): string | null {
  if (typeof pattern !== "string") return "pattern must be text";
  if (pattern.length > MAX_PATTERN_CHARS)
    return `pattern too long (max ${MAX_PATTERN_CHARS} chars)`;
  try {
    new RegExp(pattern);
    return null;
  } catch (error) {
    return `bad regex ${pattern}: ${error instanceof Error ? error.message : String(error)}`;
  }
}
