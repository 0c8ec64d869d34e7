import type { Run, Screen, ScreenLine, Style } from "./region.ts";

/** Most UTF-16 units that are kept of one joined line; no program draws a prompt further right. */
export const MAX_LINE_CHARS = 16_384;

const TAB_COLUMNS = 8;
const PLAIN: Style = {};
/** Most lines share it: an array for each would cost more than their text. */
const NO_RUNS: readonly Run[] = [];
const BLANK_LINE: ScreenLine = { text: "", runs: NO_RUNS };

const [TABULATOR, NEWLINE, SHIFT_OUT, SHIFT_IN, ESCAPE, BRACKET, LETTER_M, CSI] = [
  0x09, 0x0a, 0x0e, 0x0f, 0x1b, 0x5b, 0x6d, 0x9b,
] as const;

/**
 * Controls that are no control sequence: a string (OSC, DCS, SOS, PM, APC) up to BEL or ST, or to the
 * end of its line, so that one that was cut off does not swallow the screen; the designation of a
 * charset; any other escape; any other control.
 */
const OTHER =
  /\x1b[\]PX^_][^\n\x07\x9c\x1b]*(?:[\x07\x9c]|\x1b\\)?|\x1b[\x20-\x2f]+[^]?|\x1b[^\n\x1b]?|[^]/y;

/**
 * Parses `capture-pane -e` text: SGR becomes runs, every other escape is dropped. A capture
 * without attributes is the same text without runs. One pass, linear in the text.
 */
export function parseScreen(capture: string): Screen {
  const lines: ScreenLine[] = [];
  const line = new LineBuilder();
  let pen = freshPen();
  // Shift-out: ncurses draws boxes with the terminal's line-drawing set (whiptail, dialog).
  let isDrawing = false;
  let at = 0;
  while (at < capture.length) {
    const code = capture.charCodeAt(at);
    if (!isControl(code)) {
      const end = textEnd(capture, at);
      const text = capture.slice(at, end);
      line.append(isDrawing ? toLineDrawing(text) : text, pen.style);
      at = end;
    } else if (code === NEWLINE) {
      lines.push(line.end());
      at++;
    } else if (code === CSI || (code === ESCAPE && capture.charCodeAt(at + 1) === BRACKET)) {
      const from = at + (code === CSI ? 1 : 2);
      let end = from;
      let sequence = pen.sequences;
      let final = capture.charCodeAt(end);
      for (; isParameter(final); final = capture.charCodeAt(++end))
        sequence = nextNode(sequence, final);
      if (final === LETTER_M) pen = sequence.pen ??= penAfter(pen, capture.slice(from, end));
      at = final >= 0x40 && final <= 0x7e ? end + 1 : end;
    } else {
      if (code === TABULATOR)
        line.append(" ".repeat(TAB_COLUMNS - (line.length % TAB_COLUMNS)), pen.style);
      else if (code === SHIFT_OUT || code === SHIFT_IN) isDrawing = code === SHIFT_OUT;
      OTHER.lastIndex = at;
      OTHER.test(capture);
      at = OTHER.lastIndex;
    }
  }
  if (line.length > 0) lines.push(line.end());
  const count = lines.length;
  while (lines.at(-1)?.text === "") lines.pop();
  return { lines, blankRows: count - lines.length };
}

function isControl(code: number): boolean {
  return code < 0x20 || (code >= 0x7f && code <= 0x9f);
}

function textEnd(capture: string, from: number): number {
  let end = from + 1;
  while (end < capture.length && !isControl(capture.charCodeAt(end))) end++;
  return end;
}

const FIRST_PARAMETER = 0x20;

function isParameter(code: number): boolean {
  return code >= FIRST_PARAMETER && code <= 0x3f;
}

class LineBuilder {
  #text = "";
  #runs: Run[] = [];
  #rest: { characters: number; hasher: Bun.CryptoHasher } | null = null;

  get length(): number {
    return this.#text.length;
  }

  append(drawn: string, style: Style): void {
    const start = this.#text.length;
    const room = MAX_LINE_CHARS - start;
    const added = drawn.length <= room ? drawn : drawn.slice(0, room).toWellFormed();
    if (added.length < drawn.length) this.#digestRest(drawn.slice(added.length));
    if (added !== "" && style !== PLAIN) this.#addRun(start, added.length, style);
    this.#text += added;
  }

  end(): ScreenLine {
    if (this.#text === "") return BLANK_LINE;
    const text = this.#text.trimEnd();
    const runs = this.#runs;
    while ((runs.at(-1)?.start ?? -1) >= text.length) runs.pop();
    const last = runs.at(-1);
    if (last) last.length = Math.min(last.length, text.length - last.start);
    const line: ScreenLine = { text, runs: runs.length === 0 ? NO_RUNS : runs };
    if (this.#rest) {
      const { characters, hasher } = this.#rest;
      line.rest = { characters, digest: hasher.digest("hex") };
    }
    this.#text = "";
    if (runs.length > 0) this.#runs = [];
    this.#rest = null;
    return line;
  }

  #addRun(start: number, length: number, style: Style): void {
    const last = this.#runs.at(-1);
    if (last && last.start + last.length === start && last.style === style) last.length += length;
    else this.#runs.push({ start, length, style });
  }

  /** The guard of an answer must notice a change of text that is not kept. */
  #digestRest(text: string): void {
    this.#rest ??= { characters: 0, hasher: new Bun.CryptoHasher("sha256") };
    this.#rest.characters += text.length;
    this.#rest.hasher.update(text);
  }
}

/** As in terminfo (`acsc`): each letter before the sign that it draws. */
const DRAWING = "j┘k┐l┌m└n┼q─t├u┤v┴w┬x│a▒h▒0█`◆~·o▔s▁";

function toLineDrawing(text: string): string {
  return text.replace(/[\x20-\x7e]/g, (char) => {
    const at = DRAWING.indexOf(char);
    return at < 0 ? char : DRAWING.charAt(at + 1);
  });
}

const SWITCHES: Readonly<Record<number, Partial<Record<keyof Style, true | undefined>>>> = {
  1: { bold: true },
  2: { dim: true },
  3: { italic: true },
  4: { underline: true },
  7: { inverse: true },
  9: { strike: true },
  21: { underline: true },
  22: { bold: undefined, dim: undefined },
  23: { italic: undefined },
  24: { underline: undefined },
  27: { inverse: undefined },
  29: { strike: undefined },
  39: { fg: undefined },
  49: { bg: undefined },
};

/** The code that switches each attribute on. */
const SWITCH_CODES = Object.entries(SWITCHES)
  .filter(([code]) => Number(code) < 10)
  .flatMap(([code, set]) => Object.keys(set).map((name) => [code, name as keyof Style] as const));

/** A style, and the pens that sequences make of it: programs repeat a few, and each is parsed once. */
interface Pen {
  style: Style;
  sequences: SequenceNode;
}

/** In the tree of sequences, by characters: `next` by code, `pen` where a sequence ends. */
interface SequenceNode {
  next: (SequenceNode | undefined)[];
  pen: Pen | null;
}

const newNode = (): SequenceNode => ({ next: [], pen: null });

const PLAIN_PEN: Pen = { style: PLAIN, sequences: newNode() };
/** By their codes: within a screen equal styles are the same object. */
const PENS = new Map<string, Pen>();
/** The cache is cleared between two screens, and only there. */
const MAX_CACHED_NODES = 32_768;
let cachedNodes = 0;

function freshPen(): Pen {
  if (cachedNodes > MAX_CACHED_NODES) {
    PENS.clear();
    PLAIN_PEN.sequences = newNode();
    cachedNodes = 0;
  }
  return PLAIN_PEN;
}

function nextNode(node: SequenceNode, code: number): SequenceNode {
  const at = code - FIRST_PARAMETER;
  const next = node.next[at];
  if (next) return next;
  const added = newNode();
  if (cachedNodes++ < MAX_CACHED_NODES) node.next[at] = added;
  return added;
}

function penAfter(before: Pen, parameters: string): Pen {
  const style = applySgr(before.style, parameters);
  const codes = codesOf(style).join(";");
  const pen = style === PLAIN ? PLAIN_PEN : (PENS.get(codes) ?? { style, sequences: newNode() });
  if (pen !== PLAIN_PEN) PENS.set(codes, pen);
  return pen;
}

function applySgr(before: Style, parameters: string): Style {
  if (parameters === "" || parameters === "0") return PLAIN;
  if (!/^[\d;:]*$/.test(parameters)) return before;
  const style: Record<string, unknown> = { ...before };
  const parts = parameters.split(";");
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i] ?? "";
    if (part.includes(":")) {
      applyColonForm(style, part);
      continue;
    }
    const code = Number(part);
    if (code === 0) for (const key of Object.keys(style)) delete style[key];
    else if (code === 38 || code === 48) i += applyExtended(style, code, parts.slice(i + 1, i + 5));
    else if (code >= 30 && code <= 37) style["fg"] = code - 30;
    else if (code >= 90 && code <= 97) style["fg"] = code - 82;
    else if (code >= 40 && code <= 47) style["bg"] = code - 40;
    else if (code >= 100 && code <= 107) style["bg"] = code - 92;
    else Object.assign(style, SWITCHES[code]);
  }
  for (const key of Object.keys(style)) if (style[key] === undefined) delete style[key];
  return Object.keys(style).length === 0 ? PLAIN : (style as Style);
}

/** `38;5;n` or `38;2;r;g;b`; returns how many parameters behind the code belong to it. */
function applyExtended(style: Record<string, unknown>, code: number, rest: string[]): number {
  const [mode, ...values] = rest.map(Number);
  const key = code === 38 ? "fg" : "bg";
  if (mode === 5 && isByte(values[0])) style[key] = values[0];
  if (mode === 2 && values.length >= 3) style[key] = hexColour(values);
  if (mode === 5) return 2;
  return mode === 2 ? 4 : 0;
}

/** `4:3` (curly underline), `38:5:n`, `38:2::r:g:b`. */
function applyColonForm(style: Record<string, unknown>, part: string): void {
  const numbers = part.split(":").map((value) => (value === "" ? Number.NaN : Number(value)));
  const [code, mode] = numbers;
  if (code === 4) style["underline"] = mode === 0 ? undefined : true;
  if (code !== 38 && code !== 48) return;
  const key = code === 38 ? "fg" : "bg";
  if (mode === 5 && isByte(numbers[2])) style[key] = numbers[2];
  if (mode === 2) style[key] = hexColour(numbers.slice(-3));
}

function isByte(value: number | undefined): value is number {
  return value !== undefined && value >= 0 && value <= 255;
}

function hexColour(values: readonly number[]): string | undefined {
  const rgb = values.slice(0, 3);
  if (rgb.length < 3 || !rgb.every(isByte)) return undefined;
  return `#${rgb.map((value) => value.toString(16).padStart(2, "0")).join("")}`;
}

/** A screen as capture text with attributes: parsing it gives the same screen again. */
export function renderScreen({ lines }: Screen): string {
  return lines.map((line) => `${renderLine(line)}\n`).join("");
}

function renderLine({ text, runs }: ScreenLine): string {
  let rendered = "";
  let at = 0;
  for (const { start, length, style } of runs) {
    const styled = text.slice(start, start + length);
    rendered += `${text.slice(at, start)}\x1b[${codesOf(style).join(";")}m${styled}\x1b[0m`;
    at = start + length;
  }
  return rendered + text.slice(at);
}

function codesOf(style: Style): string[] {
  const switches = SWITCH_CODES.flatMap(([code, name]) => (style[name] ? [code] : []));
  return [...switches, ...colour(38, style.fg), ...colour(48, style.bg)];
}

function colour(code: 38 | 48, value: number | string | undefined): string[] {
  if (value === undefined) return [];
  if (typeof value === "number") return [`${code};5;${value}`];
  const parts = /^#(..)(..)(..)$/.exec(value)?.slice(1) ?? [];
  return [`${code};2;${parts.map((part) => Number.parseInt(part, 16)).join(";")}`];
}
