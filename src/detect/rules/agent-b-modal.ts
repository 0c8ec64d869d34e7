import {
  findLineUp,
  lineAt,
  readView,
  type Run,
  type ScreenLine,
  type Span,
  styleAt,
  type View,
} from "../region.ts";
import { agentBInputLine, barComposerLine } from "./agent-b-composer.ts";
import { columnsOf, fold, offsetAt } from "../text.ts";

const NOTHING: ScreenLine = { text: "", runs: [] };

interface Modal {
  /** The dialog alone, with blanks around it. */
  view: View;
  title: Span;
  footer: string;
}

/**
 * A dialog drawn over the session, in the middle of the columns, with the input line still below it.
 * Only a live one has an inverse row, which is as wide as the dialog; quoted text has none. The title
 * is bold.
 */
export function readModal(view: View, hints: RegExp): Modal | null {
  const focused = focusedRow(view);
  if (!focused) return null;
  const { line, left } = focused;
  const columns = [left, view.width - left] as const;
  const cut = cutView(view, columns);
  const rowAt = (i: number) => cut.screen.lines[i] ?? NOTHING;
  const isInside = (i: number) => /^(?:$| {2})/.test(rowAt(i).text);
  let footer = line + 1;
  while (footer < view.end && isInside(footer) && !hints.test(rowAt(footer).text)) footer++;
  if (!hints.test(rowAt(footer).text)) return null;

  const isTitle = (i: number) =>
    /^ {2}\S/.test(rowAt(i).text) && styleAt(rowAt(i), 2).bold === true;
  let last = line - 1;
  while (last >= view.start && isInside(last) && !isTitle(last)) last--;
  if (!isTitle(last)) return null;
  let start = last;
  while (start > view.start && isTitle(start - 1)) start--;
  return {
    view: cutView(view, columns, { start, end: footer + 1 }),
    title: { start, end: last + 1 },
    footer: fold(rowAt(footer).text),
  };
}

interface SidePanel {
  /** The panel alone, with blanks around it. */
  view: View;
  title: string;
  line: number;
}

/** `─ Presets ─────────`, with the session to its left where there is room. */
const PANEL_HEADING = /^ *(?=─ (\S.*?) ─{8,}$)/u;
const PANEL_KEYS = /^ {2}(?:\S.* )?esc · /u;
const MAX_PANEL_LINES = 30;

/**
 * A panel over the right of the session, around the input line, which a person opened: it ends below
 * the input line with its keys. Text of the session ends above it.
 */
export function readSidePanel(view: View): SidePanel | null {
  const least = Math.max(view.start, view.end - Math.min(view.height, MAX_PANEL_LINES));
  const line = findLineUp(view, view.end - 1, least, PANEL_HEADING);
  const heading = line === null ? null : PANEL_HEADING.exec(lineAt(view, line));
  if (line === null || !heading) return null;
  const [indent, title = ""] = heading;
  const left = indent.length;
  const panel = cutView(view, [left, view.width], { start: line, end: view.end });
  const input = barComposerLine(view) === null ? (agentBInputLine(view) ?? line) : view.end;
  const hasKeys = panel.screen.lines.some(({ text }, i) => i > input && PANEL_KEYS.test(text));
  return hasKeys ? { view: panel, title, line } : null;
}

/** The lowest row drawn inverse from its cursor on, which stands away from the left edge. */
function focusedRow(view: View): { line: number; left: number } | null {
  for (let line = view.end - 1; line >= Math.max(view.start, view.end - view.height); line--) {
    const { text, runs } = view.screen.lines[line] ?? NOTHING;
    for (const { start, style } of runs)
      if (style.inverse && start > 0 && /^› \d{1,2}\. /.test(text.slice(start)))
        return { line, left: columnsOf(text.slice(0, start)) };
  }
  return null;
}

const ALL = { start: 0, end: Infinity };

/** These columns of a screen, as a screen of their own, with blanks in place of all but these lines. */
export function cutView(view: View, [left, right]: readonly [number, number], lines = ALL): View {
  const cut = view.screen.lines.map((line, i) =>
    i >= lines.start && i < lines.end ? cutColumns(line, left, right) : NOTHING,
  );
  return readView({ lines: cut }, { width: right - left, height: view.height });
}

function cutColumns({ text, runs }: ScreenLine, left: number, right: number): ScreenLine {
  const from = offsetAt(text, left);
  const to = offsetAt(text, right);
  const shift = ({ start, length, style }: Run): Run => {
    const first = Math.max(start, from);
    return { start: first - from, length: Math.min(start + length, to) - first, style };
  };
  return {
    text: text.slice(from, to).trimEnd(),
    runs: runs.map(shift).filter((run) => run.length > 0),
  };
}
