import { charCodes, mayBeRule, ruleLine, type RuleLine } from "./text.ts";

let readers = 0;

/** A reading that several rules share, cached with its view. */
export function perView<T>(read: (view: View) => T): (view: View) => T {
  const reader = readers++;
  return (view) => {
    if (view.cache?.of !== view) view.cache = { of: view, readings: [] };
    const { readings } = view.cache;
    readings[reader] ??= { value: read(view) };
    // Only this reader writes at its index.
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
  /** Runs with a style other than the default, in order, none of them beyond `text`. */
  runs: readonly Run[];
  /** The end of a line that is too long to be kept; absent: `text` is all. */
  rest?: { characters: number; digest: string };
}

export interface Screen {
  /** History and screen: on the main screen wrapped lines are joined; blank lines at the end are cut. */
  lines: ScreenLine[];
  /** Blank rows that were cut at the end; absent where nobody counted them. */
  blankRows?: number;
}

/**
 * Lines with text, from the last one up, that rules look at. A pane may be a thousand rows high, with
 * a dialog at the top and a status panel at the bottom.
 */
export const MAX_VIEW_LINES = 400;
export const MAX_VIEW_COLUMNS = 2_000;

/**
 * The end of a screen, made ready for rules. `lines` has the indexes and the columns of
 * `screen.lines`, so that runs of style fit: a character that is removed becomes a blank.
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
  /** `of` is the view that was read: a copy of the view with other lines takes the cache along. */
  cache?: { of: View; readings: { value: unknown }[] };
}

/** Lines above `top` and from `bottom` on are left out. */
export function readView(
  screen: Screen,
  size: { width: number; height: number },
  { top = 0, bottom }: { top?: number; bottom?: number | undefined } = {},
): View {
  const count = bottom ?? screen.lines.length;
  const lines = Array<string>(screen.lines.length).fill("");
  let start = count;
  for (let left = MAX_VIEW_LINES; start > top && left > 0; start--) {
    const text = screen.lines[start - 1]?.text ?? "";
    if (text === "") continue;
    lines[start - 1] = normalise(text);
    left--;
  }
  let end = count;
  while (end > start && lines[end - 1] === "") end--;
  return { screen, lines, start, end, width: size.width, height: size.height };
}

const SCROLLBAR = charCodes("█▐┃▌░▒▓▀▄");
const SIDES = charCodes("│┃║▌|");
const [BLANK, PIPE, FIRST_DRAWN, THIN_BAR, HEAVY_BAR] = [
  0x20, 0x7c, 0x2500, 0x2502, 0x2503,
] as const;

/** U+00A0 to space; right-edge scrollbars and the sides of an enclosing box to blanks. */
export function normalise(text: string): string {
  if (text === "") return text;
  let line = text.length > MAX_VIEW_COLUMNS ? text.slice(0, MAX_VIEW_COLUMNS).trimEnd() : text;
  if (line.includes("\u00a0")) line = line.replaceAll("\u00a0", " ");
  const last = line.charCodeAt(line.length - 1);
  if (last >= FIRST_DRAWN && SCROLLBAR.includes(last))
    line = line.replace(/(?<= {2})[█▐┃▌░▒▓]$|(?<=[│╮╯])[█▀▄]$/u, "").trimEnd();
  // The track of a thin one; behind a drawn sign at the left it is the side of a box.
  else if (last === THIN_BAR && /^ *(?:[^ \u2500-\u259f].* {2}| {8})│$/u.test(line))
    line = line.slice(0, -1).trimEnd();
  let left = 0;
  while (left < 4 && line.charCodeAt(left) === BLANK) left++;
  const bar = line.charCodeAt(left);
  if (bar < FIRST_DRAWN && bar !== PIPE) return line;
  if (left > 3 || !SIDES.includes(bar)) return line;
  if (left + 1 < line.length && line.charCodeAt(left + 1) !== BLANK) return line;
  // A single thin bar on the left quotes evidence; a heavy one, or one on each side, is a box. A
  // command may end with a pipe: the sides of a box are alike.
  const hasRight = line.length > left + 1 && line.charCodeAt(line.length - 1) === bar;
  if (!hasRight && bar !== HEAVY_BAR) return line;
  const inner = line.slice(left + 1, hasRight ? -1 : undefined).trimEnd();
  return inner === "" ? "" : " ".repeat(left + 1) + inner;
}

const rulesByLine = perView((): (RuleLine | null)[] => []);

export function ruleAt(view: View, index: number): RuleLine | null {
  const line = lineAt(view, index);
  if (!mayBeRule(line)) return null;
  const rules = rulesByLine(view);
  const cached = rules[index];
  return cached === undefined ? (rules[index] = ruleLine(line, view.width)) : cached;
}

/** A pattern, which no blank line passes, or a function. */
type LineTest = RegExp | ((line: string, index: number) => boolean);

function passes(test: LineTest, line: string, index: number): boolean {
  return test instanceof RegExp ? line !== "" && test.test(line) : test(line, index);
}

export function findLineUp(view: View, from: number, to: number, test: LineTest): number | null {
  const least = Math.max(to, view.start);
  for (let i = Math.min(from, view.end - 1); i >= least; i--)
    if (passes(test, lineAt(view, i), i)) return i;
  return null;
}

export function findLine(view: View, { start, end }: Span, test: LineTest): number | null {
  for (let i = start; i < end; i++) if (passes(test, lineAt(view, i), i)) return i;
  return null;
}

/** Indexes of the last lines before `end` that are not blank, from below. */
export function lastLines(view: View, count: number, end = view.end): number[] {
  const indexes: number[] = [];
  for (let i = end - 1; i >= view.start && indexes.length < count; i--)
    if (view.lines[i] !== "") indexes.push(i);
  return indexes;
}

/** The lowest line that passes of the last `count` that are not blank. */
export function findLast(view: View, count: number, test: LineTest): number | null {
  return lastLines(view, count).find((i) => passes(test, lineAt(view, i), i)) ?? null;
}

export function lineAt(view: View, index: number): string {
  return view.lines[index] ?? "";
}

/** With the columns that rules do not look at: a question may stand at the end of a long output. */
export function wholeLineAt(view: View, index: number): string {
  const { text = "" } = view.screen.lines[index] ?? {};
  return text.length > MAX_VIEW_COLUMNS ? text : lineAt(view, index);
}

export function firstText(view: View, from: number, to: number): number {
  return findLine(view, { start: from, end: to }, (line) => line !== "") ?? Math.max(from, to);
}

export function styleAt(line: ScreenLine | undefined, column: number): Style {
  const run = line?.runs.find((r) => column >= r.start && column < r.start + r.length);
  return run?.style ?? {};
}

/** The style of a line that has a single one from its beginning to its end; else none. */
export function wholeStyle(line: ScreenLine | undefined): Style {
  const [run] = line?.runs ?? [];
  const isWhole = line && run?.start === 0 && run.length >= line.text.length;
  return isWhole ? run.style : {};
}

/** Whether the capture holds attributes at all: without them style proves nothing. */
export function hasStyle(view: View): boolean {
  const { start, end } = view;
  return view.screen.lines.some(({ runs }, i) => runs.length > 0 && i >= start && i < end);
}

/** The index behind the paragraph that begins at `start`. */
export function paragraphEnd(view: View, start: number, to: number): number {
  return findLine(view, { start, end: to }, (line) => line === "") ?? Math.max(start, to);
}
