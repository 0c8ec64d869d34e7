import type { Composer } from "../finding.ts";
import {
  findLast,
  findLine,
  findLineUp,
  lineAt,
  perView,
  type Span,
  type View,
} from "../region.ts";
import { readTyped } from "../typed-text.ts";

/** The first hint below an active input line; narrow screens cut off the others. */
const HINTS = /^\s*(?:Enter:(?:send|queue)|Tab\/→:accept|Shift\+Tab:mode)\b|\bLogged in\b/u;
const TOP = /^\s*╭─+╮$/u;
/** It holds the model and the mode. */
const BOTTOM = /^\s*╰─.*─╯$/u;
const ROW = /^\s*│.*│$/u;
const INPUT_MARK = /^\s*❯(?: |$)/u;
const SCROLLBAR = / █$/u;

/** The edges of the box around the input line; null where something covers it. */
export const agentCInputBox = perView((view): Span | null => {
  const end = findLast(view, 2, BOTTOM);
  const start = end === null ? null : findLineUp(view, end - 1, view.start, TOP);
  if (start === null || end === null) return null;
  const rows = view.screen.lines.slice(start + 1, end);
  return rows.length > 0 && rows.every(({ text }) => ROW.test(text)) ? { start, end } : null;
});

/** Suggestions and completions of a draft are italic. */
export function readAgentCInput(view: View): Composer | null {
  const box = agentCInputBox(view);
  if (!box || findLine(view, { start: box.end, end: view.end }, HINTS) === null) return null;
  const lines = { start: box.start + 1, end: box.end };
  const mark = INPUT_MARK.exec(lineAt(view, lines.start))?.[0];
  const isScrolled = findLine(view, lines, SCROLLBAR) !== null;
  if (mark === undefined || isScrolled) return { line: lines.start, holds: "unclear" };
  return {
    line: lines.start,
    ...readTyped(view, lines, mark.length, ({ italic }) => italic === true),
  };
}
