import { blankRuns } from "../../src/protocol/blank.ts";

/** A piece of a line: a word that can be marked, one that is blanked out, or what lies between. */
export interface Piece {
  readonly kind: "word" | "blanked" | "between";
  /** As it is on the screen. */
  readonly text: string;
  /** Column of its first character, in UTF-16 units. */
  readonly start: number;
}

/** Words, names, paths, addresses, assignments: what one would blank out as a whole. */
const WORD = /[\p{L}\p{M}\p{N}_~@$%&#=:+./\\-]{1,500}/gu;
/** Punctuation of a sentence around a word is not part of it. */
const AROUND = /^[-:=&#+]+|[-:=&#+.]+$/gu;

/** A line cut into pieces, one after the other, with nothing left out. */
export function piecesOf(line: string, blanked: readonly string[]): readonly Piece[] {
  let start = 0;
  return blankRuns(line, blanked).flatMap((run) => {
    const from = start;
    start += run.text.length;
    if (run.isBlanked) return [{ kind: "blanked", text: run.text, start: from }];
    return wordsIn(run.text).map((piece) => ({ ...piece, start: from + piece.start }));
  });
}

/** What stands in place of a blanked word: as long as it, with its blanks. */
export const fillerOf = (text: string): string => text.replace(/\S/g, "x");

/** Every word that can be marked, once each. */
export function markable(lines: readonly string[]): readonly string[] {
  const words = lines.flatMap((line) => wordsIn(line).filter(({ kind }) => kind === "word"));
  return [...new Set(words.map(({ text }) => text))].toSorted();
}

function wordsIn(text: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  const between = (until: number) => {
    if (until > end) pieces.push({ kind: "between", text: text.slice(end, until), start: end });
  };
  for (const match of text.matchAll(WORD)) {
    const word = match[0].replace(AROUND, "");
    if (!/[\p{L}\p{N}]/u.test(word)) continue;
    const start = match.index + match[0].indexOf(word);
    between(start);
    pieces.push({ kind: "word", text: word, start });
    end = start + word.length;
  }
  between(text.length);
  return pieces;
}
