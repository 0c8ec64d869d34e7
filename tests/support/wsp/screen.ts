/** One row of a terminal: text with SGR sequences, and whether the next row continues its line. */
export interface Row {
  ansi: string;
  wraps: boolean;
}

export type Source = "visible" | "recent" | "recent-unwrapped" | "detection";

export interface ReadOptions {
  source: Source;
  lines: number | null;
  format: "text" | "ansi";
}

/** The server lowers every larger number to this. */
const MAX_LINES = 1000;
const DEFAULT_RECENT_LINES = 80;
const BLANK: Row = { ansi: "", wraps: false };

/** A terminal's buffer: the screen is always full, what left it is the history. */
export class Screen {
  rows: number;
  history: Row[] = [];
  screen: Row[] = [];
  alternate = false;
  /** Rows that the user of an attached client has scrolled back. */
  scrolledBack = 0;

  constructor(rows: number) {
    this.rows = rows;
    this.show("");
  }

  /** Replaces what the screen shows; rows above it are not touched. */
  show(text: string): void {
    const rows = rowsOf(text).slice(-this.rows);
    this.screen = [...rows, ...Array.from({ length: this.rows - rows.length }, () => BLANK)];
  }

  /** Adds lines below the last one that is not blank. */
  print(text: string): void {
    const used = this.screen.findLastIndex((row) => row.ansi !== "") + 1;
    const rows = [...this.screen.slice(0, used), ...rowsOf(text)];
    const left = Math.max(0, rows.length - this.rows);
    if (!this.alternate) this.history.push(...rows.slice(0, left));
    const kept = rows.slice(left);
    this.screen = [...kept, ...Array.from({ length: this.rows - kept.length }, () => BLANK)];
  }

  clear(): void {
    this.history = [];
    this.show("");
  }

  get historyRows(): number {
    return this.alternate ? 0 : this.history.length;
  }

  /** As `pane read` gives it. */
  read({ source, lines, format }: ReadOptions): string {
    const isRecent = source === "recent" || source === "recent-unwrapped";
    const rows = isRecent ? this.#recent(lines) : this.#visible(source, lines);
    const isAnsi = format === "ansi" && source !== "detection";
    const joined = source === "recent-unwrapped" ? unwrap(rows) : rows.map((row) => row.ansi);
    if (isAnsi) return joined.join("\r\n");
    const text = joined.map((row) => plain(row).trimEnd()).join("\n");
    return text === "" || source === "recent-unwrapped" ? text : `${text}\n`;
  }

  #visible(source: Source, lines: number | null): Row[] {
    const all = [...this.history, ...this.screen];
    const end = all.length - (source === "visible" ? this.scrolledBack : 0);
    const rows = withoutBlankEnd(all.slice(end - this.rows, end));
    return lines === null ? rows : rows.slice(rows.length - Math.min(lines, rows.length));
  }

  #recent(lines: number | null): Row[] {
    const all = this.alternate ? this.screen : [...this.history, ...this.screen];
    const count = Math.min(lines ?? DEFAULT_RECENT_LINES, MAX_LINES, all.length);
    return withoutBlankEnd(all.slice(all.length - count));
  }
}

/** Rows of a text whose lines are rows; `\u0001` at a line's end says that the next continues it. */
export function rowsOf(text: string): Row[] {
  if (text === "") return [];
  return text.split("\n").map((line) => {
    const wraps = line.endsWith("\u0001");
    return { ansi: wraps ? line.slice(0, -1) : line, wraps };
  });
}

const SGR = new RegExp(`${String.fromCharCode(27)}\\[[0-9;:]*m`, "g");

export function plain(ansi: string): string {
  return ansi.replace(SGR, "");
}

function unwrap(rows: readonly Row[]): string[] {
  const lines: string[] = [];
  let isOpen = false;
  for (const { ansi, wraps } of rows) {
    if (isOpen) lines.push(`${lines.pop() ?? ""}${ansi}`);
    else lines.push(ansi);
    isOpen = wraps;
  }
  return lines;
}

function withoutBlankEnd(rows: readonly Row[]): Row[] {
  return rows.slice(0, rows.findLastIndex((row) => plain(row.ansi).trim() !== "") + 1);
}
