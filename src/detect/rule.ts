import type { RuleTrace } from "../protocol/explain.ts";
import type { PaneAgent } from "../protocol/pane.ts";
import type { CursorPlace, DetectInput, Prompt, Unsettled } from "./finding.ts";
import type { PatternFindings } from "./pattern-rules.ts";
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
  /** The part of the screen that was read; absent: the tail. */
  region?: { rule: string; start: number; end: number };
  /** Idle by the absence of other signs only: `observe` may hold "working" for its 2 s. */
  isUncertain?: boolean;
  unsettled?: Unsettled | null;
  /** A fact besides the status ("1 background terminal running"). */
  note?: string;
}

export interface Context {
  view: View;
  input: DetectInput;
  patterns: PatternFindings;
  /** Also an agent without rules of its own. */
  agent: PaneAgent | null;
  place(): CursorPlace;
}

/**
 * One named way to read a screen. The rules of an agent are an ordered list: the first match decides,
 * and `explain` shows those tried before it.
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

/** `find` gives a match, a prompt, whose question is then the line that decides, or that line alone. */
export function rule(id: string, means: Meaning, find: Find): Rule {
  return {
    id,
    means,
    missed: { rule: id, matched: false, line: null, line_index: null, note: null },
    find(context) {
      const result = find(context.view, context);
      if (typeof result === "number") return { line: result };
      return result && "parser" in result ? { line: result.questionLine, prompt: result } : result;
    },
  };
}
