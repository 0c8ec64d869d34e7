import type { WordMark } from "../protocol/changes.ts";

/** Lines that share less than this part of their words are another line each. */
const MIN_SHARED = 0.3;

const TOKENS = /[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu;

/** Finding a word takes as long as comparing so many. */
const WORD_COST = 10;

/** Comparisons of words that may still be made: everything else waits meanwhile. */
export interface Patience {
  comparisons: number;
}

/**
 * What differs between a line and the one that takes its place, by whole words; null where they
 * have too little in common for that to say anything, or comparing them would take too long.
 */
export function markWords(
  before: string,
  after: string,
  patience: Patience,
): { before: WordMark[]; after: WordMark[] } | null {
  if (patience.comparisons < 0) return null;
  const old = before.match(TOKENS) ?? [];
  const now = after.match(TOKENS) ?? [];
  patience.comparisons -= WORD_COST * (old.length + now.length);
  const kept = shared(old, now, patience);
  if (kept === null) return null;
  const { inOld, inNow } = kept;
  const same = weight(old.filter((_, index) => inOld.has(index)));
  if (same < MIN_SHARED * Math.max(weight(old), weight(now))) return null;
  return { before: marksOf(old, inOld), after: marksOf(now, inNow) };
}

/** Places of a longest common sequence; most often only a few words in the middle differ. */
function shared(old: readonly string[], now: readonly string[], patience: Patience) {
  const most = Math.min(old.length, now.length);
  let head = 0;
  while (head < most && old[head] === now[head]) head++;
  let tail = 0;
  while (tail < most - head && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail++;
  const [oldEnd, nowEnd] = [old.length - tail, now.length - tail];
  const [height, width] = [oldEnd - head, nowEnd - head];
  patience.comparisons -= height * width;
  if (patience.comparisons < 0) return null;

  const inOld = new Set([...range(0, head), ...range(oldEnd, old.length)]);
  const inNow = new Set([...range(0, head), ...range(nowEnd, now.length)]);
  // Of what is left behind each pair of places.
  const lengths = new Uint16Array((height + 1) * (width + 1));
  const lengthAt = (i: number, j: number) => lengths[(i - head) * (width + 1) + j - head] ?? 0;
  for (let i = oldEnd - 1; i >= head; i--)
    for (let j = nowEnd - 1; j >= head; j--)
      lengths[(i - head) * (width + 1) + j - head] =
        old[i] === now[j]
          ? lengthAt(i + 1, j + 1) + 1
          : Math.max(lengthAt(i + 1, j), lengthAt(i, j + 1));
  for (let i = head, j = head; i < oldEnd && j < nowEnd;) {
    if (old[i] === now[j]) {
      inOld.add(i++);
      inNow.add(j++);
    } else if (lengthAt(i + 1, j) >= lengthAt(i, j + 1)) i++;
    else j++;
  }
  return { inOld, inNow };
}

function range(start: number, end: number): number[] {
  return Array.from({ length: end - start }, (_, index) => start + index);
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
