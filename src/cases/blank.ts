import { blankRuns } from "../protocol/blank.ts";

/**
 * A text in which words are blanked out, each by a filler of the same length and the same columns,
 * so that everything else keeps its place.
 */
export function blankOut(text: string, words: readonly string[]): string {
  return blankRuns(text, words)
    .map((run) => (run.isBlanked ? [...run.text].map(fill).join("") : run.text))
    .join("");
}

/** Whitespace stays, so that lines still break where they did. */
function fill(char: string): string {
  if (/\s/u.test(char)) return char;
  const isWide = char.length === 1 && Bun.stringWidth(char) === 2;
  return isWide ? "ｘ" : "x".repeat(char.length);
}
