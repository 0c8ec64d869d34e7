import { type Menu, type MenuRow, plainRow } from "./menu.ts";
import { MAX_GAP_LINES, menuAround, numberedLine } from "./numbered-menu.ts";
import { lineAt, type View } from "./region.ts";

/** A numbered list without a cursor that ends right above `before`: shown by scripts. */
export function readPlainList(view: View, before: number, from: number): Menu | null {
  for (let i = before - 1; i >= Math.max(from, before - MAX_GAP_LINES); i--) {
    // The lowest number may stand in an option's description.
    const last = numberedLine(view, i, "");
    const menu = last && menuAround(view, last, { from, to: before }, "");
    if (menu) return isTable(view, menu) ? readTable(view, menu) : menu;
  }
  return null;
}

/** Below each other stand the rows of one column of several. */
function isTable(view: View, { start, end }: Menu): boolean {
  return view.lines.slice(start, end).some((line) => /\S\s{2,}\d{1,2}[.)]\s+\S/.test(line));
}

/** Of all columns, where their numbers leave none out: a part of the choices is no choice. */
function readTable(view: View, menu: Menu): Menu | null {
  const rows: MenuRow[] = [];
  for (let line = menu.start; line < menu.end; line++)
    for (const cell of lineAt(view, line)
      .trim()
      .split(/\s{2,}/)) {
      const [, key, label = ""] = /^(\d{1,2})[.)](?:\s(.*))?$/.exec(cell) ?? [];
      const last = rows.at(-1);
      if (key) rows.push(plainRow(key, label, line));
      else if (last) last.label = `${last.label} ${cell}`.trim();
    }
  rows.sort((a, b) => Number(a.key) - Number(b.key));
  return rows.every((row, i) => Number(row.key) === i + 1) ? { ...menu, rows } : null;
}
