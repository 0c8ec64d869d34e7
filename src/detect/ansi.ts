import type { Run, Screen, ScreenLine, Style } from "./region.ts";

/** Most UTF-16 units that are kept of one joined line; no program draws a prompt further right. */
export const MAX_LINE_CHARS = 16_384;

const TAB_COLUMNS = 8;
const PLAIN: Style = {};
/** Of most lines: an array each would cost more than their text. */
const NO_RUNS: readonly Run[] = [];

/**
 * Text without controls; a control sequence with its parameters and final byte; a string (OSC, DCS, SOS,
 * PM, APC) up to BEL or ST, which ends with its line where it was cut: it must not swallow the screen;
 * the designation of a charset; any other escape; any other control.
 */
const TOKEN =
  /([^\x00-\x1f\x7f-\x9f]+)|(?:\x1b\[|\x9b)([\x20-\x3f]*)([\x40-\x7e]?)|\x1b[\]PX^_][^\n\x07\x9c\x1b]*(?:[\x07\x9c]|\x1b\\)?|\x1b[\x20-\x2f]+[^]?|\x1b[^\n\x1b]?|[^]/g;

/**
 * Parses `capture-pane -e` text: SGR becomes runs, every other escape is dropped. A capture
 * without attributes is the same text without runs. One pass, linear in the text.
 */
export function parseScreen(capture: string): Screen {
  const lines: ScreenLine[] = [];
  const line = new DrawnLine();
  let style = PLAIN;
  // Shift-out: ncurses draws boxes with the terminal's line-drawing set (whiptail, dialog).
  let isDrawing = false;
  for (const [token, text, parameters = "", final] of capture.matchAll(TOKEN)) {
    if (text !== undefined) line.append(isDrawing ? toLineDrawing(text) : text, style);
    else if (token === "\n") lines.push(line.end());
    else if (final === "m") style = styleAfter(style, parameters);
    else if (token === "\t")
      line.append(" ".repeat(TAB_COLUMNS - (line.length % TAB_COLUMNS)), style);
    else if (token === "\x0e") isDrawing = true;
    else if (token === "\x0f") isDrawing = false;
  }
  if (line.length > 0) lines.push(line.end());
  const count = lines.length;
  while (lines.at(-1)?.text === "") lines.pop();
  return { lines, blankRows: count - lines.length };
}

/** The line that is being drawn. */
class DrawnLine {
  #text = "";
  #runs: Run[] = [];
  #rest: { characters: number; hasher: Bun.CryptoHasher } | null = null;

  get length(): number {
    return this.#text.length;
  }

  append(drawn: string, style: Style): void {
    const start = this.#text.length;
    const added = drawn.slice(0, MAX_LINE_CHARS - start);
    if (added.length < drawn.length) this.#passOver(drawn.slice(added.length));
    if (added !== "" && style !== PLAIN) this.#addRun(start, added.length, style);
    this.#text += added;
  }

  end(): ScreenLine {
    const text = this.#text.trimEnd();
    const runs = this.#runs.filter((run) => run.start < text.length);
    for (const run of runs) run.length = Math.min(run.length, text.length - run.start);
    const rest = this.#rest && {
      rest: { characters: this.#rest.characters, digest: this.#rest.hasher.digest("hex") },
    };
    [this.#text, this.#runs, this.#rest] = ["", [], null];
    return { text, runs: runs.length === 0 ? NO_RUNS : runs, ...rest };
  }

  #addRun(start: number, length: number, style: Style): void {
    const last = this.#runs.at(-1);
    if (last && last.start + last.length === start && isSameStyle(last.style, style))
      last.length += length;
    else this.#runs.push({ start, length, style });
  }

  /** An answer must notice when it changes, however far to the right it stands. */
  #passOver(text: string): void {
    this.#rest ??= { characters: 0, hasher: new Bun.CryptoHasher("sha256") };
    this.#rest.characters += text.length;
    this.#rest.hasher.update(text);
  }
}

const DRAWING: Readonly<Record<string, string>> = {
  j: "┘",
  k: "┐",
  l: "┌",
  m: "└",
  n: "┼",
  q: "─",
  t: "├",
  u: "┤",
  v: "┴",
  w: "┬",
  x: "│",
  a: "▒",
  h: "▒",
  "0": "█",
  "`": "◆",
  "~": "·",
  o: "▔",
  s: "▁",
};

function toLineDrawing(text: string): string {
  return text.replace(/[\x20-\x7e]/g, (char) => DRAWING[char] ?? char);
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

/** The first code of each. */
const SWITCHED_ON = Object.entries(SWITCHES)
  .filter(([code]) => Number(code) < 10)
  .flatMap(([code, set]) => Object.keys(set).map((name) => [code, name as keyof Style] as const));

/** Most changes begin at a plain cell, and programs repeat the same few: those are read once. */
const FROM_PLAIN = new Map<string, Style>();
const MAX_KNOWN_STYLES = 512;

function styleAfter(before: Style, parameters: string): Style {
  if (before !== PLAIN) return applySgr(before, parameters);
  const style = FROM_PLAIN.get(parameters) ?? applySgr(PLAIN, parameters);
  if (FROM_PLAIN.size < MAX_KNOWN_STYLES) FROM_PLAIN.set(parameters, style);
  return style;
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

/** `38;5;n` or `38;2;r;g;b`; answers how many parameters it used. */
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

function isSameStyle(a: Style, b: Style): boolean {
  return a === b || Bun.deepEquals(a, b);
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
  const switches = SWITCHED_ON.flatMap(([code, name]) => (style[name] ? [code] : []));
  return [...switches, ...colour(38, style.fg), ...colour(48, style.bg)];
}

function colour(code: 38 | 48, value: number | string | undefined): string[] {
  if (value === undefined) return [];
  if (typeof value === "number") return [`${code};5;${value}`];
  const parts = /^#(..)(..)(..)$/.exec(value)?.slice(1) ?? [];
  return [`${code};2;${parts.map((part) => Number.parseInt(part, 16)).join(";")}`];
}
