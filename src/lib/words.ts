/**
 * Splits a command line into words as a POSIX shell's quoting would: blanks separate, quotes group,
 * a backslash keeps the next character. Nothing is expanded. Null when a quote has no end.
 */
export function splitWords(line: string): string[] | null {
  const words: string[] = [];
  let word: string | null = null;
  let quote: string | null = null;
  for (let i = 0; i < line.length; i++) {
    const char = line.charAt(i);
    if (char === "\\" && quote !== "'") {
      const next = line.charAt(++i);
      const isEscape = quote === null || next === '"' || next === "\\";
      word = (word ?? "") + (isEscape ? next : char + next);
    } else if (quote !== null) {
      if (char === quote) quote = null;
      else word = (word ?? "") + char;
    } else if (char === '"' || char === "'") {
      quote = char;
      word ??= "";
    } else if (/\s/.test(char)) {
      if (word !== null) words.push(word);
      word = null;
    } else {
      word = (word ?? "") + char;
    }
  }
  if (quote !== null) return null;
  if (word !== null) words.push(word);
  return words;
}
