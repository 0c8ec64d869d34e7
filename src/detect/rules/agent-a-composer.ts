import type { Composer } from "../finding.ts";
import { lineAt, type View } from "../region.ts";
import { readTyped } from "../typed-text.ts";
import { readComposer } from "./agent-a-screen.ts";

/** Other marks than these stand for a shell command, a note to remember, a task in the background. */
const PROMPTED = /^\s{0,3}[❯>](?:\s|$)/u;

/** Claude Code's input line, between two rules; null where a dialog or the transcript covers it. */
export function readAgentAInput(view: View): Composer | null {
  const composer = readComposer(view);
  if (!composer) return null;
  const line = composer.top + 1;
  const mark = PROMPTED.exec(lineAt(view, line))?.[0];
  // Of a draft that is scrolled the first lines are out of sight, and its rule says so.
  if (mark === undefined || /↑ \d+ more/u.test(lineAt(view, composer.top)))
    return { line, holds: "unclear" };
  return { line, ...readTyped(view, { start: line, end: composer.bottom }, mark.length) };
}
