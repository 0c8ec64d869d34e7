import type { Composer } from "../finding.ts";
import { cursorRow } from "../menu.ts";
import { findLineUp, lastLines, lineAt, perView, ruleAt, styleAt, type View } from "../region.ts";
import { fold } from "../text.ts";
import { readTyped } from "../typed-text.ts";

const MAX_DRAFT_LINES = 60;
const MAX_LINES_BELOW_COMPOSER = 40;

/** The input line in its place: between two rules, with only hints or a completion list below. */
export interface InputLine {
  top: number;
  bottom: number;
  /** A draft, or a placeholder. */
  text: string;
  /** The cursor stands on its first character, and the rest is dim. */
  isPlaceholder: boolean;
}

export const readComposer = perView((view): InputLine | null => {
  const isRule = (_: string, i: number) => ruleAt(view, i) === "solid";
  const bottom = findLineUp(view, view.end, view.end - MAX_LINES_BELOW_COMPOSER, isRule);
  if (bottom === null) return null;
  const top = findLineUp(view, bottom - 1, bottom - MAX_DRAFT_LINES, isRule);
  if (top === null) return null;
  // Where a draft is scrolled, its first line is out of sight.
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

/** A person's own status line may look like anything: only a row with a cursor proves a dialog. */
function hasDialogBelow(view: View, bottom: number): boolean {
  const isAsking = footerLine(view, "takes") !== null;
  for (let i = bottom + 1; i < view.end; i++) {
    const cursor = cursorRow(lineAt(view, i), "❯");
    if (cursor && (isAsking || /^\d{1,2}\. /.test(cursor.text))) return true;
  }
  return false;
}

/** The field in which a session is answered from the list; a digit only fills it. */
export const ANSWER_FIELD = /❯ press 1-\d\b/u;

/**
 * The list of sessions in the background: its input line begins another session. Its hints are drawn
 * last.
 */
export function isSessionList(view: View): boolean {
  const hasHint = /^\s*enter to (?:open|return|create|send)\b/.test(lineAt(view, view.end - 1));
  return hasHint || lastLines(view, 2).some((i) => ANSWER_FIELD.test(lineAt(view, i)));
}

/** Other marks begin a shell command, a note to remember, a task in the background. */
const INPUT_MARK = /^\s{0,3}[❯>](?:\s|$)/u;

/** Null where a dialog, the transcript or the list of sessions covers the input line. */
export function readAgentAInput(view: View): Composer | null {
  const composer = isSessionList(view) ? null : readComposer(view);
  if (!composer) return null;
  const line = composer.top + 1;
  const mark = INPUT_MARK.exec(lineAt(view, line))?.[0];
  if (mark === undefined || /↑ \d+ more/u.test(lineAt(view, composer.top)))
    return { line, holds: "unclear" };
  return { line, ...readTyped(view, { start: line, end: composer.bottom }, mark.length) };
}

const CONFIRMS =
  /\b(?:enter|return) to (?:confirm|select|submit|save|continue|approve)\b|\bpress enter\b/i;

const FOOTERS = {
  confirms: CONFIRMS,
  takes: new RegExp(
    `${CONFIRMS.source}|\\besc(?:ape)? to (?:cancel|exit|go back|close|reject)\\b`,
    "i",
  ),
  /** Of a panel without anything to choose. */
  closes: /\besc to (?:close|go back)\b/i,
  /** Of a search in old prompts, whose result goes into the input line. */
  uses: /\benter to use\b/i,
};

/** The footer with this hint. Footers wrap: each line is read with the one below it. */
export function footerLine(view: View, does: keyof typeof FOOTERS): number | null {
  return footers(view).find(({ text }) => FOOTERS[does].test(text))?.line ?? null;
}

const FOOTER_KEY = /enter|return|esc/i;

const footers = perView((view) => {
  const near = lastLines(view, 4);
  const isNamed = (line: number) => FOOTER_KEY.test(lineAt(view, line));
  return near
    .filter((line) => isNamed(line) || isNamed(line + 1))
    .map((line) => ({ line, text: fold(`${lineAt(view, line)} ${lineAt(view, line + 1)}`) }));
});
