import { leadFocus } from "../../ui/focus.ts";

/** Keys in the lines of a file, where they are on the screen. */
const linesOf = (): HTMLElement[] => [...document.querySelectorAll<HTMLElement>("[data-line]")];

const atHand = (lines: readonly HTMLElement[]): number =>
  lines.findIndex((line) => line === document.activeElement);

export const hasLines = (): boolean => document.querySelector("[data-line]") !== null;

export function moveLine(step: 1 | -1): void {
  const lines = linesOf();
  focusOn(lines[Math.max(0, atHand(lines) + step)]);
}

/** To the first line of the next change, or of the one before. */
export function moveChange(step: 1 | -1): void {
  const lines = linesOf();
  const at = atHand(lines);
  const begins = (line: HTMLElement, i: number) =>
    line.dataset["change"] !== undefined && lines[i - 1]?.dataset["change"] === undefined;
  focusOn(
    step > 0
      ? lines.find((line, i) => i > at && begins(line, i))
      : lines.findLast((line, i) => i < at && begins(line, i)),
  );
}

export function remarkOnLine(): void {
  const lines = linesOf();
  lines[atHand(lines)]?.click();
}

export function openFile(which: "next" | "previous"): void {
  document.querySelector<HTMLElement>(`[data-file="${which}"]`)?.click();
}

function focusOn(line: HTMLElement | undefined): void {
  leadFocus(line);
  line?.scrollIntoView({ block: "nearest" });
}
