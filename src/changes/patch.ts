import type { DiffHunk, DiffLine } from "../protocol/changes.ts";
import { markWords, type Patience } from "./words.ts";

/** Longer lines, which no person wrote, are cut. */
const MAX_LINE_CHARS = 2000;
/** Lines that came and went in one place are compared in pairs, unless it is a whole page. */
const MAX_PAIRS = 200;
/** Of words, in one file: some 20 ms, or a thousand lines. */
const MAX_COMPARISONS = 500_000;

export interface PatchedFile {
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
  return { old, new: now, text: cut(line.slice(1)), marks: [] };
}

export function cut(text: string): string {
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
