import type { Pane } from "./pane.ts";

const MAX_CAPTURED_LINES = 6;

/**
 * What the person must see beside the question: the prompt's own evidence where the server tells it
 * (`pane_facts_v1`), else up to six captured lines directly above the question.
 */
export function excerptOf(pane: Pane): readonly string[] {
  if (pane.evidence.length > 0) return trimBlank(pane.evidence);
  if (pane.question === null) return pane.preview;
  const above = pane.lines.slice(0, questionIndex(pane.lines, pane.question));
  return trimBlank(above).slice(-MAX_CAPTURED_LINES);
}

/** Index of the last line where the question begins; all lines when it is not on the screen. */
function questionIndex(lines: readonly string[], question: string): number {
  const start = question.split("\n", 1)[0]?.trim().slice(0, 40) ?? "";
  if (start === "") return lines.length;
  for (let i = lines.length - 1; i >= 0; i--) if (lines[i]?.includes(start)) return i;
  return lines.length;
}

function trimBlank(lines: readonly string[]): readonly string[] {
  const first = lines.findIndex((line) => line.trim() !== "");
  const last = lines.findLastIndex((line) => line.trim() !== "");
  return first < 0 ? [] : lines.slice(first, last + 1);
}

export type LineTint = "add" | "del" | null;

/** Added and removed lines of a diff, recognised by the sign after the line number or at the start. */
export function tintOf(line: string): LineTint {
  const sign =
    /^[\s│|]*\d+\s+([+-])(?:\s|$)/.exec(line)?.[1] ?? /^([+-])(?![+-]{2}|\s*$)/.exec(line)?.[1];
  if (sign === undefined) return null;
  return sign === "+" ? "add" : "del";
}
