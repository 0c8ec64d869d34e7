/** Quotes a text as one word of a POSIX shell, where it needs quoting. */
export function quoteWord(text: string): string {
  if (/^[A-Za-z0-9_@%+=:,./-]+$/.test(text)) return text;
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
