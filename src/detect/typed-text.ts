import type { ComposerContent } from "./finding.ts";
import { lineAt, styleAt, type View, type Span } from "./region.ts";
import { indentOf } from "./text.ts";

/**
 * What a person has typed on these lines, `from` being the column where the first one's text
 * begins. Programs write a placeholder or a completion in dim letters behind the cursor, which is
 * an inverse cell: over a placeholder it stands on the first letter.
 */
export function readTyped(view: View, lines: Span, from: number): ComposerContent {
  const typed: string[] = [];
  let hasGhost = false;
  for (let i = lines.start; i < lines.end; i++) {
    const text = lineAt(view, i);
    const first = i === lines.start ? from : indentOf(text);
    let ink = "";
    for (let column = first; column < text.length; column++) {
      const isGhost = styleAt(view.screen.lines[i], column).dim === true;
      hasGhost ||= isGhost && text[column] !== " ";
      ink += isGhost ? " " : text[column];
    }
    typed.push(ink.trimEnd());
  }
  const text = typed.join("\n").trim();
  const isCursor = styleAt(view.screen.lines[lines.start], from).inverse === true;
  const isPlaceholder = hasGhost && isCursor && [...text].length === 1;
  return text === "" || isPlaceholder ? { holds: "nothing" } : { holds: "draft", text };
}
