import type { ComposerContent } from "./finding.ts";
import { lineAt, type Span, type Style, styleAt, type View } from "./region.ts";
import { indentOf } from "./text.ts";

const isDim = ({ dim }: Style): boolean => dim === true;

/**
 * The text that a person has typed on these lines, not placeholders and completions. The cursor is an
 * inverse cell; over a placeholder it hides the style of the first letter.
 * @param from column at which the text of the first line begins
 */
export function readTyped(
  view: View,
  lines: Span,
  from: number,
  isGhost: (style: Style) => boolean = isDim,
): ComposerContent {
  const typed: string[] = [];
  let hasGhost = false;
  for (let i = lines.start; i < lines.end; i++) {
    const text = lineAt(view, i);
    const first = i === lines.start ? from : indentOf(text);
    let ink = text;
    for (const { start, length, style } of view.screen.lines[i]?.runs ?? []) {
      if (!isGhost(style)) continue;
      const end = start + length;
      hasGhost ||= text.slice(Math.max(start, first), end).trim() !== "";
      ink = ink.slice(0, start) + " ".repeat(length) + ink.slice(end);
    }
    typed.push(ink.slice(first).trimEnd());
  }
  const text = typed.join("\n").trim();
  const isCursor = styleAt(view.screen.lines[lines.start], from).inverse === true;
  const isPlaceholder = hasGhost && isCursor && [...text].length === 1;
  return text === "" || isPlaceholder ? { holds: "nothing" } : { holds: "draft", text };
}
