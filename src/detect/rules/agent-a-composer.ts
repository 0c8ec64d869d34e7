import type { Composer } from "../finding.ts";
import { cursorRow } from "../menu.ts";
import { lineAt, perView, ruleAt, styleAt, type View } from "../region.ts";
import { readTyped } from "../typed-text.ts";
import { footerLine } from "./agent-a-footer.ts";

const MAX_DRAFT_LINES = 60;
const MAX_LINES_BELOW_COMPOSER = 40;

/** The input line in its place: between two rules, with only hints or a completion list below. */
export interface InputLine {
  top: number;
  bottom: number;
  /** A draft, or a placeholder. */
  text: string;
  /** Seen by its style: the cursor stands on its first character, the rest is dim. */
  isPlaceholder: boolean;
}

export const readComposer = perView((view): InputLine | null => {
  const rules = rulesFromBelow(view);
  const [bottom, top] = rules;
  if (bottom === undefined || top === undefined) return null;
  if (view.end - bottom > MAX_LINES_BELOW_COMPOSER || bottom - top > MAX_DRAFT_LINES) return null;
  // Of a draft that is scrolled the first line is out of sight, and its rule says so.
  const isScrolled = /^─+ ↑ \d+ more ─/u.test(lineAt(view, top));
  const prompted = isScrolled ? /^(.*)$/u : /^\s{0,3}[❯>!#&](?:\s+(.*))?$/u;
  const first = prompted.exec(lineAt(view, top + 1));
  if (!first) return null;
  if (hasDialogBelow(view, bottom)) return null;
  const rest = view.lines.slice(top + 2, bottom).map((line) => line.trim());
  const text = [first[1] ?? "", ...rest].join("\n").trim();
  const second = lineAt(view, top + 1).length - (first[1] ?? "").length + 1;
  const isPlaceholder = styleAt(view.screen.lines[top + 1], second).dim === true;
  return { top, bottom, text, isPlaceholder };
});

/** A person's own status line may look like anything, a shell's prompt included. */
function hasDialogBelow(view: View, bottom: number): boolean {
  const isAsking = footerLine(view, "takes") !== null;
  for (let i = bottom + 1; i < view.end; i++) {
    const cursor = cursorRow(lineAt(view, i), "❯");
    if (cursor && (isAsking || /^\d{1,2}\. /.test(cursor.text))) return true;
  }
  return false;
}

/** The last two solid rules, the lowest first. */
function rulesFromBelow(view: View): number[] {
  const found: number[] = [];
  const least = Math.max(view.start, view.end - MAX_LINES_BELOW_COMPOSER - MAX_DRAFT_LINES);
  for (let i = view.end - 1; i >= least && found.length < 2; i--)
    if (ruleAt(view, i) === "solid") found.push(i);
  return found;
}

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
