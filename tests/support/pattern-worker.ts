import { OWN_PATTERNS } from "../../src/config/fields.ts";
import { PatternMatcher } from "../../src/detect/pattern-matcher.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { PATTERN_WORD } from "../../src/pattern-worker.ts";
import { PANEWATCH } from "./program.ts";

/** Command line of the pattern worker. */
export const PATTERN_WORKER = [...PANEWATCH, PATTERN_WORD];

/** As the service has it; it is the test's to stop. */
export function patternMatcher(
  deps: Partial<ConstructorParameters<typeof PatternMatcher>[0]> = {},
): PatternMatcher {
  return new PatternMatcher({
    clock: systemClock,
    worker: PATTERN_WORKER,
    trusted: OWN_PATTERNS,
    warn: () => {},
    ...deps,
  });
}
