import type { ChangedFile, DiffHunk, DiffLine, FileChanges } from "../../src/protocol/changes.ts";
import type { Remark } from "./drafts.ts";

/** Name and folder of a path; the folder of a file at the top is "". */
export function splitPath(path: string): { readonly name: string; readonly folder: string } {
  const at = path.lastIndexOf("/") + 1;
  return { name: path.slice(at), folder: path.slice(0, Math.max(0, at - 1)) };
}

export const lineSide = ({ new: after }: DiffLine): Remark["side"] =>
  after === null ? "old" : "new";
export const lineNumber = (line: DiffLine): number => line.new ?? line.old ?? 0;
export const isChange = ({ old: before, new: after }: DiffLine): boolean =>
  before === null || after === null;

/** Identifies a line while its file does not change. */
export const lineKey = (line: DiffLine): string => `${lineSide(line)}${lineNumber(line)}`;

type DiffRow =
  | { readonly kind: "line"; readonly line: DiffLine }
  /** Unchanged lines that the diff leaves out; `heading` is that of the next hunk. */
  | { readonly kind: "gap"; readonly count: number; readonly heading: string };

/** All lines, with a gap before each hunk that does not follow the one before. */
export function hunkRows(hunks: readonly DiffHunk[]): readonly DiffRow[] {
  let next = 1;
  return hunks.flatMap(({ heading, lines }): DiffRow[] => {
    const first = lines.find((line) => line.new !== null)?.new ?? next;
    const count = Math.max(0, first - next);
    next = (lines.findLast((line) => line.new !== null)?.new ?? next - 1) + 1;
    const rows = lines.map((line): DiffRow => ({ kind: "line", line }));
    return count === 0 && heading === "" ? rows : [{ kind: "gap", count, heading }, ...rows];
  });
}

/** The text of a line, split at what differs from the line that it replaced. */
export function markedParts({
  text,
  marks,
}: DiffLine): readonly { readonly isMarked: boolean; readonly text: string }[] {
  let at = 0;
  const parts = marks.flatMap(({ start, length }) => {
    const plain = text.slice(at, start);
    at = start + length;
    return [
      { isMarked: false, text: plain },
      { isMarked: true, text: text.slice(start, at) },
    ];
  });
  return [...parts, { isMarked: false, text: text.slice(at) }].filter((part) => part.text !== "");
}

/** Remarks of a file by `lineKey`; `astray` are those whose line has changed since. */
export function placeRemarks(
  file: FileChanges,
  remarks: readonly Remark[],
): { readonly at: ReadonlyMap<string, readonly Remark[]>; readonly astray: readonly Remark[] } {
  const lines = new Map(
    file.hunks.flatMap((hunk) => hunk.lines.map((line) => [lineKey(line), line.text] as const)),
  );
  const own = remarks.filter(({ path }) => path === file.path);
  const isThere = ({ side, line, text }: Remark) => lines.get(`${side}${line}`) === text;
  return {
    at: Map.groupBy(own.filter(isThere), ({ side, line }) => `${side}${line}`),
    astray: own.filter((remark) => !isThere(remark)),
  };
}

/** An agent names files from its own folder, git from the top of the work tree. */
export const matchesPath = ({ path }: Pick<ChangedFile, "path">, asked: string): boolean =>
  path === asked || path.endsWith(`/${asked}`);
