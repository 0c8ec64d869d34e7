import type { WordMark } from "../protocol/changes.ts";

/** Of each line; the longest lines of a person have fewer. */
const MAX_TOKENS = 300;
/** Lines that share less than this part of their words are another line each. */
const MIN_SHARED = 0.3;

const TOKENS = /[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu;

/**
 * What differs between a line and the one that takes its place, by whole words; null where they
 * have too little in common, or are too long, for that to say anything.
 */
export function markWords(
  before: string,
  after: string,
): { before: WordMark[]; after: WordMark[] } | null {
  const old = before.match(TOKENS) ?? [];
  const now = after.match(TOKENS) ?? [];
  if (old.length > MAX_TOKENS || now.length > MAX_TOKENS) return null;
  const { inOld, inNow } = shared(old, now);
  const kept = weight(old.filter((_, index) => inOld.has(index)));
  if (kept < MIN_SHARED * Math.max(weight(old), weight(now))) return null;
  return { before: marksOf(old, inOld), after: marksOf(now, inNow) };
}

/** Places of a longest common sequence. */
function shared(old: readonly string[], now: readonly string[]) {
  const width = now.length + 1;
  // Of what is left behind each pair of places.
  const lengths = new Uint16Array((old.length + 1) * width);
  const lengthAt = (i: number, j: number) => lengths[i * width + j] ?? 0;
  for (let i = old.length - 1; i >= 0; i--)
    for (let j = now.length - 1; j >= 0; j--)
      lengths[i * width + j] =
        old[i] === now[j]
          ? lengthAt(i + 1, j + 1) + 1
          : Math.max(lengthAt(i + 1, j), lengthAt(i, j + 1));
  const inOld = new Set<number>();
  const inNow = new Set<number>();
  for (let i = 0, j = 0; i < old.length && j < now.length;) {
    if (old[i] === now[j]) {
      inOld.add(i++);
      inNow.add(j++);
    } else if (lengthAt(i + 1, j) >= lengthAt(i, j + 1)) i++;
    else j++;
  }
  return { inOld, inNow };
}

function weight(tokens: readonly string[]): number {
  return tokens.reduce((sum, token) => sum + (/^\s/.test(token) ? 0 : token.length), 0);
}

function marksOf(tokens: readonly string[], kept: ReadonlySet<number>): WordMark[] {
  const marks: WordMark[] = [];
  let start = 0;
  for (const [index, { length }] of tokens.entries()) {
    const last = marks.at(-1);
    if (kept.has(index)) start += length;
    else {
      if (last && last.start + last.length === start) last.length += length;
      else marks.push({ start, length });
      start += length;
    }
  }
  return marks;
}
