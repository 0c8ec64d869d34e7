import type { Composer } from "../finding.ts";
import {
  findLineUp,
  hasStyle,
  lastLines,
  lineAt,
  perView,
  type Span,
  styleAt,
  type View,
} from "../region.ts";
import { readTyped } from "../typed-text.ts";

/** Lines between the input line and the end: hints, status, a completion list of older versions. */
const MAX_BELOW_COMPOSER = 12;
/** Below the input line while the text in it is no message. */
const OTHER_MODE = /^\s*reverse-i-search\b|\bvim\b.*\bnormal\b|-- ?NORMAL ?--|\[NORMAL\]/i;

/** A shell command, or a dialog over the session, further to the right than a draft. */
const OTHER_TEXT = /^(?:!|› {3,}\S)/u;

/** Also for shell commands; null where a dialog stands in its place. */
export const agentBInputLine = perView((view): number | null => {
  const below = lastLines(view, MAX_BELOW_COMPOSER);
  const line = below.find((i) => /^[›!](?: |$)/.test(lineAt(view, i)));
  return line ?? null;
});

/** The last line while a person walks through earlier messages; narrow screens leave only its first word. */
export function isBrowsing(view: View): boolean {
  return /^\s*Browsing · /u.test(lineAt(view, view.end - 1));
}

/** The lines with a bar on their left that end above `end`: live in versions before 0.40. */
export function barAbove(view: View, end: number): Span | null {
  const isBar = (line: string) => line.startsWith("▌");
  const above = findLineUp(view, end - 1, view.start, (line) => !isBar(line));
  const start = above === null ? view.start : above + 1;
  return start < end ? { start, end } : null;
}

/** Below the input line of versions before 0.40. */
const BAR_HINTS = /^ ⏎ send\b/u;

/** The bar of the input line of versions before 0.40, in which it has no mark. */
export function barComposerLine(view: View): number | null {
  const hints = view.end - 1;
  return BAR_HINTS.test(lineAt(view, hints)) ? (barAbove(view, hints)?.start ?? null) : null;
}

/** A sent message in the transcript has the same mark, but is dim. */
export function readAgentBInput(view: View): Composer | null {
  const bar = barComposerLine(view);
  if (bar !== null) {
    const lines = view.lines.map((line) => line.replace(/^▌/u, " "));
    return { line: bar, ...readTyped({ ...view, lines }, { start: bar, end: view.end - 1 }, 1) };
  }
  const line = agentBInputLine(view);
  if (line === null || /^› \d+[.)] /.test(lineAt(view, line))) return null;
  if (hasStyle(view) && styleAt(view.screen.lines[line], 0).dim) return null;
  const below = view.lines.slice(line + 1, view.end);
  // Below a message of the transcript stands text at the left edge.
  if (below.some((text) => /^\S/.test(text))) return null;
  if (OTHER_TEXT.test(lineAt(view, line)) || below.some((text) => OTHER_MODE.test(text)))
    return { line, holds: "unclear" };
  // The last blank line sets the hints off; a draft may hold others.
  const blank = findLineUp(view, view.end - 1, line + 1, (text) => text === "");
  return { line, ...readTyped(view, { start: line, end: blank ?? line + 1 }, 2) };
}
