import { evidenceLines } from "../prompt.ts";
import { indentOf, lineAt, type View } from "../region.ts";
import { TURN } from "./agent-d-screen.ts";

const SCROLLBAR = /(?<! ) +[▀▄█]\s*$/u;
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
 * has all of it, as far as that is on the screen. Other commands that wait for their turn stand
 * there too.
 */
export function wholeCommand(view: View, panelTop: number, shown: readonly string[]): string[] {
  const at = shown.findIndex((line) => line.startsWith("$ "));
  if (at < 0) return [...shown];
  const part = squash(shown.slice(at));
  const blocks = blocksAbove(view, panelTop);
  const whole = blocks.find(({ lines }) => squash(lines).startsWith(part));
  if (whole) return [...shown.slice(0, at), ...whole.lines];
  const cut = blocks.find(({ isCut, lines }) => isCut && !part.includes(squash(lines)));
  return cut ? [...shown, "…", ...cut.lines] : [...shown];
}

interface Block {
  lines: string[];
  /** Its beginning has left the screen. */
  isCut: boolean;
}

/** Commands and texts of the running turn, the last one first. */
function blocksAbove(view: View, panelTop: number): Block[] {
  let line = panelTop - 1;
  while (line > view.start && lineAt(view, line) === "") line--;
  if (!TURN.test(lineAt(view, line))) return [];
  const blocks: Block[] = [];
  let lines: string[] = [];
  const close = (isAtTop: boolean) => {
    if (lines.length > 0) blocks.push({ lines, isCut: isAtTop && !lines[0]?.startsWith("$ ") });
    lines = [];
  };
  for (line--; line >= view.start; line--) {
    const text = lineAt(view, line);
    if (text !== "" && indentOf(text) < 5) break;
    if (text === "") close(false);
    else lines = [text.trim(), ...lines];
    // Commands of one answer follow each other without a gap.
    if (/^\s+\$ /.test(text)) close(false);
  }
  close(line < view.start);
  return blocks;
}

function squash(lines: readonly string[]): string {
  return lines.join("").replace(/\s+/g, "");
}
