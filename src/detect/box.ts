import { lastLines, lineAt, normalise, perView, ruleAt, type View } from "./region.ts";
import { isCommandLine } from "./programs.ts";
import { charCodes, indentOf, isEdge, ruleLine } from "./text.ts";

const MAX_BELOW = 4;

export interface Box {
  top: number;
  bottom: number;
  right: number;
}

const [TOPS, SIDES, BOTTOMS] = [charCodes("╭┌╔┏"), charCodes("│┃║"), charCodes("╰└╚┗")];

/** The box that ends the screen: below its bottom stands neither a rule nor an input line. */
export const readLastBox = perView((view): Box | null => {
  const near = lastLines(view, MAX_BELOW + 1);
  const bottom = near.find((i) => {
    const line = lineAt(view, i);
    return BOTTOMS.includes(line.charCodeAt(indentOf(line)));
  });
  // Of any width: on a screen that has grown, a box keeps its old width for a while.
  if (bottom === undefined || ruleLine(lineAt(view, bottom).trim(), 0) === null) return null;
  const indent = indentOf(lineAt(view, bottom));
  const isInput = (line: string) => /^ {0,3}[>❯›*!](?: |$)/.test(line) || isCommandLine(line);
  for (let i = bottom + 1; i < view.end; i++)
    if (ruleAt(view, i) !== null || isInput(lineAt(view, i))) return null;
  for (let top = bottom - 1; ; top--) {
    const text = view.screen.lines[top]?.text ?? "";
    const mark = text.charCodeAt(indent);
    const isTop = TOPS.includes(mark) && indentOf(text) === indent;
    if (isTop || top < view.start) return { top, bottom, right: lineAt(view, bottom).length - 1 };
    if (!SIDES.includes(mark)) return null;
  }
});

/**
 * The view from the box on, without its frame; lines below the box stay. The upper edge becomes a
 * rule, and the edges of an inner frame become dashed rules, which elsewhere enclose evidence too.
 */
export function insideOf(view: View, box: Box): View {
  const left = lineAt(view, box.bottom).search(/\S/);
  const blank = " ".repeat(left + 1);
  const width = box.right;
  const edge = (mark: string) => blank + mark.repeat(Math.max(12, width - left - 1));
  const inside = (i: number) => {
    const raw = (view.screen.lines[i]?.text ?? "").trimEnd();
    const text = (blank + raw.slice(left + 1).replace(/[│┃║]$/u, "")).trimEnd();
    return isEdge(text) ? edge("╌") : normalise(text);
  };
  const lines = view.lines.map((line, i) => {
    if (i === box.top) return edge("─");
    if (i < box.top || i === box.bottom) return "";
    return i > box.bottom ? line : inside(i);
  });
  return { ...view, lines, start: Math.max(view.start, box.top), width };
}
