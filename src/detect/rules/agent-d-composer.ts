import type { Composer, ComposerContent } from "../finding.ts";
import { hasStyle, lineAt, styleAt, type View } from "../region.ts";
import { composerBottom, withoutSidebar } from "./agent-d-screen.ts";

const PLACEHOLDER = /^Ask anything(?:…|\.\.\.)/;
/** In place of agent, model and provider, where what is typed is a command line. */
const SHELL = /^\s*Shell$/;

/** The inside of the input box, and the column of the bar on its left. */
interface Box {
  view: View;
  column: number;
  /** Its first line. */
  top: number;
  /** Its last line, which names agent, model and provider. */
  agent: number;
}

/** OpenCode's input box; on its first screen it stands in the middle of the columns. */
export function readAgentDInput(view: View): Composer | null {
  const box = readBox(withoutSidebar(view));
  if (!box) return null;
  let line = box.top;
  while (line < box.agent && inside(box, line) === "") line++;
  return { line: Math.min(line, box.agent - 1), ...contentOf(box, line) };
}

function readBox(view: View): Box | null {
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

function inside({ view, column }: Pick<Box, "view" | "column">, line: number): string {
  return lineAt(view, line).slice(column + 1);
}

function contentOf(box: Box, first: number): ComposerContent {
  if (SHELL.test(inside(box, box.agent))) return { holds: "unclear" };
  const lines = Array.from({ length: box.agent - first }, (_, i) => inside(box, first + i).trim());
  const text = lines.join("\n").trim();
  if (text === "" || (PLACEHOLDER.test(text) && hasQuietColour(box, first)))
    return { holds: "nothing" };
  return { holds: "draft", text };
}

/** Typed text has the colour of the model's name, a placeholder another one. */
function hasQuietColour({ view, column, agent }: Box, line: number): boolean {
  if (!hasStyle(view)) return true;
  const colourAt = (i: number, at: number) => styleAt(view.screen.lines[i], at).fg;
  const first = column + 1 + inside({ view, column }, line).search(/\S/);
  const model =
    /^.{0,9}?\S+(?: ·)? +/u.exec(lineAt(view, agent).slice(column + 1))?.[0].length ?? 0;
  return colourAt(line, first) !== colourAt(agent, column + 1 + model);
}
