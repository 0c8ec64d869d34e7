import { lazy } from "../lib/lazy.ts";
import type { MenuRow } from "./menu.ts";
import { lineAt, styleAt, type View } from "./region.ts";
import { columnsOf, firstWord, hasRoom, indentOf, offsetAt, unwrap } from "./text.ts";

/** The lines of one option: the first one from column `start` on, and those that follow it. */
export interface RowLines extends Pick<MenuRow, "key" | "selected"> {
  first: number;
  start: number;
  lines: readonly number[];
}

type RowText = Pick<MenuRow, "label" | "description" | "checked">;

const EMPTY_BOXES = ["", " ", "☐", "◯", "□"];
const CHECK_BOX = /^(?:\[(.?)\]|([☐☑☒◯◉■□]))\s+/u;
/** A key hint below a label is its description, whatever its colour. */
const KEY_HINT = /^\s*(?:(?:shift|ctrl|alt)\+\S+|tab|esc) to\b/i;
/** Behind the label of the current value. */
const TICK = /(?<=\S)\s?[✔✓]$/u;
const PREVIEW = /\s{2,}(?=[┌╭│├└╰])/u;

export function rowText(
  view: View,
  blocks: readonly RowLines[],
): { rows: MenuRow[]; hasPreview: boolean } {
  const previewAt = previewColumn(view, blocks);
  const cut = (line: string) =>
    previewAt === null ? line : line.slice(0, offsetAt(line, previewAt)).trimEnd();
  const columns = alignedColumn(view, blocks, cut);
  const lines = blocks.flatMap((row) => [row.first, ...row.lines]);
  const isStyled = lines.some((i) => (view.screen.lines[i]?.runs.length ?? 0) > 0);
  // The margin is not known: the widest line may touch it.
  const widest = () => Math.max(...lines.map((i) => columnsOf(lineAt(view, i))));
  const room = lazy(() => (isStyled ? widest() : view.width - 2));
  const rows = blocks.map((row) => {
    const first = splitFirst(cut(lineAt(view, row.first)).slice(row.start), row.start, columns);
    const label = [first.label];
    const description = first.description === "" ? [] : [first.description];
    let previous = row.first;
    for (const index of row.lines) {
      const line = cut(lineAt(view, index));
      if (line === "") continue;
      const parts = columns === null ? null : columnParts(line, columns);
      if (parts && description.length > 0) {
        label.push(parts.label);
        description.push(parts.description);
      } else if (
        description.length === 0 &&
        (columns === null || displayColumn(line, indentOf(line)) < columns) &&
        // Beside a preview there is no room for descriptions.
        (previewAt !== null ||
          isWrapped(view, { above: previous, below: index, room: room(), isStyled }))
      ) {
        label.push(line);
      } else description.push(line);
      previous = index;
    }
    return {
      key: row.key,
      label: unwrap(label).replace(TICK, ""),
      description: unwrap(description),
      checked: first.checked,
      selected: row.selected,
      line: row.first,
    };
  });
  return { rows, hasPreview: previewAt !== null };
}

function splitFirst(text: string, start: number, column: number | null): RowText {
  const box = CHECK_BOX.exec(text);
  const checked = box ? !EMPTY_BOXES.includes(box[1] ?? box[2] ?? "") : null;
  const label = box ? text.slice(box[0].length) : text;
  const offset = start + (box ? box[0].length : 0);
  if (column === null || !label.includes("  ")) return { label, description: "", checked };
  const gap = [...label.matchAll(/ {2,}(?=\S)/g)].find(
    (match) => displayColumn(label, match.index + match[0].length) + offset === column,
  );
  if (!gap) return { label, description: "", checked };
  return { label: label.slice(0, gap.index), description: label.slice(gap.index).trim(), checked };
}

/** A following line in which both columns go on; null where its first column is empty. */
function columnParts(line: string, column: number): { label: string; description: string } | null {
  const start = indentOf(line);
  if (displayColumn(line, start) >= column) return null;
  const { label, description } = splitFirst(line.slice(start), start, column);
  const isShort = displayColumn(line, line.length) < column;
  return description !== "" || isShort ? { label: label.trim(), description } : null;
}

function previewColumn(view: View, blocks: readonly RowLines[]): number | null {
  const first = blocks[0];
  if (!first) return null;
  const line = lineAt(view, first.first);
  const at = PREVIEW.exec(line.slice(first.start));
  if (!at || !/[┌╭]/u.test(line)) return null;
  return displayColumn(line, first.start + at.index + at[0].length);
}

/** Null where no two descriptions begin in one column. */
function alignedColumn(
  view: View,
  blocks: readonly RowLines[],
  cut: (line: string) => string,
): number | null {
  const counts = new Map<number, number>();
  for (const row of blocks) {
    const line = cut(lineAt(view, row.first));
    if (!line.includes("  ", row.start)) continue;
    const columns = new Set<number>();
    for (const match of line.slice(row.start).matchAll(/\S {2,}(?=\S)/g))
      columns.add(displayColumn(line, row.start + match.index + match[0].length));
    for (const column of columns) counts.set(column, (counts.get(column) ?? 0) + 1);
  }
  let best: number | null = null;
  for (const [column, count] of counts)
    if (count >= 2 && (best === null || count > (counts.get(best) ?? 0))) best = column;
  return best;
}

/**
 * Whether a line goes on with the text above it, rather than describing it. Both stand under the
 * label, but a description has another colour, and text wraps only where the next word had no room.
 */
export function isWrapped(view: View, { above, below, room, isStyled }: LinePair): boolean {
  const [upper, lower] = [lineAt(view, above), lineAt(view, below)];
  // Some programs move a whole word of a script without blanks; where colours tell, it may be one.
  const word = isStyled ? /\S*/.exec(lower.trimStart())?.[0] : undefined;
  if (hasRoom(upper, lower, room, word) || KEY_HINT.test(lower)) return false;
  if (!isStyled || firstWord(lower) === "·") return true;
  const end = styleAt(view.screen.lines[above], upper.length - 1);
  const start = styleAt(view.screen.lines[below], indentOf(lower));
  return end.fg === start.fg && end.dim === start.dim && end.italic === start.italic;
}

interface LinePair {
  above: number;
  below: number;
  room: number;
  isStyled: boolean;
}

function displayColumn(line: string, offset: number): number {
  return columnsOf(line.slice(0, offset));
}
