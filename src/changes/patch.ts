import type { DiffHunk, DiffLine, WordMark } from "../protocol/changes.ts";

/** Longer lines, which no person wrote, are cut. */
const MAX_LINE_CHARS = 2000;
/** Lines that came and went in one place are compared in pairs, unless it is a whole page. */
const MAX_PAIRS = 200;
/** Of words, in one file: some 20 ms, or a thousand lines. */
const MAX_COMPARISONS = 500_000;

interface PatchedFile {
  isBinary: boolean;
  hunks: DiffHunk[];
}

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/;

/** The files of a patch, in its order. What is no patch has none; nothing throws. */
export function parsePatch(text: string): PatchedFile[] {
  const files: PatchedFile[] = [];
  const patience = { comparisons: MAX_COMPARISONS };
  const lines = text.split("\n");
  for (let at = 0; at < lines.length;) {
    const line = lines[at++] ?? "";
    const file = files.at(-1);
    if (line.startsWith("diff --git ")) files.push({ isBinary: false, hunks: [] });
    else if (file && line.startsWith("Binary files ")) file.isBinary = true;
    else if (file && HUNK.test(line)) {
      const { hunk, end } = readHunk(lines, at);
      markPairs(hunk.lines, patience);
      file.hunks.push(hunk);
      at = end;
    }
  }
  return files;
}

/** As long as its head says: its lines may look like anything. */
function readHunk(lines: readonly string[], start: number): { hunk: DiffHunk; end: number } {
  const head = HUNK.exec(lines[start - 1] ?? "");
  let [old, now] = [Number(head?.[1]), Number(head?.[3])];
  const oldEnd = old + Number(head?.[2] ?? 1);
  const nowEnd = now + Number(head?.[4] ?? 1);
  const found: DiffLine[] = [];
  let at = start;
  for (; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const sign = line[0];
    const last = found.at(-1);
    if (sign === "\\" && last) last.no_newline = true;
    else if (old >= oldEnd && now >= nowEnd) break;
    else if (sign === "-") found.push(lineOf(line, old++, null));
    else if (sign === "+") found.push(lineOf(line, null, now++));
    else if (sign === " ") found.push(lineOf(line, old++, now++));
    else break;
  }
  return { hunk: { heading: head?.[5] ?? "", lines: found }, end: at };
}

function lineOf(line: string, old: number | null, now: number | null): DiffLine {
  return { old, new: now, text: cutLine(line.slice(1)), marks: [] };
}

export function cutLine(text: string): string {
  if (text.length <= MAX_LINE_CHARS) return text;
  return `${text
    .slice(0, MAX_LINE_CHARS)
    .toWellFormed()
    .replace(/\ufffd$/, "")}…`;
}

/** The first line that went with the first that came in its place, and so on. */
function markPairs(lines: readonly DiffLine[], patience: Patience): void {
  for (let at = 0; at < lines.length;) {
    const gone = runFrom(lines, at, (line) => line.new === null);
    const come = runFrom(lines, at + gone.length, (line) => line.old === null);
    const isCompared = gone.length <= MAX_PAIRS && come.length <= MAX_PAIRS;
    for (const [index, line] of isCompared ? gone.entries() : []) {
      const other = come[index];
      const marks = other && markWords(line.text, other.text, patience);
      if (!other || !marks) continue;
      line.marks = marks.before;
      other.marks = marks.after;
    }
    at += Math.max(1, gone.length + come.length);
  }
}

function runFrom(lines: readonly DiffLine[], start: number, holds: (line: DiffLine) => boolean) {
  let end = start;
  for (let line = lines[end]; line !== undefined && holds(line); line = lines[end]) end++;
  return lines.slice(start, end);
}

/** Lines that share less than this part of their words are another line each. */
const MIN_SHARED = 0.3;

const TOKENS = /[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu;

const WORD_COST = 10;

/** Comparisons of words that may still be made: everything else waits meanwhile. */
interface Patience {
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
