import type { RuleTrace } from "../protocol/explain.ts";
import type { PaneAgent } from "../protocol/pane.ts";
import type { DetectInput, Prompt, Unsettled } from "./finding.ts";
import type { PatternFindings } from "./pattern-rules.ts";
import type { CursorPlace } from "./prepare.ts";
import type { View } from "./region.ts";

/**
 * What a matching rule says of the pane. `keeps_previous` is an overlay (transcript viewer, help,
 * search): nothing can be said, so the pane keeps its previous status and prompt.
 */
type Meaning = "needs_input" | "error" | "working" | "idle" | "keeps_previous";

export interface Match {
  /** Index in `screen.lines` of the line that decided, or null. */
  line: number | null;
  /** The dialog; null where the program waits but its options cannot be read with certainty. */
  prompt?: Prompt | null;
  /** Part of the screen that was looked at; absent: the tail. */
  region?: { rule: string; start: number; end: number };
  /** An idle that only absence speaks for: `observe` may hold "working" for its 2 s. */
  isUncertain?: boolean;
  unsettled?: Unsettled | null;
  /** A fact besides the status ("1 background terminal running"). */
  note?: string;
}

export interface Context {
  view: View;
  input: DetectInput;
  patterns: PatternFindings;
  /** The agent that was recognised, also one without rules of its own. */
  agent: PaneAgent | null;
  place(): CursorPlace;
}

/**
 * One named way to read a screen. An agent's rules are an ordered list: the first match decides,
 * what was tried before it is kept for `explain`.
 */
export interface Rule {
  /** `<agent>.<name>`, stable: published as `reason`; `rules.txt` tells people of it. */
  id: string;
  means: Meaning;
  find(context: Context): Match | null;
  /** What `explain` shows where it finds nothing. */
  missed: RuleTrace;
}

type Find = (view: View, context: Context) => Match | Prompt | number | null;

/** A rule that finds a match, a prompt whose question decides, or no more than the line that does. */
export function rule(id: string, means: Meaning, find: Find): Rule {
  return {
    id,
    means,
    missed: { rule: id, matched: false, line: null, line_index: null, note: null },
    find(context) {
      const found = find(context.view, context);
      if (typeof found === "number") return { line: found };
      return found && "parser" in found ? { line: found.questionLine, prompt: found } : found;
    },
  };
}
