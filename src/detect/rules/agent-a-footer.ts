import { lastLines, lineAt, perView, type View } from "../region.ts";
import { fold } from "../text.ts";

const CONFIRMS =
  /\b(?:enter|return) to (?:confirm|select|submit|save|continue|approve)\b|\bpress enter\b/i;

const FOOTERS = {
  confirms: CONFIRMS,
  takes: new RegExp(
    `${CONFIRMS.source}|\\besc(?:ape)? to (?:cancel|exit|go back|close|reject)\\b`,
    "i",
  ),
  /** Of a panel in which there is nothing to take. */
  closes: /\besc to (?:close|go back)\b/i,
  /** Of a search in old prompts: what is found goes into the input line. */
  uses: /\benter to use\b/i,
};

/** The line that tells how what is open ends; footers wrap: each is read with the line below it. */
export function footerLine(view: View, does: keyof typeof FOOTERS): number | null {
  return footers(view).find(({ text }) => FOOTERS[does].test(text))?.line ?? null;
}

/** All footers name one of them. */
const FOOTER_KEY = /enter|return|esc/i;

const footers = perView((view) => {
  const near = lastLines(view, 4);
  const isNamed = (line: number) => FOOTER_KEY.test(lineAt(view, line));
  return near
    .filter((line) => isNamed(line) || isNamed(line + 1))
    .map((line) => ({ line, text: fold(`${lineAt(view, line)} ${lineAt(view, line + 1)}`) }));
});
