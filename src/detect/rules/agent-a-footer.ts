import { lastLines, lineAt, perView, type View } from "../region.ts";
import { fold } from "../text.ts";

const CONFIRMS =
  /\b(?:enter|return) to (?:confirm|select|submit|save|continue|approve)\b|\bpress enter\b/i;
const TAKES = new RegExp(
  `${CONFIRMS.source}|\\besc(?:ape)? to (?:cancel|exit|go back|close|reject)\\b`,
  "i",
);
const LEAVES = /\besc to (?:close|go back)\b/i;

export function dialogFooter(view: View): number | null {
  return footerLine(view, TAKES);
}

export function confirmingFooter(view: View): number | null {
  return footerLine(view, CONFIRMS);
}

/** The line that tells how a panel is closed in which there is nothing to take. */
export function closingFooter(view: View): number | null {
  return footerLine(view, LEAVES);
}

/** The line below a search in old prompts: what is found goes into the input line. */
export function searchFooter(view: View): number | null {
  return footerLine(view, /\benter to use\b/i);
}

/** All footers name one of them. */
const FOOTER_KEY = /enter|return|esc/i;

/** Footers wrap: a line is read together with the one below it. */
function footerLine(view: View, pattern: RegExp): number | null {
  return footers(view).find(({ text }) => pattern.test(text))?.line ?? null;
}

const footers = perView((view) => {
  const near = lastLines(view, 4);
  const isNamed = (line: number) => FOOTER_KEY.test(lineAt(view, line));
  return near
    .filter((line) => isNamed(line) || isNamed(line + 1))
    .map((line) => ({ line, text: fold(`${lineAt(view, line)} ${lineAt(view, line + 1)}`) }));
});
