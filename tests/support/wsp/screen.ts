/** One row of a terminal: text with SGR sequences, and whether the next row continues its line. */
export interface Row {
  ansi: string;
  wraps: boolean;
}

/** The server lowers larger numbers to this. */
const MAX_LINES = 1000;
const BLANK: Row = { ansi: "", wraps: false };

/** A terminal's buffer: a full screen, and the rows that have left it as history. */
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

  /** Replaces the screen; the history stays. */
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

  /** As `pane read --source detection` gives it: without colours, and with none of the history. */
  detection(): string {
    const rows = withoutBlankEnd(this.screen);
    return rows.map((row) => `${plain(row.ansi).trimEnd()}\n`).join("");
  }

  /** As `pane read --source recent-unwrapped --format ansi` gives it. */
  recent(lines: number): string {
    const all = this.alternate ? this.screen : [...this.history, ...this.screen];
    const count = Math.min(lines, MAX_LINES, all.length);
    return unwrap(withoutBlankEnd(all.slice(all.length - count))).join("\r\n");
  }
}

/** One row for each line; `\u0001` at the end of a line: the next row continues it. */
export function rowsOf(text: string): Row[] {
  if (text === "") return [];
  return text.split("\n").map((line) => {
    const wraps = line.endsWith("\u0001");
    return { ansi: wraps ? line.slice(0, -1) : line, wraps };
  });
}

const SGR = new RegExp(`${String.fromCharCode(27)}\\[[0-9;:]*m`, "g");

function plain(ansi: string): string {
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
