import { parseScreen } from "../../src/detect/ansi.ts";
import { detect, patternText } from "../../src/detect/detect.ts";
import type { DetectInput, Finding, Prompt, PromptOption } from "../../src/detect/finding.ts";
import {
  NO_PATTERNS,
  type PatternFindings,
  type Patterns,
} from "../../src/detect/pattern-rules.ts";
import { PatternSearch } from "../../src/detect/pattern-search.ts";
import { MenuOption } from "../../src/protocol/pane.ts";
import { fixture } from "./fixture.ts";

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

/** The finding with what the user's patterns find. */
export function detectWith(o: DetectInput, patterns: Partial<Patterns> = {}): Finding {
  return detect(o, hitsOf(o, patterns));
}

/** What the user's patterns find, searched as the worker does. */
export function hitsOf(
  o: DetectInput,
  { prompt = [], error = [] }: Partial<Patterns>,
): PatternFindings {
  const region = patternText(o);
  return region ? new PatternSearch().run({ text: region.text, prompt, error }) : NO_PATTERNS;
}

/** The finding of an empty screen; a test states what matters to it. */
export const finding = (members: Partial<Finding> = {}): Finding => ({
  ...{ kind: "generic", kindRule: "kind.generic", kindEvidence: null, agent: null },
  ...{ status: "idle", rule: "generic.quiet", line: null, prompt: null, unsettled: null },
  ...{ idleIsCertain: false, keepsPrevious: false, ruledOut: [] },
  region: { rule: "region.tail", start: 0, end: 0 },
  ...members,
});

export const prompt = (question: string, members: Partial<Prompt> = {}): Prompt => ({
  ...{ parser: "generic.menu", recognised: false, question, questionLine: 0 },
  ...{ evidence: [], options: [] },
  ...members,
});

/** An option that its key alone takes. */
export const option = (
  key: string,
  label: string,
  members: Partial<PromptOption> = {},
): PromptOption => ({
  ...fixture(MenuOption, { key, label }),
  ...{ answer: [{ do: "type", text: key }], answerWithText: null },
  ...members,
});
