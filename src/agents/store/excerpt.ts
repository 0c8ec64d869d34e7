import { findFolded } from "./folded.ts";

const BEFORE_CHARS = 80;
const AFTER_CHARS = 160;
/** A word that was cut in two is left out, unless it is longer than a word. */
const MAX_WORD_CHARS = 24;

/** The first place of the words in a text, with some of what stands around it, in one line. */
export interface Excerpt {
  before: string;
  match: string;
  after: string;
}

/** @param words what the text holds, whatever their case and accents */
export function excerptOf(text: string, words: string): Excerpt {
  const { start, end } = findFolded(text, words) ?? { start: 0, end: 0 };
  return {
    before: beforeOf(text, start),
    match: inLine(text.slice(start, end)),
    after: afterOf(text, end),
  };
}

function beforeOf(text: string, end: number): string {
  const start = end - BEFORE_CHARS;
  if (start <= 0) return inLine(text.slice(0, end)).trimStart();
  const cut = new RegExp(`^\\S{0,${MAX_WORD_CHARS}}\\s+`);
  return `… ${inLine(text.slice(start, end).replace(cut, ""))}`;
}

function afterOf(text: string, start: number): string {
  const end = start + AFTER_CHARS;
  if (end >= text.length) return inLine(text.slice(start)).trimEnd();
  const cut = new RegExp(`\\s+\\S{0,${MAX_WORD_CHARS}}$`);
  return `${inLine(text.slice(start, end).replace(cut, ""))} …`;
}

/** A cut through a character of two units leaves half of one. */
function inLine(text: string): string {
  return text
    .toWellFormed()
    .replace(/^\ufffd|\ufffd$/g, "")
    .replace(/\s+/g, " ");
}
