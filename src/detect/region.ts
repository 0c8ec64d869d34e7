/** What was read of a view. It names its view, since a copy with other lines takes it along. */
interface Known {
  of: View;
  readings: { value: unknown }[];
}

let readers = 0;

/** A reading that several rules share, made once for each view. */
export function perView<T>(read: (view: View) => T): (view: View) => T {
  const reader = readers++;
  return (view) => {
    if (view.known?.of !== view) view.known = { of: view, readings: [] };
    const { readings } = view.known;
    readings[reader] ??= { value: read(view) };
    // Nobody else writes at this place.
    return readings[reader].value as T;
  };
}

/** Lines, `end` exclusive. */
export interface Span {
  start: number;
  end: number;
}

export interface Run {
  start: number;
  length: number;
  style: Style;
}

export interface Style {
  bold?: true;
  dim?: true;
  italic?: true;
  underline?: true;
  inverse?: true;
  strike?: true;
  fg?: number | string;
  bg?: number | string;
}

export interface ScreenLine {
  /** Plain text, right-trimmed. */
  text: string;
  /** Runs with a style other than the default, in order; the part behind `text` is cut off. */
  runs: readonly Run[];
  /** What stood behind `text` and is not kept; absent: nothing. */
  rest?: { characters: number; digest: string };
}

export interface Screen {
  /** History and screen; what the terminal wrapped is joined, and blank lines at the end are cut. */
  lines: ScreenLine[];
  /** Blank rows that were cut at the end; absent where nobody counted them. */
  blankRows?: number;
}

/** Lines above the last one that any rule may look at: what is drawn now is never longer. */
export const MAX_VIEW_LINES = 400;
/** Columns that shapes are looked for in. */
export const MAX_VIEW_COLUMNS = 2_000;

/**
 * The end of a screen, made ready for rules. `lines` has the same indexes and the same columns as
 * `screen.lines`, so that runs of style still fit: what is taken off becomes blanks.
 */
export interface View {
  screen: Screen;
  /** Normalised text; empty before `start`. */
  lines: readonly string[];
  start: number;
  /** Index behind the last line that is not blank. */
  end: number;
  width: number;
  height: number;
  known?: Known;
}

/** @param within Lines above `top` and from `bottom` on do not belong to what is drawn now. */
export function readView(
  screen: Screen,
  size: { width: number; height: number },
  { top = 0, bottom }: { top?: number; bottom?: number | undefined } = {},
): View {
  const count = bottom ?? screen.lines.length;
  const start = Math.max(top, count - MAX_VIEW_LINES);
  const lines = Array<string>(screen.lines.length).fill("");
  for (let i = start; i < count; i++) lines[i] = normalise(screen.lines[i]?.text ?? "");
  let end = count;
  while (end > start && (lines[end - 1] ?? "") === "") end--;
  return { screen, lines, start, end, width: size.width, height: size.height };
}

/** Without any of these a line is normal, as most are. */
const ODD = /[\u00a0█▐┃▌░▒▓▀▄│║╮╯|]/;

const SCROLLBAR = "█▐┃▌░▒▓▀▄";

/** U+00A0 to space; right-edge scrollbars and the sides of an enclosing box to blanks. */
export function normalise(text: string): string {
  if (text.length <= MAX_VIEW_COLUMNS && !ODD.test(text)) return text.trimEnd();
  let line = text.slice(0, MAX_VIEW_COLUMNS);
  if (line.includes("\u00a0")) line = line.replaceAll("\u00a0", " ");
  line = line.trimEnd();
  if (SCROLLBAR.includes(line.at(-1) ?? " "))
    line = line.replace(/(?<= {2})[█▐┃▌░▒▓]$|(?<=[│╮╯])[█▀▄]$/u, "").trimEnd();
  let left = 0;
  while (line.charCodeAt(left) === 0x20) left++;
  const bar = line[left] ?? " ";
  const isSide = left <= 3 && "│┃║▌|".includes(bar) && (line[left + 1] ?? " ") === " ";
  if (!isSide) return line;
  // A single thin bar on the left quotes evidence; a heavy one, or one on each side, is a box.
  const hasRight = line.length > left + 1 && "│┃║▐|".includes(line.at(-1) ?? " ");
  if (!hasRight && bar !== "┃") return line;
  const inner = line.slice(left + 1, hasRight ? -1 : undefined).trimEnd();
  return inner === "" ? "" : " ".repeat(left + 1) + inner;
}

/** The lowest code of the marks that a rule begins with. */
const FIRST_MARK = 0x2191;

type RuleLine = "solid" | "dashed";

const knownRules = perView((): (RuleLine | null)[] => []);

/** The rule on this line of the view, which several rules ask for. */
export function ruleAt(view: View, index: number): RuleLine | null {
  const line = lineAt(view, index);
  if (!mayBeRule(line)) return null;
  const known = knownRules(view);
  const found = known[index];
  return found === undefined ? (known[index] = ruleLine(line, view.width)) : found;
}

/** Most lines begin with a letter or with blanks. */
function mayBeRule(line: string): boolean {
  const first = line.charCodeAt(0);
  const indent = first === 0x20 ? indentOf(line) : 0;
  return indent <= 3 && line.charCodeAt(indent) >= FIRST_MARK;
}

/**
 * A horizontal rule over nearly the whole width, the top or bottom of a box included; a short
 * label may stand in it. Dialogs and composers begin and end with one.
 */
export function ruleLine(line: string, width: number): RuleLine | null {
  if (!mayBeRule(line)) return null;
  const indent = indentOf(line);
  if (!/[↑╌╍┄┅┈┉─━═▔▁▀▄╭╮╰╯┌┐└┘╔╗╚╝┏┓┗┛╹╻]/.test(line[indent] ?? "")) return null;
  const text = line.trim().replace(/^↑ \d+ more lines? (?=[╌╍┄┅┈┉])/u, "");
  const least = Math.max(12, Math.min(width, 200) * 0.6);
  if (text.length < least) return null;
  const first = text[0] ?? "";
  if (/[╌╍┄┅┈┉]/.test(first)) return /^[╌╍┄┅┈┉]+$/.test(text) ? "dashed" : null;
  if (!/[─━═▔▁▀▄╭╮╰╯┌┐└┘╔╗╚╝┏┓┗┛╹╻]/.test(first)) return null;
  const drawn = text.replace(/[^─━═▔▁▀▄╭╮╰╯┌┐└┘╔╗╚╝┏┓┗┛╹╻]/g, "").length;
  return drawn >= text.length * 0.6 && /^.{2}[─━═▔▁▀▄]/.test(text) ? "solid" : null;
}

const EDGE_MARKS = Array.from("+=_-", (mark) => mark.charCodeAt(0));
const PLAIN_EDGE = /^\s*[╭┌╔┏├╰└╚┗+]?[─━═╌╍┄┅┈┉▔▁▀▄=_-]{3,}[╮┐╗┓┤╯┘╝┛+]?$/u;
const TITLED_EDGE = /^\s*[╭┌╔┏├╰└╚┗]?[─━═]+ .{1,80} [─━═]{3,}[╮┐╗┓┤╯┘╝┛]?$/u;

/** The side of a frame or a line between two parts, however short, with or without a title. */
export function isEdge(line: string): boolean {
  // All begin with a mark.
  const first = line.charCodeAt(indentOf(line));
  if (!(first >= FIRST_MARK || EDGE_MARKS.includes(first))) return false;
  return PLAIN_EDGE.test(line) || TITLED_EDGE.test(line);
}

export function withoutFrame(line: string): string {
  return fold(line.replace(/^[\s│┃║▌|]+(?=\s)|(?<=\s)[│┃║▐|]+$/gu, ""));
}

type LineTest = RegExp | ((line: string, index: number) => boolean);

function tester(test: LineTest): (line: string, index: number) => boolean {
  return test instanceof RegExp ? (line) => test.test(line) : test;
}

export function findLineUp(view: View, from: number, to: number, test: LineTest): number | null {
  const passes = tester(test);
  for (let i = Math.min(from, view.end - 1); i >= Math.max(to, view.start); i--)
    if (passes(view.lines[i] ?? "", i)) return i;
  return null;
}

export function findLine(view: View, { start, end }: Span, test: LineTest): number | null {
  const passes = tester(test);
  for (let i = start; i < end; i++) if (passes(lineAt(view, i), i)) return i;
  return null;
}

/** Indexes of the last lines that are not blank, the last one first. */
export function lastLines(view: View, count: number): number[] {
  const found: number[] = [];
  for (let i = view.end - 1; i >= view.start && found.length < count; i--)
    if (view.lines[i] !== "") found.push(i);
  return found;
}

/** The lowest of the last lines that passes, blank ones not counted. */
export function findLast(view: View, count: number, test: LineTest): number | null {
  const passes = tester(test);
  return lastLines(view, count).find((i) => passes(lineAt(view, i), i)) ?? null;
}

export function lineAt(view: View, index: number): string {
  return view.lines[index] ?? "";
}

export function firstText(view: View, from: number, to: number): number {
  let i = from;
  while (i < to && lineAt(view, i) === "") i++;
  return i;
}

export function indentOf(line: string): number {
  let at = 0;
  while (line.charCodeAt(at) === 0x20) at++;
  const first = line.charCodeAt(at);
  // Another white space is rare.
  return first > 0x20 && first < 0x7f ? at : line.length - line.trimStart().length;
}

export function fold(text: string): string {
  const trimmed = text.trim();
  return /\s\s|[^\S ]/.test(trimmed) ? trimmed.replace(/\s+/g, " ") : trimmed;
}

/** Scripts that set no blanks between words. */
const UNSPACED = "[\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\u3000-\\u303f\\uff00-\\uff60]";
/** A line may also end behind the hyphen or slash inside of a word. */
const WRAPPED_WORD = new RegExp(
  `(?<=${UNSPACED})\\s*\\n\\s*(?=${UNSPACED})|(?<=[\\p{L}\\p{N}][-/])\\n\\s*(?=[\\p{L}\\p{N}])`,
  "gu",
);

const FIRST_UNSPACED = new RegExp(UNSPACED, "u");

/** The word that a program moves to the next line when the line above has no room for it. */
export function firstWord(line: string): string {
  const [word = ""] = /^\S*/.exec(line.trimStart()) ?? [];
  const { 0: letter = "", index = word.length } = FIRST_UNSPACED.exec(word) ?? {};
  return index === 0 ? letter : word.slice(0, index);
}

/** Whether the first word of the line below had room behind the one above, in so many columns. */
export function hasRoom(above: string, below: string, room: number): boolean {
  // No character takes more than two columns.
  if ((above.length + below.length) * 2 < room) return true;
  return Bun.stringWidth(above) + 1 + Bun.stringWidth(firstWord(below)) <= room;
}

/** How a line ends where the next one may go on with its word. */
const MAY_GO_ON = /[-/]\n|[^\x00-\x7f]\s*\n/;

export function unwrap(lines: readonly string[]): string {
  if (lines.length < 2) return fold(lines[0] ?? "");
  const text = lines.join("\n");
  return fold(MAY_GO_ON.test(text) ? text.replace(WRAPPED_WORD, "") : text);
}

const isAscii = (code: number) => code >= 0x20 && code < 0x7f;

/** Where in a line a column of the screen begins. */
export function offsetAt(line: string, column: number): number {
  let offset = 0;
  while (offset < column && isAscii(line.charCodeAt(offset))) offset++;
  let at = offset;
  for (const char of line.slice(offset)) {
    at += Bun.stringWidth(char);
    if (at > column) break;
    offset += char.length;
  }
  return offset;
}

export function styleAt(line: ScreenLine | undefined, column: number): Style {
  const run = line?.runs.find((r) => column >= r.start && column < r.start + r.length);
  return run?.style ?? {};
}

/** Whether the capture holds attributes at all: without them style proves nothing. */
export function hasStyle(view: View): boolean {
  for (let i = view.end - 1; i >= view.start; i--)
    if ((view.screen.lines[i]?.runs.length ?? 0) > 0) return true;
  return false;
}

/** Most lines that may stand below a dialog's box. */
const MAX_BELOW = 4;

/** Behind the paragraph that begins here. */
export function paragraphEnd(view: View, start: number, to: number): number {
  let end = start;
  while (end < to && lineAt(view, end) !== "") end++;
  return end;
}

export interface Box {
  top: number;
  bottom: number;
  right: number;
}

/** The box that ends the screen: below its bottom stands neither a rule nor an input line. */
export const readLastBox = perView((view): Box | null => {
  const near = lastLines(view, MAX_BELOW + 1);
  const bottom = near.find((i) => /^ *[╰└╚┗]/.test(lineAt(view, i)));
  // However wide: on a screen that has grown, it keeps its old width for a while.
  if (bottom === undefined || ruleLine(lineAt(view, bottom).trim(), 0) === null) return null;
  const indent = lineAt(view, bottom).search(/\S/);
  for (let i = bottom + 1; i < view.end; i++)
    if (ruleAt(view, i) !== null || /^ {0,3}[>❯›*!](?: |$)/.test(lineAt(view, i))) return null;
  for (let i = bottom - 1; i >= view.start; i--) {
    const text = view.screen.lines[i]?.text ?? "";
    if (/[╭┌╔┏]/.test(text[indent] ?? "") && text.search(/\S/) === indent)
      return { top: i, bottom, right: lineAt(view, bottom).length - 1 };
    if (!/[│┃║]/.test(text[indent] ?? "")) return null;
  }
  return { top: view.start - 1, bottom, right: lineAt(view, bottom).length - 1 };
});

/** Edges of a frame, with a title in the upper one perhaps. */
const EDGE = /^\s*[╭┌╔┏╰└╚┗].*[╮┐╗┓╯┘╝┛]$/u;

/**
 * The view without anything above the box and without its frame; what stands below it stays. The
 * upper side becomes a rule, and those of a frame inside dashed rules: what stands between them is
 * evidence, as where programs draw rules themselves.
 */
export function insideOf(view: View, box: Box): View {
  const left = lineAt(view, box.bottom).search(/\S/);
  const blank = " ".repeat(left + 1);
  const width = box.right;
  const edge = (mark: string) => blank + mark.repeat(Math.max(12, width - left - 1));
  const inside = (i: number) => {
    const raw = (view.screen.lines[i]?.text ?? "").trimEnd();
    const text =
      blank +
      raw
        .slice(left + 1)
        .replace(/[│┃║]$/u, "")
        .trimEnd();
    return EDGE.test(text) ? edge("╌") : withoutSides(text);
  };
  const lines = view.lines.map((line, i) => {
    if (i === box.top) return edge("─");
    if (i < box.top || i === box.bottom) return "";
    return i > box.bottom ? line : inside(i);
  });
  return { ...view, lines, start: Math.max(view.start, box.top), width };
}

/** Without the sides of a frame inside, each a blank in its place. */
function withoutSides(text: string): string {
  const line = normalise(text);
  const sides = /^( *)[│┃║](?= |$)(.*)[│┃║]$/u.exec(line);
  return sides ? `${sides[1]} ${sides[2]}`.trimEnd() : line;
}
