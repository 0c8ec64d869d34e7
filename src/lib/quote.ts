/** A text as one word of a POSIX shell, quoted only where that is needed. */
export function quoteWord(text: string): string {
  if (/^[A-Za-z0-9_@%+=:,./-]+$/.test(text)) return text;
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
