import { parseScreen } from "../../src/detect/ansi.ts";
import { detect, patternText } from "../../src/detect/detect.ts";
import type { Finding, DetectInput } from "../../src/detect/finding.ts";
import { NO_PATTERNS, type PatternFindings } from "../../src/detect/pattern-rules.ts";
import { PatternSearch } from "../../src/detect/pattern-search.ts";

/** What a pane shows; a test states what matters to it. */
export function detectInput(
  text: string | readonly string[],
  members: Partial<DetectInput> = {},
): DetectInput {
  return {
    screen: parseScreen(typeof text === "string" ? text : text.join("\n")),
    title: "",
    command: "deploy",
    processes: [],
    width: 80,
    height: 24,
    alternate: false,
    cursor: null,
    kindOverride: null,
    ...members,
  };
}

/** The finding with the user's patterns searched as the worker does. */
export function detectWith(
  o: DetectInput,
  patterns: { prompt?: readonly string[]; error?: readonly string[] } = {},
): Finding {
  const region = patternText(o);
  const { prompt = [], error = [] } = patterns;
  const findings: PatternFindings = region
    ? new PatternSearch().run({ text: region.text, prompt, error })
    : NO_PATTERNS;
  return detect(o, findings);
}
