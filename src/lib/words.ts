/** Quotes a text as one word of a POSIX shell, where it needs quoting. */
export function quoteWord(text: string): string {
  if (/^[A-Za-z0-9_@%+=:,./-]+$/.test(text)) return text;
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Replaces `@NAME@` by the value of that name. */
export function fillTemplate(text: string, facts: Readonly<Record<string, string>>): string {
  return text.replace(/@([A-Z]+)@/g, (place, name) => facts[name] ?? place);
}

/** Parts of a word: an escape, single or double quotes, an unclosed quote, any other character. */
const PART = /\\([^]?)|'([^']*)'|"((?:\\[^]|[^"\\])*)"|(["'])|[^\s\\]/g;
const WORD = /(?:\\[^]?|'[^']*'|"(?:\\[^]|[^"\\])*"|\S)+/g;

/**
 * Splits a command line into words by a POSIX shell's quoting: blanks separate, quotes group, a
 * backslash keeps the next character. Nothing is expanded. Null when a quote has no end.
 */
export function splitWords(line: string): string[] | null {
  let isOpen = false;
  const words = [...line.matchAll(WORD)].map(([word]) =>
    word.replace(PART, (part, escaped, single, double, open) => {
      isOpen ||= open !== undefined;
      return escaped ?? single ?? double?.replace(/\\(["\\])/g, "$1") ?? part;
    }),
  );
  return isOpen ? null : words;
}

const MAX_TYPOS = 3;

/** " (did you mean X?)" with the nearest known word, or "". */
export function didYouMean(word: string, known: Iterable<string>): string {
  const limit = Math.min(MAX_TYPOS, Math.ceil(word.length / 3));
  let best: { candidate: string; typos: number } | null = null;
  for (const candidate of known) {
    if (Math.abs(candidate.length - word.length) > limit) continue;
    const typos = distance(word.toLowerCase(), candidate);
    if (typos <= limit && (best === null || typos < best.typos)) best = { candidate, typos };
  }
  return best ? ` (did you mean ${best.candidate}?)` : "";
}

function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

/** One line without escape sequences and controls: what a program printed, for a message. */
export function stripControls(text: string): string {
  return blankControls(text).trim();
}

/**
 * Also without characters that make a terminal show a text in another order than it has. Of a sequence
 * of another kind than colours the words stay: one without an end would hide all that follows.
 */
export function blankControls(text: string): string {
  const plain = text.replace(/\u001b\[[0-?]*[ -/]*[@-~]/g, "");
  return plain.replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu, " ");
}

/** At most `limit` characters, an ellipsis for what is left out; no half character at the end. */
export function cutText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const head = text.slice(0, limit - 1);
  return `${/[\ud800-\udbff]$/.test(head) ? head.slice(0, -1) : head}…`;
}

const MAX_SHOWN_CHARS = 80;

/** A refused value for a message: bounded, and never the content of a list or an object. */
export function describeValue(raw: unknown): string {
  if (typeof raw === "object" && raw !== null) return Array.isArray(raw) ? "a list" : "an object";
  const value = String(raw);
  return cutText(value, MAX_SHOWN_CHARS);
}
