import type { Composer, ComposerContent } from "../finding.ts";
import { lastLines, lineAt, perView, ruleAt, styleAt, type View } from "../region.ts";
import { indentOf } from "../text.ts";

/** Lines between the input line and the end of the screen: completions, its status bar. */
const MAX_BELOW_COMPOSER = 18;
/** Height of its field. */
const MAX_DRAFT_LINES = 14;

const COMPOSER = /^ {0,3}(?:[>*!]|\(r:\))(?: {1,4}\S|$)/;
/** Two blanks or more: of a draft one blank follows the mark. */
const PLACEHOLDER = /^ {2,}Type your message or @path\/to\/file$/;
const NORMAL_MODE = /^\s*\[NORMAL\]/;

/** Below a rule, with nothing but the status bar under it. */
export const geminiInputLine = perView((view): number | null => {
  const near = lastLines(view, MAX_BELOW_COMPOSER);
  // Between the input line and its rule stands at most the mode.
  const isBelowRule = (line: number) => lastLines(view, 2, line).some((i) => ruleAt(view, i));
  return near.find((i) => COMPOSER.test(lineAt(view, i)) && isBelowRule(i)) ?? null;
});

/** The lines of a draft have one indent, and one background where there are colours. */
export function readGeminiInput(view: View): Composer | null {
  const line = geminiInputLine(view);
  return line === null ? null : { line, ...contentOf(view, line) };
}

function contentOf(view: View, line: number): ComposerContent {
  const [, mark = "", first = ""] = /^ {0,3}(\(r:\)|\S)(.*)$/.exec(lineAt(view, line)) ?? [];
  const isTyping = mark === ">" || mark === "*";
  const below = view.lines.slice(line + 1, view.end);
  if (!isTyping || below.some((text) => NORMAL_MODE.test(text))) return { holds: "unclear" };
  if (PLACEHOLDER.test(first)) return { holds: "nothing" };
  const column = lineAt(view, line).indexOf(mark) + mark.length + 1;
  const backgroundAt = (i: number, at: number) => styleAt(view.screen.lines[i], at).bg;
  const background = backgroundAt(line, column - 2);
  const isOutside = (text: string, i: number) => {
    const indent = indentOf(text);
    const isDraft = indent >= column && backgroundAt(line + 1 + i, indent) === background;
    return text !== "" && !isDraft;
  };
  const outside = below.findIndex(isOutside);
  const height = outside < 0 ? below.length : outside;
  if (height > MAX_DRAFT_LINES) return { holds: "unclear" };
  const text = [first, ...below.slice(0, height)]
    .map((part) => part.trim())
    .join("\n")
    .trim();
  return text === "" ? { holds: "nothing" } : { holds: "draft", text };
}
