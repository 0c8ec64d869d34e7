import type { StyleRun } from "../../../src/protocol/pane.ts";
import { tintOf, edgeOf, isRuleAt } from "../../model/excerpt.ts";
import { sameValue } from "../../model/reuse.ts";
import { lookOf, roundStyle, type Look } from "../../model/terminal-colour.ts";
import { visiblePieces } from "../../model/text.ts";

export interface ScreenLine {
  readonly text: string;
  /** Empty where colours are off. */
  readonly runs: readonly StyleRun[];
}

/** Finding the readable colours of a style is slow, so they are cached; gradients bring ever more styles. */
const MAX_LOOKS = 2000;

/** Rows stand in blocks, so that a change lays out its own block and no other. */
const BLOCK_ROWS = 50;

/** Draws the rows of a terminal, touching only those that differ. What a program wrote becomes text nodes. */
export class ScreenView {
  readonly #root: HTMLElement;
  readonly #document: Document;
  /** CSS declarations by style. */
  readonly #looks = new Map<string, string>();
  #lines: readonly ScreenLine[] = [];
  #rows: HTMLElement[] = [];
  #isTinted = true;

  constructor(root: HTMLElement) {
    this.#root = root;
    this.#document = root.ownerDocument;
  }

  get rows(): readonly HTMLElement[] {
    return this.#rows;
  }

  /** Returns how many rows came at the end. */
  show(lines: readonly ScreenLine[], isTinted: boolean): number {
    if (isTinted !== this.#isTinted) this.#clear();
    this.#isTinted = isTinted;
    const before = this.#lines;
    this.#lines = lines;
    const { drop, head, tail } = patchScreen(before, lines);
    this.#remove(0, drop);
    this.#remove(head, before.length - drop - head - tail);
    this.#insert(
      head,
      lines.slice(head, lines.length - tail).map((line) => this.#row(line)),
    );
    return Math.max(0, lines.length - (before.length - drop));
  }

  #clear(): void {
    this.#lines = [];
    this.#rows = [];
    this.#root.replaceChildren();
  }

  #remove(at: number, count: number): void {
    for (const row of this.#rows.splice(at, count)) {
      const block = row.parentElement;
      row.remove();
      if (block?.firstChild === null) block.remove();
    }
  }

  #insert(at: number, rows: readonly HTMLElement[]): void {
    const previous = this.#rows[at - 1];
    this.#rows.splice(at, 0, ...rows);
    if (rows.length === 0) return;
    let block = previous?.parentElement ?? this.#root.firstElementChild ?? this.#blockAfter(null);
    if (previous === undefined) block.prepend(...rows);
    else previous.after(...rows);
    // Rows that find no room in it go on in blocks of their own.
    const all = [...block.children];
    for (let from = BLOCK_ROWS; from < all.length; from += BLOCK_ROWS) {
      block = this.#blockAfter(block);
      block.append(...all.slice(from, from + BLOCK_ROWS));
    }
  }

  #blockAfter(before: Element | null): Element {
    const block = this.#document.createElement("div");
    block.className = "block";
    if (before === null) this.#root.append(block);
    else before.after(block);
    return block;
  }

  #row({ text, runs }: ScreenLine): HTMLElement {
    const row = this.#document.createElement("div");
    const tint =
      this.#isTinted && !runs.some((run) => /(^| )g/.test(run.style)) ? tintOf(text) : null;
    row.className = tint === null ? "line" : `line ${tint}`;
    const edgeAt = edgeOf(text);
    this.#fill(row, { text, runs }, 0, edgeAt);
    if (edgeAt < text.length) {
      const edge = this.#document.createElement("span");
      edge.className = "edge";
      row.classList.add("boxed");
      if (!isRuleAt(text, edgeAt)) edge.style.setProperty("--columns", `${text.trimEnd().length}`);
      this.#fill(edge, { text, runs }, edgeAt, text.length);
      row.append(edge);
    }
    // A row without text would have no height and would not be copied as an empty line.
    if (text === "") row.append("\n");
    return row;
  }

  #fill(parent: HTMLElement, { text, runs }: ScreenLine, start: number, end: number): void {
    let at = start;
    for (const run of runs) {
      const from = Math.max(run.start, at);
      const to = Math.min(run.start + run.length, end);
      if (from >= to) continue;
      if (from > at) parent.append(text.slice(at, from));
      const span = this.#document.createElement("span");
      // By the object model, which a strict Content-Security-Policy allows.
      span.style.cssText = this.#lookOf(run.style);
      this.#write(span, text.slice(from, to));
      parent.append(span);
      at = to;
    }
    if (at < end) this.#write(parent, text.slice(at, end));
  }

  #lookOf(style: string): string {
    const rounded = roundStyle(style);
    const look = this.#looks.get(rounded) ?? declarations(rounded);
    if (this.#looks.size >= MAX_LOOKS) this.#looks.clear();
    this.#looks.set(rounded, look);
    return look;
  }

  /** Marks that turn the reading direction are drawn, not obeyed: what is read is what runs. */
  #write(parent: HTMLElement, text: string): void {
    for (const piece of visiblePieces(text)) {
      if ("text" in piece) {
        parent.append(piece.text);
        continue;
      }
      const mark = this.#document.createElement("span");
      mark.className = "hidden-mark";
      mark.dataset["mark"] = piece.mark;
      parent.append(mark);
    }
  }
}

function declarations(style: string): string {
  const light = lookOf(style, "light");
  const dark = lookOf(style, "dark");
  const lines = [light.isUnderlined && "underline", light.isStruck && "line-through"];
  const rules = [
    both("color", light.colour, dark.colour),
    both("background-color", light.background, dark.background),
    light.isBold && "font-weight:600",
    light.isItalic && "font-style:italic",
    lines.some(Boolean) && `text-decoration-line:${lines.filter(Boolean).join(" ")}`,
  ];
  return rules.filter(Boolean).join(";");
}

function both(property: string, light: Look["colour"], dark: Look["colour"]): string | false {
  if (light === null || dark === null) return false;
  return `${property}:light-dark(${light},${dark})`;
}

/** Rows that may scroll away at once before the rest is simply written anew. */
const MAX_SCROLL = 300;

/**
 * Finds what stays between two screens of a terminal. Output either grows at the end, is rewritten
 * near the end, or scrolls: so `drop` rows go at the top, and `head` rows behind them and the last
 * `tail` rows stay.
 */
function patchScreen(before: readonly ScreenLine[], after: readonly ScreenLine[]) {
  /** How many rows are equal from a pair of rows on, in one direction. */
  const run = (i: number, j: number, step: 1 | -1): number => {
    for (let length = 0; ; length++) {
      const left = before[i + step * length];
      const right = after[j + step * length];
      if (left === undefined || left.text !== right?.text || !sameValue(left.runs, right.runs))
        return length;
    }
  };
  const end = run(before.length - 1, after.length - 1, -1);
  let best = { drop: 0, head: 0, tail: end };
  const limit = Math.min(before.length, MAX_SCROLL);
  for (let drop = 0; drop <= limit; drop++) {
    const head = run(drop, 0, 1);
    const tail = Math.min(end, after.length - head, before.length - drop - head);
    if (head + tail > best.head + best.tail) best = { drop, head, tail };
    if (best.drop + best.head + best.tail >= before.length) break;
  }
  return best;
}
