import { blankRuns } from "../../src/protocol/blank.ts";

/** A text as the server will save it: of what is blanked out only its length and its blanks stay. */
export const blankedText = (text: string, words: readonly string[]): string =>
  blankRuns(text, words)
    .map((run) => (run.isBlanked ? run.text.replace(/\S/g, "x") : run.text))
    .join("");

/** One word or path a line. */
export const wordsOf = (written: string): string[] => [
  ...new Set(
    written
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line !== ""),
  ),
];
