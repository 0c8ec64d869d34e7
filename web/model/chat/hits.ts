export interface Marked {
  readonly text: string;
  readonly isHit: boolean;
}

/** A text in parts: those that the search fits, as the server compares them, and what is between. */
export function markHits(text: string, search: string): readonly Marked[] {
  if (search === "") return [{ text, isHit: false }];
  const parts: Marked[] = [];
  let from = 0;
  for (const { 0: found, index } of text.matchAll(patternOf(search))) {
    if (index > from) parts.push({ text: text.slice(from, index), isHit: false });
    parts.push({ text: found, isHit: true });
    from = index + found.length;
  }
  if (from < text.length) parts.push({ text: text.slice(from), isHit: false });
  return parts;
}

const BEFORE = 60;
const BEHIND = 160;

/** What stands around the first hit of a longer text, in one line. */
export function excerptAround(text: string, search: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  const first = search === "" ? 0 : Math.max(0, line.search(patternOf(search)));
  const from = first <= BEFORE ? 0 : first - BEFORE;
  const until = Math.min(line.length, first + search.length + BEHIND);
  return `${from > 0 ? "…" : ""}${line.slice(from, until).toWellFormed()}${until < line.length ? "…" : ""}`;
}

const patternOf = (search: string): RegExp =>
  new RegExp(search.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"), "giu");
