/** Keys in the lines of a file: arrows move, n and p to the next change, r remarks, j and k change the file. */
export function diffKeys(event: KeyboardEvent, diff: HTMLElement | null): void {
  const isPlain = !event.altKey && !event.ctrlKey && !event.metaKey;
  if (diff === null || !isPlain || event.target instanceof HTMLTextAreaElement) return;
  const lines = [...diff.querySelectorAll<HTMLElement>("[data-line]")];
  const at = lines.findIndex((line) => line === document.activeElement);
  const begins = (line: HTMLElement, i: number) =>
    line.dataset["change"] !== undefined && lines[i - 1]?.dataset["change"] === undefined;
  const to = (line: HTMLElement | undefined) => {
    line?.focus();
    line?.scrollIntoView({ block: "nearest" });
  };
  const acts: Readonly<Record<string, () => void>> = {
    ArrowDown: () => to(lines[at + 1]),
    ArrowUp: () => to(lines[Math.max(0, at - 1)]),
    n: () => to(lines.find((line, i) => i > at && begins(line, i))),
    p: () => to(lines.findLast((line, i) => i < at && begins(line, i))),
    r: () => lines[at]?.click(),
    j: () => pressFile("next"),
    k: () => pressFile("previous"),
  };
  const act = acts[event.key];
  if (act === undefined) return;
  event.preventDefault();
  act();
}

function pressFile(which: "next" | "previous"): void {
  document.querySelector<HTMLElement>(`[data-file="${which}"]`)?.click();
}
