import type { StyleRun } from "../../../src/protocol/pane.ts";
import { tintOf } from "../../model/excerpt.ts";
import { patchScreen } from "../../model/screen-patch.ts";

/** One row of the terminal: its text and, where colours are shown, its runs. */
export interface ScreenLine {
  readonly text: string;
  readonly runs: readonly StyleRun[];
}

export interface ScreenChange {
  /** Rows that came at the end. */
  readonly added: number;
}

/**
 * Draws the rows of a terminal into an element, touching only what differs. Everything of the
 * terminal becomes text nodes; the class of a run is ours.
 */
export class ScreenView {
  readonly #root: HTMLElement;
  readonly #classOf: (style: string) => string;
  #lines: readonly ScreenLine[] = [];
  #isTinted = true;

  constructor(root: HTMLElement, classOf: (style: string) => string) {
    this.#root = root;
    this.#classOf = classOf;
  }

  get lines(): readonly ScreenLine[] {
    return this.#lines;
  }

  show(lines: readonly ScreenLine[], isTinted: boolean): ScreenChange {
    if (isTinted !== this.#isTinted) this.clear();
    this.#isTinted = isTinted;
    const before = this.#lines;
    this.#lines = lines;
    const { drop, head, tail } = patchScreen(before, lines, sameLine);
    const gone = before.length - drop - head - tail;
    for (let i = 0; i < drop; i++) this.#root.firstChild?.remove();
    for (let i = 0; i < gone; i++) this.#root.childNodes[head]?.remove();
    const fresh = document.createDocumentFragment();
    for (const line of lines.slice(head, lines.length - tail)) fresh.append(this.#row(line));
    this.#root.insertBefore(fresh, this.#root.childNodes[head] ?? null);
    return { added: Math.max(0, lines.length - (before.length - drop)) };
  }

  clear(): void {
    this.#lines = [];
    this.#root.replaceChildren();
  }

  #row({ text, runs }: ScreenLine): HTMLElement {
    const row = document.createElement("div");
    const tint =
      this.#isTinted && !runs.some((run) => /(^| )g/.test(run.style)) ? tintOf(text) : null;
    row.className = tint === null ? "line" : `line ${tint}`;
    const edgeAt = edgeOf(text);
    this.#fill(row, { text, runs }, 0, edgeAt);
    if (edgeAt < text.length) {
      const edge = document.createElement("span");
      edge.className = "edge";
      this.#fill(edge, { text, runs }, edgeAt, text.length);
      row.append(edge);
    }
    // A row without text would have no height and would not be copied as an empty line.
    if (text === "") row.append("\n");
    return row;
  }

  /** Appends the part of a line from `start` to `end`, each run in an element of its own. */
  #fill(parent: HTMLElement, { text, runs }: ScreenLine, start: number, end: number): void {
    let at = start;
    for (const run of runs) {
      const from = Math.max(run.start, at);
      const to = Math.min(run.start + run.length, end);
      if (from >= to) continue;
      if (from > at) parent.append(text.slice(at, from));
      const span = document.createElement("span");
      span.className = this.#classOf(run.style);
      span.append(text.slice(from, to));
      parent.append(span);
      at = to;
    }
    if (at < end) parent.append(text.slice(at, end));
  }
}

/** Where the right edge of a drawn box begins: its filler and its border; the end where there is none. */
function edgeOf(text: string): number {
  const edge = /(?:^\s*[│┃║].*?\S|^\s*[│┃║])(\s*[│┃║]\s*)$/.exec(text)?.[1];
  const rule = edge ?? /[─━═]{4,}[╮┐┘╯┤╗╝╣]?\s*$/.exec(text)?.[0];
  return text.length - (rule?.length ?? 0);
}

function sameLine(a: ScreenLine, b: ScreenLine): boolean {
  if (a.text !== b.text || a.runs.length !== b.runs.length) return false;
  if (a.runs === b.runs) return true;
  return a.runs.every((run, i) => {
    const other = b.runs[i];
    return run.start === other?.start && run.length === other.length && run.style === other.style;
  });
}
