import { sha256 } from "../../lib/digest.ts";

const ASCII = /^[\0-\x7f]*$/;
const ACCENT = /[\u0300-\u036f]/g;

/** Without case and accents. */
export function foldCase(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  const bare = text.normalize("NFD").replace(ACCENT, "").toLowerCase();
  // Sigma is the one letter whose lower case depends on its place in the word.
  return bare.replaceAll("ς", "σ");
}

/** Null where SQLite's own `lower`, which knows ASCII alone, gives the same. */
export function foldForSearch(text: string): string | null {
  if (ASCII.test(text)) return null;
  const folded = foldCase(text);
  return folded === text.replace(/[A-Z]+/g, (ascii) => ascii.toLowerCase()) ? null : folded;
}

/** Finds equal messages of one role. */
export function messageDigest(role: string, text: string): bigint {
  return sha256(`${role} ${text}`).readBigInt64BE();
}

/** Belongs to the letter before: other marks, and the vowel and the end of a Korean syllable. */
const REST_OF_LETTER = String.raw`[\p{M}\u1160-\u11ff]*`;

/** Matches in a decomposed text (NFD), whatever case and accents, and cuts no letter. */
export function searchPattern(words: string): RegExp {
  const letters = [...foldCase(words)].map((letter) => `${RegExp.escape(letter)}${ACCENT.source}*`);
  return new RegExp(letters.join("") + REST_OF_LETTER, "iu");
}
