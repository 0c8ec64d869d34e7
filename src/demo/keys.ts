const KEYS: Readonly<Record<string, string>> = {
  "\r": "Enter",
  "\n": "Enter",
  "\x1b": "Escape",
  "\x7f": "Backspace",
  "\x15": "Clear",
  "\t": "Tab",
  "\x1b[A": "Up",
  "\x1bOA": "Up",
  "\x1b[B": "Down",
  "\x1bOB": "Down",
};

/** What one read holds: named keys, else single characters. A line break of a paste is `\n`. */
export function keysOf(chunk: string): string[] {
  const found = chunk.matchAll(/\x1b\[200~([^]*?)\x1b\[201~|\x1b[[O][A-Z]|[^]/gu);
  return [...found].flatMap(([key, pasted]) =>
    pasted === undefined ? [KEYS[key] ?? key] : [...pasted.replace(/\r\n?/g, "\n")],
  );
}
