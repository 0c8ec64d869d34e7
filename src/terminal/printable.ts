/** What a multiplexer said, for a message in one line: without escape sequences and controls. */
export function printable(text: string): string {
  return Bun.stripANSI(text)
    .replace(/\p{Cc}+/gu, " ")
    .trim();
}
