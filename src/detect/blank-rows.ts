import type { Place } from "./cursor-place.ts";
import type { Composer, Finding, DetectInput, Prompt } from "./finding.ts";
import type { Screen, ScreenLine } from "./screen.ts";

/**
 * Blank rows in a row that are looked at; no program sets parts of a dialog further apart. Panes
 * may be a thousand rows high, with a dialog at the top and a status panel at the bottom.
 */
const MAX_BLANK_ROWS = 40;

/** A screen without the rest of its long blank stretches, and where its lines were. */
export interface Folded {
  input: DetectInput;
  /** Index in the whole screen of a line of the folded one. */
  lineOf(index: number): number;
  /** The same the other way; the next line that is left where it is not. */
  foldedLineOf(index: number): number;
}

export function foldBlankRows(input: DetectInput): Folded {
  const { lines } = input.screen;
  const kept = keptRows(lines);
  if (kept === null) return { input, lineOf: same, foldedLineOf: same };
  const screen: Screen = { lines: kept.flatMap((index) => lines[index] ?? []) };
  return {
    input: { ...input, screen },
    lineOf: (index) => kept[index] ?? lines.length,
    foldedLineOf: (index) => {
      const at = kept.findIndex((line) => line >= index);
      return at < 0 ? kept.length + Math.max(0, index - lines.length) : at;
    },
  };
}

const same = (index: number) => index;

/** Indexes of the lines that stay, or null where all do. */
function keptRows(lines: readonly ScreenLine[]): number[] | null {
  if (!hasLongGap(lines)) return null;
  const kept: number[] = [];
  let blank = 0;
  for (const [index, { text }] of lines.entries()) {
    blank = text === "" ? blank + 1 : 0;
    if (blank <= MAX_BLANK_ROWS) kept.push(index);
  }
  return kept;
}

function hasLongGap(lines: readonly ScreenLine[]): boolean {
  if (lines.length <= MAX_BLANK_ROWS) return false;
  let blank = 0;
  for (const { text } of lines) {
    blank = text === "" ? blank + 1 : 0;
    if (blank > MAX_BLANK_ROWS) return true;
  }
  return false;
}

/** A finding of the folded screen, as one of the whole. */
export function unfoldFinding(finding: Finding, { lineOf }: Folded): Finding {
  const lineOrNull = (line: number | null) => (line === null ? null : lineOf(line));
  const { rule, start, end } = finding.region;
  return {
    ...finding,
    line: lineOrNull(finding.line),
    prompt: finding.prompt && unfoldPrompt(finding.prompt, lineOf),
    region: { rule, start: lineOf(start), end: end === 0 ? 0 : lineOf(end - 1) + 1 },
    ruledOut: finding.ruledOut.map((trace) => ({
      ...trace,
      line_index: lineOrNull(trace.line_index),
    })),
  };
}

export function foldPlace({ top, cursor }: Place, { foldedLineOf }: Folded): Place {
  return {
    top: foldedLineOf(top),
    cursor: cursor && { ...cursor, line: foldedLineOf(cursor.line) },
  };
}

function unfoldPrompt(prompt: Prompt, lineOf: Folded["lineOf"]): Prompt {
  return { ...prompt, questionLine: lineOf(prompt.questionLine) };
}

export function unfoldComposer(composer: Composer, { lineOf }: Folded): Composer {
  return { ...composer, line: lineOf(composer.line) };
}
