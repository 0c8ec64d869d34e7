import type { Run, Screen, ScreenLine, Style } from "./region.ts";

/** Most UTF-16 units that are kept of one joined line; no program draws a prompt further right. */
export const MAX_LINE_CHARS = 16_384;

const TAB_COLUMNS = 8;
const PLAIN: Style = {};
/** Of most lines: an array each would cost more than their text. */
const NO_RUNS: readonly Run[] = [];

/**
 * Parses `capture-pane -e` text: SGR becomes runs, every other escape is dropped. A capture
 * without attributes is the same text without runs. One pass, linear in the text.
 */
export function parseScreen(capture: string): Screen {
  const parser = new CaptureParser(capture);
  return parser.parse();
}

class CaptureParser {
  readonly #text: string;
  readonly #lines: ScreenLine[] = [];
  #at = 0;
  #style: Style = PLAIN;
  // Shift-out: ncurses draws boxes with the terminal's line-drawing set (whiptail, dialog).
  #isDrawing = false;
  #line = "";
  #rest: { characters: number; hasher: Bun.CryptoHasher } | null = null;
  #runs: Run[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  parse(): Screen {
    const text = this.#text;
    while (this.#at < text.length) {
      const stop = this.#endOfPlainText();
      if (stop > this.#at) this.#append(text.slice(this.#at, stop));
      this.#at = stop;
      if (stop < text.length) this.#control(text.charCodeAt(stop));
    }
    if (this.#line !== "") this.#endLine();
    const count = this.#lines.length;
    while (this.#lines.at(-1)?.text === "") this.#lines.pop();
    return { lines: this.#lines, blankRows: count - this.#lines.length };
  }

  #endOfPlainText(): number {
    let i = this.#at;
    while (i < this.#text.length && !isControl(this.#text.charCodeAt(i))) i++;
    return i;
  }

  #control(code: number): void {
    this.#at++;
    if (code === 0x0a) this.#endLine();
    if (code === 0x09) this.#append(" ".repeat(TAB_COLUMNS - (this.#line.length % TAB_COLUMNS)));
    if (code === 0x0e) this.#isDrawing = true;
    if (code === 0x0f) this.#isDrawing = false;
    if (code === 0x1b) this.#escape();
    if (code === 0x9b) this.#controlSequence();
  }

  #escape(): void {
    const code = this.#text.charCodeAt(this.#at);
    this.#at++;
    if (code === 0x5b) return this.#controlSequence(); // [
    // OSC, DCS, SOS, PM, APC run up to BEL or ST.
    if ([0x5d, 0x50, 0x58, 0x5e, 0x5f].includes(code)) return this.#skipString();
    // Charset designation: one or more intermediates, then a final byte.
    if (code >= 0x20 && code <= 0x2f) {
      let final = code;
      while (final >= 0x20 && final <= 0x2f) final = this.#text.charCodeAt(this.#at++);
      return;
    }
    if (code === 0x0a || code === 0x1b || Number.isNaN(code)) this.#at--;
  }

  #skipString(): void {
    const text = this.#text;
    for (let i = this.#at; i < text.length; i++) {
      const code = text.charCodeAt(i);
      // A string that does not end on its line was cut: it must not swallow the screen.
      if (code === 0x0a) {
        this.#at = i;
        return;
      }
      if (code === 0x07 || code === 0x9c) {
        this.#at = i + 1;
        return;
      }
      if (code === 0x1b) {
        this.#at = text.charCodeAt(i + 1) === 0x5c ? i + 2 : i;
        return;
      }
    }
    this.#at = text.length;
  }

  #controlSequence(): void {
    const start = this.#at;
    let i = start;
    while (i < this.#text.length && isParameter(this.#text.charCodeAt(i))) i++;
    const final = this.#text.charCodeAt(i);
    const isWhole = final >= 0x40 && final <= 0x7e;
    this.#at = isWhole ? i + 1 : i;
    if (isWhole && final === 0x6d) this.#style = applySgr(this.#style, this.#text.slice(start, i));
  }

  #append(text: string): void {
    const room = MAX_LINE_CHARS - this.#line.length;
    const drawn = this.#isDrawing ? toLineDrawing(text) : text;
    const added = drawn.length > room ? drawn.slice(0, room) : drawn;
    if (added.length < drawn.length) this.#passOver(drawn.slice(added.length));
    if (added === "") return;
    if (this.#style !== PLAIN) this.#addRun(this.#line.length, added.length);
    this.#line += added;
  }

  #addRun(start: number, length: number): void {
    const last = this.#runs.at(-1);
    if (last && last.start + last.length === start && isSameStyle(last.style, this.#style)) {
      last.length += length;
      return;
    }
    this.#runs.push({ start, length, style: this.#style });
  }

  #runsOf(text: string): readonly Run[] {
    const runs = this.#runs.filter((run) => run.start < text.length);
    for (const run of runs) run.length = Math.min(run.length, text.length - run.start);
    this.#runs = [];
    return runs;
  }

  /** An answer must notice when it changes, however far to the right it stands. */
  #passOver(text: string): void {
    this.#rest ??= { characters: 0, hasher: new Bun.CryptoHasher("sha256") };
    this.#rest.characters += text.length;
    this.#rest.hasher.update(text);
  }

  #endLine(): void {
    const text = this.#line.trimEnd();
    const runs = this.#runs.length === 0 ? NO_RUNS : this.#runsOf(text);
    const rest = this.#rest && {
      rest: { characters: this.#rest.characters, digest: this.#rest.hasher.digest("hex") },
    };
    this.#lines.push({ text, runs, ...rest });
    this.#line = "";
    this.#rest = null;
  }
}

function isControl(code: number): boolean {
  return code < 0x20 || (code >= 0x7f && code <= 0x9f);
}

function isParameter(code: number): boolean {
  return code >= 0x20 && code <= 0x3f;
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
  if (a === b) return true;
  return (
    a.fg === b.fg &&
    a.bg === b.bg &&
    a.bold === b.bold &&
    a.dim === b.dim &&
    a.italic === b.italic &&
    a.underline === b.underline &&
    a.inverse === b.inverse &&
    a.strike === b.strike
  );
}
