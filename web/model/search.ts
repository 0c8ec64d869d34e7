import { foldText } from "./text.ts";

/** A part of a text, and whether the search has found it. */
export interface Part {
  readonly text: string;
  readonly isFound: boolean;
}

/** What is searched for, word by word, without case and accents. */
export const searchWords = (query: string): readonly string[] =>
  foldText(query).split(/\s+/).filter(Boolean);

/**
 * How well all words are found in the texts: 0 is best, null when one is missing. A word at the
 * start of the first text beats one at the start of a part of it, which beats any other place.
 */
export function rankMatch(words: readonly string[], texts: readonly string[]): number | null {
  const folded = texts.map(foldText);
  let rank = 0;
  for (const word of words) {
    const at = folded.findIndex((text) => text.includes(word));
    if (at < 0) return null;
    const text = folded[at] ?? "";
    rank += at * 3 + placeRank(text, word);
  }
  return rank;
}

function placeRank(text: string, word: string): number {
  const at = text.indexOf(word);
  if (at === 0) return 0;
  return /[\p{L}\p{N}]/u.test(text[at - 1] ?? "") ? 2 : 1;
}

/** The text in parts, the found words marked. Letters that fold to several are not taken apart. */
export function markFound(text: string, words: readonly string[]): readonly Part[] {
  const letters = [...text];
  const folded: { readonly letter: string; readonly index: number }[] = [];
  for (const [index, letter] of letters.entries())
    for (const part of foldText(letter)) folded.push({ letter: part, index });
  const flat = folded.map(({ letter }) => letter);
  const found = new Set<number>();
  for (const word of words) {
    const sought = [...word];
    const at = flat.findIndex((_, i) => sought.every((letter, j) => flat[i + j] === letter));
    if (at < 0) continue;
    for (const { index } of folded.slice(at, at + sought.length)) found.add(index);
  }
  const parts: { text: string; isFound: boolean }[] = [];
  for (const [index, letter] of letters.entries()) {
    const isFound = found.has(index);
    const last = parts.at(-1);
    if (last?.isFound === isFound) last.text += letter;
    else parts.push({ text: letter, isFound });
  }
  return parts;
}

export interface Marked {
  readonly text: string;
  readonly isHit: boolean;
}

/** A text in parts: those that the search fits, as the server compares them, and what is between. */
export function markHits(text: string, search: string): readonly Marked[] {
  if (search === "") return [{ text, isHit: false }];
  const parts: Marked[] = [];
  let from = 0;
  for (const { 0: found, index } of text.matchAll(patternOf(search))) {
    if (index > from) parts.push({ text: text.slice(from, index), isHit: false });
    parts.push({ text: found, isHit: true });
    from = index + found.length;
  }
  if (from < text.length) parts.push({ text: text.slice(from), isHit: false });
  return parts;
}

const BEFORE = 60;
const BEHIND = 160;

/** What stands around the first hit of a longer text, in one line. */
export function excerptAround(text: string, search: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  const first = search === "" ? 0 : Math.max(0, line.search(patternOf(search)));
  const from = first <= BEFORE ? 0 : first - BEFORE;
  const until = Math.min(line.length, first + search.length + BEHIND);
  return `${from > 0 ? "…" : ""}${line.slice(from, until).toWellFormed()}${until < line.length ? "…" : ""}`;
}

const patternOf = (search: string): RegExp =>
  new RegExp(search.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"), "giu");
