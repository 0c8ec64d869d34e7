/**
 * A text in which words are blanked out, each by a filler of the same length and the same columns,
 * so that everything else keeps its place. A longer word wins over one inside of it.
 */
export function blankOut(text: string, words: readonly string[]): string {
  const longest = words.filter((word) => word !== "").toSorted((a, b) => b.length - a.length);
  if (longest.length === 0) return text;
  const pattern = new RegExp(longest.map((word) => RegExp.escape(word)).join("|"), "gu");
  return text.replace(pattern, (word) => [...word].map(fill).join(""));
}

/** Blanks stay, so that lines still break where they did. */
function fill(char: string): string {
  if (/\s/u.test(char)) return char;
  const isWide = char.length === 1 && Bun.stringWidth(char) === 2;
  return isWide ? "ｘ" : "x".repeat(char.length);
}
