import type {
  ChangedStatus,
  Changes,
  DiffHunk,
  DiffLine,
  FileChanges,
} from "../../src/protocol/changes.ts";
import { cleanInput, visiblePieces, type Piece } from "./text.ts";

/** What a person says of one line, kept in this browser until it is sent. */
export interface Remark {
  readonly id: string;
  readonly path: string;
  readonly side: "old" | "new";
  readonly line: number;
  /** The line as it stood there. */
  readonly text: string;
  readonly words: string;
}

/** A remark is at most so long, and a message with all of them what a guarded pane takes. */
export const MAX_REMARK = 2000;
export const MAX_MESSAGE = 8000;

const LETTERS: Readonly<Record<ChangedStatus, string>> = {
  added: "A",
  modified: "M",
  deleted: "D",
  renamed: "R",
  retyped: "T",
  conflicted: "U",
  untracked: "N",
};
export const letterOf = (status: ChangedStatus): string => LETTERS[status];

/** `src/auth/session.ts` as its name and its folder; the folder of a file at the top is empty. */
export function partsOf(path: string): { readonly name: string; readonly folder: string } {
  const at = path.lastIndexOf("/") + 1;
  return { name: path.slice(at), folder: path.slice(0, Math.max(0, at - 1)) };
}

export const sideOf = ({ new: after }: DiffLine): Remark["side"] =>
  after === null ? "old" : "new";
export const numberOf = (line: DiffLine): number => line.new ?? line.old ?? 0;
export const isChange = ({ old: before, new: after }: DiffLine): boolean =>
  before === null || after === null;

/** Which line it is, for as long as its file stays as it is. */
export const keyOf = (line: DiffLine): string => `${sideOf(line)}${numberOf(line)}`;

export type DiffRow =
  | { readonly kind: "line"; readonly line: DiffLine }
  /** Unchanged lines that are left out, and where the next ones stand. */
  | { readonly kind: "gap"; readonly count: number; readonly heading: string };

/** The lines of all hunks, with what is left out before and between them. */
export function rowsOf(hunks: readonly DiffHunk[]): readonly DiffRow[] {
  let next = 1;
  return hunks.flatMap(({ heading, lines }): DiffRow[] => {
    const first = lines.find((line) => line.new !== null)?.new ?? next;
    const count = Math.max(0, first - next);
    next = (lines.findLast((line) => line.new !== null)?.new ?? next - 1) + 1;
    const rows = lines.map((line): DiffRow => ({ kind: "line", line }));
    return count === 0 && heading === "" ? rows : [{ kind: "gap", count, heading }, ...rows];
  });
}

/** Text of a line: what differs from the line before it is marked, hidden characters are drawn. */
export function markedPieces({
  text,
  marks,
}: DiffLine): readonly { readonly isMarked: boolean; readonly pieces: readonly Piece[] }[] {
  let at = 0;
  const parts = marks.flatMap(({ start, length }) => {
    const plain = text.slice(at, start);
    at = start + length;
    return [
      { isMarked: false, text: plain },
      { isMarked: true, text: text.slice(start, at) },
    ];
  });
  return [...parts, { isMarked: false, text: text.slice(at) }]
    .filter((part) => part.text !== "")
    .map(({ isMarked, text: shown }) => ({ isMarked, pieces: visiblePieces(shown) }));
}

/** The remarks of a file by the line that they stand at, and those whose line has changed. */
export function placed(
  file: FileChanges,
  remarks: readonly Remark[],
): { readonly at: ReadonlyMap<string, readonly Remark[]>; readonly astray: readonly Remark[] } {
  const lines = new Map(
    file.hunks.flatMap((hunk) => hunk.lines.map((line) => [keyOf(line), line.text] as const)),
  );
  const own = remarks.filter(({ path }) => path === file.path);
  const isThere = ({ side, line, text }: Remark) => lines.get(`${side}${line}`) === text;
  return {
    at: Map.groupBy(own.filter(isThere), ({ side, line }) => `${side}${line}`),
    astray: own.filter((remark) => !isThere(remark)),
  };
}

/**
 * What a file says is nobody's command: no controls, one line each, and no `@` that begins a word,
 * since an agent reads the file that it names, unasked.
 */
const inOneLine = (text: string): string =>
  cleanInput(text)
    .text.replaceAll("\n", " ")
    .trim()
    .replace(/(?<![\p{L}\p{N}])@(?!\s)/gu, "＠");

/** One message of all remarks: for each its place, the line and what is said. */
export const remarksMessage = (remarks: readonly Remark[]): string =>
  remarks
    .map(({ path, side, line, text, words }) => {
      // A name that begins like a command of an agent (!, /, #, @) must not be one.
      const name = inOneLine(path).replace(/^(?![\p{L}\p{N}._])/u, "./");
      const place = `${name}:${line}${side === "old" ? " (removed)" : ""}`;
      return `${place}\n> ${inOneLine(text)}\n${cleanInput(words).text.trim()}`;
    })
    .join("\n\n");

/** In the order of the files and their lines; those of files that did not change come last. */
export function sortedRemarks(
  remarks: readonly Remark[],
  files: Changes["files"],
): readonly Remark[] {
  const at = new Map(files.map(({ path }, i) => [path, i]));
  const placeOf = ({ path }: Remark) => at.get(path) ?? files.length;
  return remarks.toSorted((a, b) => placeOf(a) - placeOf(b) || a.line - b.line);
}
