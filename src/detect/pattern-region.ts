import type { PatternHit } from "./pattern-rules.ts";
import { isCommandLine, isReplPrompt, isShellPrompt } from "./programs.ts";
import { lineAt, type View } from "./region.ts";

/** The text that the user's patterns are run over: `screen.lines` from `firstLine` on. */
export interface PatternText {
  text: string;
  firstLine: number;
}

const MAX_PATTERN_LINES = 60;
const MAX_PATTERN_LINE_CHARS = 500;

/**
 * The output of the running program: the end of the screen below the last command line. Null where a
 * shell's prompt ends the screen: questions and errors above it are over.
 */
export function patternRegion(view: View): PatternText | null {
  const { end } = view;
  const last = lineAt(view, end - 1);
  if (end === view.start || isShellPrompt(last) || isReplPrompt(last)) return null;
  let firstLine = end;
  const least = Math.max(view.start, end - MAX_PATTERN_LINES);
  while (firstLine > least && !isCommandLine(lineAt(view, firstLine - 1))) firstLine--;
  if (firstLine === end) return null;
  const lines = view.lines.slice(firstLine, end).map((l) => l.slice(0, MAX_PATTERN_LINE_CHARS));
  return { text: lines.join("\n"), firstLine };
}

/** Index in `screen.lines` of the line of a hit. */
export function lineOfHit(view: View, hit: PatternHit | null): number | null {
  const region = hit && patternRegion(view);
  return region ? region.firstLine + region.text.slice(0, hit.index).split("\n").length - 1 : null;
}
