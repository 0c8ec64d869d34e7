import { sha256 } from "../../lib/digest.ts";

const ASCII = /^[\0-\x7f]*$/;
const ACCENT = /[\u0300-\u036f]/g;

/** A text as a search compares it: without case and accents, each letter by itself. */
export function foldCase(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  const bare = text.normalize("NFD").replace(ACCENT, "").toLowerCase();
  // The one letter whose lower case depends on where it stands.
  return bare.replaceAll("ς", "σ");
}

/**
 * The text for searching, only where SQLite's own `lower`, which knows ASCII alone, would say
 * something else.
 */
export function foldForSearch(text: string): string | null {
  if (ASCII.test(text)) return null;
  const folded = foldCase(text);
  return folded === text.replace(/[A-Z]+/g, (ascii) => ascii.toLowerCase()) ? null : folded;
}

/** By which the same words of the same role are found again. */
export function messageDigest(role: string, text: string): bigint {
  return sha256(`${role} ${text}`).readBigInt64BE();
}

/** What belongs to the letter before it: other marks, and the vowel and the end of a Korean syllable. */
const REST_OF_LETTER = String.raw`[\p{M}\u1160-\u11ff]*`;

/** Finds words in a text that is decomposed (NFD), whatever their case and accents; it cuts no letter. */
export function searchPattern(words: string): RegExp {
  const letters = [...foldCase(words)].map((letter) => `${RegExp.escape(letter)}${ACCENT.source}*`);
  return new RegExp(letters.join("") + REST_OF_LETTER, "iu");
}
