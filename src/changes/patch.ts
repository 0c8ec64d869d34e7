import { cutText } from "../lib/words.ts";
import type { DiffHunk, DiffLine, WordMark } from "../protocol/changes.ts";

/** With the ellipsis of longer lines, which no person wrote. */
const MAX_LINE_CHARS = 2001;

interface PatchedFile {
  isBinary: boolean;
  hunks: DiffHunk[];
}

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/;

/** The files of a patch, in its order; none in other text. */
export function parsePatch(text: string): PatchedFile[] {
  const files: PatchedFile[] = [];
  const lines = text.split("\n");
  for (let at = 0; at < lines.length;) {
    const line = lines[at++] ?? "";
    const file = files.at(-1);
    if (line.startsWith("diff --git ")) files.push({ isBinary: false, hunks: [] });
    else if (file && line.startsWith("Binary files ")) file.isBinary = true;
    else if (file && HUNK.test(line)) {
      const { hunk, end } = readHunk(lines, at);
      markPairs(hunk.lines);
      file.hunks.push(hunk);
      at = end;
    }
  }
  return files;
}

/** The head tells the length of a hunk, since its lines may look like anything. */
function readHunk(lines: readonly string[], start: number): { hunk: DiffHunk; end: number } {
  const head = HUNK.exec(lines[start - 1] ?? "");
  let [old, now] = [Number(head?.[1]), Number(head?.[3])];
  const oldEnd = old + Number(head?.[2] ?? 1);
  const nowEnd = now + Number(head?.[4] ?? 1);
  const hunkLines: DiffLine[] = [];
  let at = start;
  for (; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const sign = line[0];
    const last = hunkLines.at(-1);
    if (sign === "\\" && last) last.no_newline = true;
    else if (old >= oldEnd && now >= nowEnd) break;
    else if (sign === "-") hunkLines.push(lineOf(line, old++, null));
    else if (sign === "+") hunkLines.push(lineOf(line, null, now++));
    else if (sign === " ") hunkLines.push(lineOf(line, old++, now++));
    else break;
  }
  return { hunk: { heading: head?.[5] ?? "", lines: hunkLines }, end: at };
}

function lineOf(line: string, old: number | null, now: number | null): DiffLine {
  return { old, new: now, text: cutLine(line.slice(1)), marks: [] };
}

export const cutLine = (text: string): string => cutText(text, MAX_LINE_CHARS);

/** Pairs the first removed line with the first added one, and so on. */
function markPairs(lines: readonly DiffLine[]): void {
  for (let at = 0; at < lines.length;) {
    const removed = runFrom(lines, at, (line) => line.new === null);
    const added = runFrom(lines, at + removed.length, (line) => line.old === null);
    for (const [index, line] of removed.entries()) {
      const other = added[index];
      const marks = other && markWords(line.text, other.text);
      if (!other || !marks) continue;
      line.marks = marks.before;
      other.marks = marks.after;
    }
    at += Math.max(1, removed.length + added.length);
  }
}

function runFrom(lines: readonly DiffLine[], start: number, holds: (line: DiffLine) => boolean) {
  let end = start;
  for (let line = lines[end]; line !== undefined && holds(line); line = lines[end]) end++;
  return lines.slice(start, end);
}

/** Two lines that share a smaller part of their words are not versions of one line. */
const MIN_SHARED = 0.3;

const TOKENS = /[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu;

/**
 * The differing part of a line and of the one that replaces it: the words between a common beginning
 * and a common end; null where these are too short.
 */
export function markWords(
  before: string,
  after: string,
): { before: WordMark[]; after: WordMark[] } | null {
  const old = before.match(TOKENS) ?? [];
  const now = after.match(TOKENS) ?? [];
  const most = Math.min(old.length, now.length);
  let head = 0;
  while (head < most && old[head] === now[head]) head++;
  let tail = 0;
  while (tail < most - head && old.at(-1 - tail) === now.at(-1 - tail)) tail++;
  const same = weight(old.slice(0, head)) + weight(old.slice(old.length - tail));
  if (same < MIN_SHARED * Math.max(weight(old), weight(now))) return null;
  const marksIn = (words: readonly string[]): WordMark[] => {
    const start = words.slice(0, head).join("").length;
    const { length } = words.slice(head, words.length - tail).join("");
    return length === 0 ? [] : [{ start, length }];
  };
  return { before: marksIn(old), after: marksIn(now) };
}

/** Letters that are no white space. */
function weight(words: readonly string[]): number {
  return words.reduce((sum, word) => sum + word.trim().length, 0);
}
