/**
 * Undefined for anything but JSON. The parser's message is dropped: it quotes the text, which must
 * not reach a log.
 */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A line of JSON that a terminal may show too: what acts on it or reorders its text is escaped. */
export function printedJson(value: unknown, indent = 0): string {
  const escape = (one: string) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`;
  const text = JSON.stringify(value, null, indent);
  return `${text.replace(/[\u007f-\u009f\p{Bidi_Control}]/gu, escape)}\n`;
}

/** The same text for equal plain values, in whatever order their members are. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) =>
    isObject(item)
      ? Object.fromEntries(Object.entries(item).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  );
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
