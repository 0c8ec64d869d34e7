import {
  MAX_PATTERN_CHARS,
  MAX_PATTERNS,
  patternFault,
  type PatternFault,
} from "../detect/pattern-rules.ts";
import { accepted, refused, shown, type Declared, type Field } from "./field.ts";

/** Regular expressions of the user; one that could backtrack without end is refused everywhere. */
export function patterns(declared: Declared<readonly string[]>): Field<readonly string[]> {
  return {
    ...declared,
    kind: "patterns",
    allowed:
      `a list of at most ${MAX_PATTERNS} regular expressions of at most ` +
      `${MAX_PATTERN_CHARS} characters, without nested quantifiers`,
    read(raw, { key }) {
      if (!Array.isArray(raw)) return refused(`${key} must be a list`);
      if (raw.length > MAX_PATTERNS)
        return refused(`too many patterns (max ${MAX_PATTERNS})`, [MAX_PATTERNS]);
      for (const [index, pattern] of raw.entries()) {
        if (typeof pattern !== "string") return refused(`${key} must be a list of text`, [index]);
        const fault = patternFault(pattern);
        if (fault !== null) return refused(faultText(fault, pattern), [index]);
      }
      // An empty line of a form, which would match everywhere: every pane would be an error.
      return accepted(raw.map(String).filter((pattern) => pattern.trim() !== ""));
    },
  };
}

function faultText(fault: PatternFault, pattern: string): string {
  switch (fault.kind) {
    case "too_long":
      return `pattern too long (max ${MAX_PATTERN_CHARS} chars)`;
    case "bad_regex":
      return `bad regex ${shown(pattern)}: ${fault.message}`;
    case "nested_quantifier":
      return `nested quantifier in ${shown(pattern)}`;
  }
}
