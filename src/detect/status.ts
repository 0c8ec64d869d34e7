import type { PatternText } from "./pattern-rules.ts";
import { lineAt, type View } from "./region.ts";

/** Lines that the user's patterns may look at. */
const MAX_PATTERN_LINES = 60;
const MAX_PATTERN_LINE_CHARS = 500;

/** The end of the screen below the last shell prompt; null when a shell prompt ends it. */
export function patternRegion(view: View): PatternText | null {
  const { end } = view;
  if (end === view.start || isShellPrompt(lineAt(view, end - 1))) return null;
  let firstLine = end;
  const least = Math.max(view.start, end - MAX_PATTERN_LINES);
  while (firstLine > least && !isShellPrompt(lineAt(view, firstLine - 1))) firstLine--;
  const lines = view.lines.slice(firstLine, end).map((l) => l.slice(0, MAX_PATTERN_LINE_CHARS));
  return { text: lines.join("\n"), firstLine };
}

/**
 * A shell's prompt with nothing typed behind it: `user@host:~$`, `[user@host dir]#`, `%`, `➜  dir`,
 * `❯`, fish's `dir>`. Only an empty prompt is known for sure: a command line looks like any text.
 */
export function isShellPrompt(line: string): boolean {
  const text = line.trimEnd();
  if (text.length === 0 || text.length > 200) return false;
  if (/^[$#%❯➜λ»]$/.test(text)) return true;
  if (/^(?:\S.*)?[\w\])~/:.@-] ?[$#❯➜λ]$/u.test(text)) return true;
  if (/^\S*[\w\])~/@] ?%$/.test(text)) return !/\d%$/.test(text);
  if (/^➜ {1,2}\S+(?: git:\(.*\))?(?: ✗)?$/u.test(text)) return true;
  return /^\S+@\S+ [~/]\S*>$/.test(text) || /^(?:PS )?[A-Z]:\\.*>$|^PS \/.*>$/.test(text);
}
