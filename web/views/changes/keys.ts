import { matchesPath } from "../../model/changes.ts";
import { paneHash } from "../../state/browser/router.ts";
import type { Client } from "../../state/client.ts";
import { ChangesPart } from "../../state/server/queries.ts";
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

/** The open file among those of its pane; null where none is: beside a list keys move through that. */
function openFileOf({ browser: { layout, router }, server }: Client) {
  const page = router.route.value;
  if (page.screen !== "pane" || page.tab !== "changes") return null;
  const { at: path, id } = page;
  const files = server.part(ChangesPart).list(id).value.value?.files ?? [];
  // Beside the list the first one is open where none is named.
  const isFirst = path === null && layout.hasThird.value;
  const at = isFirst ? 0 : files.findIndex((file) => path !== null && matchesPath(file, path));
  return files[at] === undefined ? null : { id, files, at };
}

export const hasFile = (client: Client): boolean => openFileOf(client) !== null;

/** To the file behind the open one, or before it. */
export function goFile(client: Client, by: 1 | -1): void {
  const open = openFileOf(client);
  const to = open?.files[open.at + by];
  if (open && to) client.browser.router.goBeside(paneHash(open.id, "changes", to.path));
}

function focusOn(line: HTMLElement | undefined): void {
  leadFocus(line);
  line?.scrollIntoView({ block: "nearest" });
}
