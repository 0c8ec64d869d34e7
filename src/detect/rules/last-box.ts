import { lastLines, lineAt, ruleLine, type View } from "../region.ts";

/** Most lines that may stand below a dialog's box. */
const MAX_BELOW = 4;

export interface Box {
  /** Its upper side; the line before the first one where that is out of sight. */
  top: number;
  bottom: number;
  /** Column of its right side. */
  right: number;
}

/** The box that ends the screen: below its bottom stands neither a rule nor an input line. */
export function readLastBox(view: View): Box | null {
  const near = lastLines(view, MAX_BELOW + 1);
  const bottom = near.find((i) => /^ {0,3}[╰└╚┗]/.test(lineAt(view, i)));
  // However wide: on a screen that has grown, it keeps its old width for a while.
  if (bottom === undefined || ruleLine(lineAt(view, bottom), 0) === null) return null;
  const indent = lineAt(view, bottom).search(/\S/);
  for (let i = bottom + 1; i < view.end; i++)
    if (
      ruleLine(lineAt(view, i), view.width) !== null ||
      /^ {0,3}[>❯›*!](?: |$)/.test(lineAt(view, i))
    )
      return null;
  for (let i = bottom - 1; i >= view.start; i--) {
    const text = view.screen.lines[i]?.text ?? "";
    if (/[╭┌╔┏]/.test(text[indent] ?? "") && text.search(/\S/) === indent)
      return { top: i, bottom, right: lineAt(view, bottom).length - 1 };
    if (!/[│┃║]/.test(text[indent] ?? "")) return null;
  }
  return { top: view.start - 1, bottom, right: lineAt(view, bottom).length - 1 };
}
