interface BlankRun {
  readonly text: string;
  readonly isBlanked: boolean;
}

const SYNTAX = /[\\^$.*+?()[\]{}|/]/g;

/**
 * Splits a text where the words stand; a longer word wins over a shorter one inside it. The page
 * shows with it what the server will save.
 */
export function blankRuns(text: string, words: readonly string[]): BlankRun[] {
  const longest = words.filter((word) => word !== "").toSorted((a, b) => b.length - a.length);
  if (longest.length === 0) return text === "" ? [] : [{ text, isBlanked: false }];
  const pattern = longest.map((word) => word.replace(SYNTAX, "\\$&")).join("|");
  // With a capturing group, every second part of a split is a match.
  return text
    .split(new RegExp(`(${pattern})`, "u"))
    .map((run, i) => ({ text: run, isBlanked: i % 2 === 1 }))
    .filter((run) => run.text !== "");
}
