/** Without case and accents. */
export function foldText(text: string): string {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}

export const searchWords = (query: string): readonly string[] =>
  foldText(query).split(/\s+/).filter(Boolean);

/**
 * 0 is best; null where a word is missing. The start of the first text ranks before the start of a
 * word in it, and that before any other place.
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

/** Splits a text at the matches. A letter that folds to several stays whole. */
export function markMatches(text: string, words: readonly string[]) {
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
  const parts: { text: string; isMatch: boolean }[] = [];
  for (const [index, letter] of letters.entries()) {
    const isMatch = found.has(index);
    const last = parts.at(-1);
    if (last?.isMatch === isMatch) last.text += letter;
    else parts.push({ text: letter, isMatch });
  }
  return parts;
}
