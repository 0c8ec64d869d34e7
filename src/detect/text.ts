/** Lowest code of the marks that begin a rule; from there to 0x3000 there is no white space. */
const FIRST_MARK = 0x2191;

/** Codes, since reading a character beyond Latin-1 as text makes a new string each time. */
export function charCodes(marks: string): readonly number[] {
  return Array.from(marks, (mark) => mark.charCodeAt(0));
}

export type RuleLine = "solid" | "dashed";

export function indentOf(line: string): number {
  let at = 0;
  while (at < line.length && line.charCodeAt(at) === 0x20) at++;
  if (at === line.length) return at;
  const first = line.charCodeAt(at);
  // Another white space is rare.
  const isText = (first > 0x20 && first < 0x7f) || (first >= FIRST_MARK && first < 0x3000);
  return isText ? at : line.length - line.trimStart().length;
}

export function fold(text: string): string {
  if (text === "") return text;
  const trimmed = text.trim();
  return / {2}|[^\S ]/.test(trimmed) ? trimmed.replace(/\s+/g, " ") : trimmed;
}

/** Scripts that set no blanks between words. */
const UNSPACED = "[\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\u3000-\\u303f\\uff00-\\uff60]";
/** A line may also break behind a hyphen or slash inside a word. */
const WRAPPED_WORD = new RegExp(
  `(?<=${UNSPACED})\\s*\\n\\s*(?=${UNSPACED})|(?<=[\\p{L}\\p{N}(][-/])\\n\\s*(?=[\\p{L}\\p{N}])`,
  "gu",
);

const FIRST_UNSPACED = new RegExp(UNSPACED, "u");

/** The part that a program moves to the next line when it does not fit: a word or a single sign. */
export function firstWord(line: string): string {
  const [word = ""] = /^\S*/.exec(line.trimStart()) ?? [];
  const { 0: letter = "", index = word.length } = FIRST_UNSPACED.exec(word) ?? {};
  return index === 0 ? letter : word.slice(0, index);
}

/** Whether the first word of the line below had room behind the one above, in so many columns. */
export function hasRoom(
  above: string,
  below: string,
  room: number,
  word = firstWord(below),
): boolean {
  // No character takes more than two columns.
  if ((above.length + below.length) * 2 < room) return true;
  return columnsOf(above) + 1 + columnsOf(word) <= room;
}

/** Ends of lines whose last word may go on in the next one. */
const MAY_GO_ON = /[-/]$|[^\x00-\x7f]$/;

export function unwrap(lines: readonly string[]): string {
  if (lines.length < 2) return fold(lines[0] ?? "");
  const parts = lines.map((line) => line.trim());
  if (!parts.some((part) => MAY_GO_ON.test(part))) return fold(parts.join(" "));
  return fold(lines.join("\n").replace(WRAPPED_WORD, ""));
}

/** Signs that take one column and do not combine with others. */
const SINGLE = /^[ -~‐-‧›←-⌙─-◼❯]*$/;

/** Columns that a text takes; `stringWidth` is slow, so plain text goes past it. */
export function columnsOf(text: string): number {
  return SINGLE.test(text) ? text.length : Bun.stringWidth(text);
}

/** Where in a line a column of the screen begins. */
export function offsetAt(line: string, column: number): number {
  if (SINGLE.test(line)) return Math.min(column, line.length);
  let offset = 0;
  let at = 0;
  for (const char of line) {
    at += Bun.stringWidth(char);
    if (at > column) break;
    offset += char.length;
  }
  return offset;
}

/** Most lines begin with a letter or with blanks. */
export function mayBeRule(line: string): boolean {
  const indent = indentOf(line);
  return indent <= 3 && indent < line.length && line.charCodeAt(indent) >= FIRST_MARK;
}

/** Before a rule above which lines are hidden. */
const MORE_ABOVE = /^↑ \d+ more lines? (?=[╌╍┄┅┈┉])/u;

/**
 * A horizontal rule over nearly the whole width, the top or bottom of a box included; a short
 * label may stand in it. Dialogs and composers begin and end with one.
 */
export function ruleLine(line: string, width: number): RuleLine | null {
  if (!mayBeRule(line)) return null;
  const trimmed = line.trim();
  const text = trimmed.startsWith("↑") ? trimmed.replace(MORE_ABOVE, "") : trimmed;
  const least = Math.max(12, Math.min(width, 200) * 0.6);
  if (text.length < least) return null;
  if ("╌╍┄┅┈┉".includes(text.charAt(0))) return /^[╌╍┄┅┈┉]+$/.test(text) ? "dashed" : null;
  if (!/^[─━═▔▁▀▄╭╮╰╯┌┐└┘╔╗╚╝┏┓┗┛╹╻].[─━═▔▁▀▄]/.test(text)) return null;
  const marks = text.replace(/[^─━═▔▁▀▄╭╮╰╯┌┐└┘╔╗╚╝┏┓┗┛╹╻]/g, "").length;
  return marks >= text.length * 0.6 ? "solid" : null;
}

const EDGE_MARKS = charCodes("+=_-");
/** Lines, corners and blocks. */
const [FIRST_DRAWN, LAST_DRAWN] = [0x2500, 0x259f] as const;
const PLAIN_EDGE = /^\s*[╭┌╔┏├╰└╚┗+]?[─━═╌╍┄┅┈┉▔▁▀▄=_-]{3,}[╮┐╗┓┤╯┘╝┛+]?$/u;
const TITLED_EDGE = /^\s*[╭┌╔┏├╰└╚┗]?[─━═]+ .{1,80} [─━═]+(?:[╮┐╗┓┤╯┘╝┛]|(?<=[─━═]{3}))$/u;

/** An edge of a frame, or a rule of any length, with or without a title. */
export function isEdge(line: string): boolean {
  const first = line.charCodeAt(indentOf(line));
  const isDrawn = first >= FIRST_DRAWN && first <= LAST_DRAWN;
  if (!isDrawn && !EDGE_MARKS.includes(first)) return false;
  return PLAIN_EDGE.test(line) || TITLED_EDGE.test(line);
}

export function withoutFrame(line: string): string {
  return fold(line.replace(/^[\s│┃║▌|]+(?=\s)|(?<=\s)[│┃║▐|]+$/gu, ""));
}
