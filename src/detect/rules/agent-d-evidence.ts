import { evidenceLines } from "../prompt.ts";
import { indentOf, lineAt, type View } from "../region.ts";
import { TURN } from "./agent-d-screen.ts";

const SCROLLBAR = / +[▀▄█]\s*$/u;
const MORE = "… more lines in the terminal";

/** The lines of a panel, without its indent and scrollbar; a scrollbar means that there are more. */
export function panelEvidence(view: View, from: number, to: number): string[] {
  const lines = evidenceLines(view, from, to).map((line) => line.replace(SCROLLBAR, ""));
  const indent = Math.min(...lines.filter((line) => line !== "").map(indentOf));
  const shown = lines.map((line) => line.slice(indent));
  const drawn = view.screen.lines.slice(from, to);
  return drawn.some(({ text }) => SCROLLBAR.test(text)) ? [...shown, MORE] : shown;
}

/**
 * The panel shows the first lines of a command and nothing tells that it goes on; the session above
 * has all of it, as far as that is on the screen.
 */
export function wholeCommand(view: View, panelTop: number, shown: readonly string[]): string[] {
  const at = shown.findIndex((line) => line.startsWith("$ "));
  const above = at < 0 ? [] : commandAbove(view, panelTop);
  if (above.length === 0) return [...shown];
  const [part, whole] = [squash(shown.slice(at)), squash(above)];
  if (part.includes(whole)) return [...shown];
  if (whole.startsWith(part)) return [...shown.slice(0, at), ...above];
  return [...shown, "…", ...above];
}

/** The last block of the session before the line that ends the turn. */
function commandAbove(view: View, panelTop: number): string[] {
  let turn = panelTop - 1;
  while (turn > view.start && lineAt(view, turn) === "") turn--;
  if (!TURN.test(lineAt(view, turn))) return [];
  let end = turn;
  while (end > view.start && lineAt(view, end - 1) === "") end--;
  let start = end;
  while (start > view.start && isCommand(view, start - 1)) start--;
  return view.lines.slice(start, end).map((line) => line.trim());
}

function isCommand(view: View, line: number): boolean {
  const text = lineAt(view, line);
  // The block begins with its `$`; above it a blank line follows the answer's text.
  return text !== "" && indentOf(text) >= 5 && !/^\s*\$ /.test(lineAt(view, line + 1));
}

function squash(lines: readonly string[]): string {
  return lines.join("").replace(/\s+/g, "");
}
