import type { Composer, ComposerContent } from "../finding.ts";
import { findLineUp, hasStyle, lineAt, perView, styleAt, type View } from "../region.ts";
import { indentOf } from "../text.ts";

/** The lower side of the input box. */
export const COMPOSER_BOTTOM = /^\s*╹▀{8,}/;
const SIDEBAR_COLUMNS = 42;
/** Only wider screens show the sidebar. */
const SIDEBAR_FROM_WIDTH = 120;

/** The last line of a turn, so far: agent, model, and its duration. */
export const TURN = /^\s{2,}▣ {2}/;

/** Adjoining lines with a heavy bar on the left: a message, a tool's output, a dialog. */
export interface Panel {
  start: number;
  end: number;
  barColumn: number;
}

/** Null when something else ends the view. */
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
  const text = view.screen.lines[line]?.text ?? "";
  const column = indentOf(text);
  return column <= 6 && text[column] === "┃" && (text[column + 1] ?? " ") === " " ? column : null;
}

/** The view without the sidebar of wide screens, which shares its lines with the session. */
export const withoutSidebar = perView((view): View => {
  const { width } = view;
  if (width <= SIDEBAR_FROM_WIDTH) return view;
  const edge = width - SIDEBAR_COLUMNS;
  const top = Math.max(view.start, view.end - view.height);
  const wide = view.lines.slice(top, view.end).filter((line) => line.length > edge);
  // A toast may cover the edge on a few lines.
  const apart = wide.filter((line) => line.slice(edge - 1, edge + 2).trim() === "");
  if (apart.length < 2 || apart.length < wide.length * 0.75) return view;
  const lines = view.lines.map((line) => line.slice(0, edge).trimEnd());
  let { end } = view;
  while (end > view.start && (lines[end - 1] ?? "") === "" && barColumn(view, end - 1) === null)
    end--;
  return { ...view, lines, end };
});

export const composerBottom = perView((view): number | null => {
  const isBottom = (_: string, i: number) => COMPOSER_BOTTOM.test(view.screen.lines[i]?.text ?? "");
  return findLineUp(view, view.end - 1, view.end - view.height, isBottom);
});

const PLACEHOLDER = /^Ask anything(?:…|\.\.\.)/;
/** In place of agent, model and provider while the input is a shell command. */
const SHELL = /^\s*Shell$/;

interface InputBox {
  view: View;
  column: number;
  top: number;
  /** Its last line, which names agent, model and provider. */
  agent: number;
}

/** On the first screen the box stands in the middle of the columns. */
export function readAgentDInput(view: View): Composer | null {
  const box = readBox(withoutSidebar(view));
  if (!box) return null;
  let line = box.top;
  while (line < box.agent && inside(box, line) === "") line++;
  return { line: Math.min(line, box.agent - 1), ...contentOf(box, line) };
}

function readBox(view: View): InputBox | null {
  const bottom = composerBottom(view);
  if (bottom === null) return null;
  const raw = (i: number) => view.screen.lines[i]?.text ?? "";
  const column = raw(bottom).indexOf("╹");
  let top = bottom;
  while (top > view.start && raw(top - 1)[column] === "┃") top--;
  let agent = bottom - 1;
  while (agent > top && inside({ view, column }, agent) === "") agent--;
  return agent > top ? { view, column, top, agent } : null;
}

function inside({ view, column }: Pick<InputBox, "view" | "column">, line: number): string {
  return lineAt(view, line).slice(column + 1);
}

function contentOf(box: InputBox, first: number): ComposerContent {
  if (SHELL.test(inside(box, box.agent))) return { holds: "unclear" };
  const lines = Array.from({ length: box.agent - first }, (_, i) => inside(box, first + i).trim());
  const text = lines.join("\n").trim();
  if (text === "" || (PLACEHOLDER.test(text) && hasQuietColour(box, first)))
    return { holds: "nothing" };
  return { holds: "draft", text };
}

/** A placeholder has another colour than typed text, which has that of the model's name. */
function hasQuietColour({ view, column, agent }: InputBox, line: number): boolean {
  if (!hasStyle(view)) return true;
  const colourAt = (i: number, at: number) => styleAt(view.screen.lines[i], at).fg;
  const first = column + 1 + inside({ view, column }, line).search(/\S/);
  const model =
    /^.{0,9}?\S+(?: ·)? +/u.exec(lineAt(view, agent).slice(column + 1))?.[0].length ?? 0;
  return colourAt(line, first) !== colourAt(agent, column + 1 + model);
}
