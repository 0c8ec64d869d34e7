/** Where a user's pattern matched, in `PatternText.text`. */
export interface PatternHit {
  pattern: string;
  index: number;
}

/** First hit of each list in one pane's text. */
export interface PatternFindings {
  prompt: PatternHit | null;
  error: PatternHit | null;
}

export const NO_PATTERNS: PatternFindings = { prompt: null, error: null };

/** The text that the user's patterns are run over: `screen.lines` from `firstLine` on. */
export interface PatternText {
  text: string;
  firstLine: number;
}
