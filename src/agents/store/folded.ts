import { sha256 } from "../../lib/digest.ts";
const ASCII = /^[\0-\x7f]*$/;
const ACCENTS = /[\u0300-\u036f]+/g;

/** A text as a search compares it: without case and accents, each letter by itself. */
export function foldCase(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  const bare = text.normalize("NFD").replace(ACCENTS, "").toLowerCase();
  // The one letter whose lower case depends on where it stands.
  return bare.replaceAll("ς", "σ");
}

/**
 * The text for searching, only where SQLite's own `lower`, which knows ASCII alone, would say
 * something else.
 */
export function foldedOf(text: string): string | null {
  if (ASCII.test(text)) return null;
  const folded = foldCase(text);
  return folded === text.replace(/[A-Z]+/g, (ascii) => ascii.toLowerCase()) ? null : folded;
}

/** By which the same words of the same role are found again. */
export function digestOf(role: string, text: string): bigint {
  return sha256(`${role} ${text}`).readBigInt64BE();
}

/** Where a text first holds the words, whatever their case and accents; null where it does not. */
export function findFolded(text: string, words: string): { start: number; end: number } | null {
  const wanted = foldCase(words);
  if (ASCII.test(text)) {
    const start = text.toLowerCase().indexOf(wanted);
    return start < 0 ? null : { start, end: start + wanted.length };
  }
  let folded = "";
  // Of each unit of the folded text, where its letter begins in the text.
  const starts: number[] = [];
  let place = 0;
  for (const letter of text) {
    const bare = foldCase(letter);
    for (let unit = 0; unit < bare.length; unit++) starts.push(place);
    folded += bare;
    place += letter.length;
  }
  const at = folded.indexOf(wanted);
  const start = starts[at];
  const last = starts[at + wanted.length - 1];
  if (start === undefined || last === undefined) return null;
  // An accent that stands behind its letter is folded to nothing, and goes with it.
  const end = starts.find((each, index) => index >= at + wanted.length && each > last);
  return { start, end: end ?? text.length };
}
