import { lineAt, type View } from "../region.ts";
import { perView } from "../per-view.ts";

/** The lower side of the input box. */
export const COMPOSER_BOTTOM = /^\s*╹▀{8,}/;
const SIDEBAR_COLUMNS = 42;
/** The sidebar is shown only where the screen is wider than this. */
const SIDEBAR_FROM_WIDTH = 120;

/** The line that ends what a turn has drawn so far: agent, model, and how long it took. */
export const TURN = /^\s{2,}▣ {2}/;

/** Adjoining lines with a heavy bar on the left: a message, a tool's output, a dialog. */
export interface Panel {
  start: number;
  end: number;
  barColumn: number;
}

/** The panel that ends the view, or null when something else does. */
export const readPanel = perView((view): Panel | null => {
  let end = view.end;
  while (end > view.start && barColumn(view, end - 1) === null && lineAt(view, end - 1) === "")
    end--;
  const column = barColumn(view, end - 1);
  if (column === null) return null;
  let start = end;
  while (start > view.start && barColumn(view, start - 1) === column) start--;
  return { start, end, barColumn: column };
});

function barColumn(view: View, line: number): number | null {
  const match = /^( {0,6})┃(?: |$)/.exec(view.screen.lines[line]?.text ?? "");
  return match ? (match[1] ?? "").length : null;
}

/** The view without the sidebar of wide screens, which shares its lines with the session. */
export const withoutSidebar = perView((view): View => {
  const { width } = view;
  if (width <= SIDEBAR_FROM_WIDTH) return view;
  const edge = width - SIDEBAR_COLUMNS;
  const top = Math.max(view.start, view.end - view.height);
  const shown = view.lines.slice(top, view.end).filter((line) => line.length > edge);
  // A passing message may lie over the edge on a few lines.
  const apart = shown.filter((line) => line.slice(edge - 1, edge + 2).trim() === "");
  if (apart.length < 2 || apart.length < shown.length * 0.75) return view;
  const lines = view.lines.map((line) => line.slice(0, edge).trimEnd());
  let { end } = view;
  while (end > view.start && (lines[end - 1] ?? "") === "" && barColumn(view, end - 1) === null)
    end--;
  return { ...view, lines, end };
});

/** The line that ends the input box. */
export const composerBottom = perView((view): number | null => {
  for (let i = view.end - 1; i >= Math.max(view.start, view.end - view.height); i--)
    if (COMPOSER_BOTTOM.test(view.screen.lines[i]?.text ?? "")) return i;
  return null;
});
