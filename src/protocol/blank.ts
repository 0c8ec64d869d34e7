/** A run of a text: as it is, or blanked out because of one of the words. */
export interface BlankRun {
  readonly text: string;
  readonly isBlanked: boolean;
}

/** The characters that have a meaning in a regular expression. */
const SYNTAX = /[\\^$.*+?()[\]{}|/]/g;

/**
 * A text as runs, each word marked wherever it stands; a longer word wins over one inside of it. The
 * page shows with it what the server will save.
 */
export function blankRuns(text: string, words: readonly string[]): BlankRun[] {
  const longest = words.filter((word) => word !== "").toSorted((a, b) => b.length - a.length);
  if (longest.length === 0) return text === "" ? [] : [{ text, isBlanked: false }];
  const pattern = longest.map((word) => word.replace(SYNTAX, "\\$&")).join("|");
  // A split by a captured pattern alternates between the text around it and the match.
  return text
    .split(new RegExp(`(${pattern})`, "u"))
    .map((run, i) => ({ text: run, isBlanked: i % 2 === 1 }))
    .filter((run) => run.text !== "");
}
