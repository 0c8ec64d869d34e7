import type { PatternText } from "./pattern-rules.ts";
import { lineAt, type View } from "./region.ts";
import { isCommandLine, isReplPrompt, isShellPrompt } from "./shell-prompt.ts";

/** Lines that the user's patterns may look at. */
const MAX_PATTERN_LINES = 60;
const MAX_PATTERN_LINE_CHARS = 500;

/**
 * What the running program has written: the end of the screen below the last command line; null
 * when a prompt ends it, since whatever was asked or went wrong above it is over.
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

/** Index in `screen.lines` of a place in the text of `patternRegion`. */
export function lineOfHit(region: PatternText, index: number): number {
  let line = region.firstLine;
  for (
    let i = region.text.indexOf("\n");
    i !== -1 && i < index;
    i = region.text.indexOf("\n", i + 1)
  )
    line++;
  return line;
}
