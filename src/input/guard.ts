import type { Prompt } from "../detect/finding.ts";
import type { ExpectedPrompt, GuardConflict } from "../protocol/input.ts";
import type { LegacyGuard } from "../protocol/pane.ts";
import type { ListedPane, SendGuard } from "../terminal/provider.ts";
import type { PaneReading } from "../terminal/reading.ts";

interface GuardedScreen extends Pick<PaneReading, "prompt" | "screen"> {
  pane: Pick<ListedPane, "identity" | "command" | "width" | "height" | "cursor">;
}

const MAX_TEXTS = 24;
const MAX_TEXT_CELLS = 100;
/** Combining marks take bytes but no cells, and all texts must fit into one tmux command. */
const MAX_PIECE_BYTES = 4 * MAX_TEXT_CELLS;
/** Shorter pieces are found on nearly every screen. */
const MIN_TEXT_CHARS = 3;
const IDLE_ROWS = 2;

// Not compared: controls and tabs, which no cell stores as they are, and line drawing, which tmux
// may store as letters of another character set.
const SEPARATORS = /[\p{Cc}\p{Cf}\p{Cs}\u2500-\u259f\u25c6\ufffd]+| {2,}/u;

/**
 * The program and the texts that the visible screen must still show when the multiplexer sends:
 * what the fingerprints cover (evidence, question, options with the cursor), without a prompt the
 * last rows. Each text lies within one row, because the search of the multiplexer knows no wrapping.
 */
export function guardOf(seen: GuardedScreen): SendGuard {
  const lines = inView(seen);
  const texts = (seen.prompt ? promptLines(lines, seen.prompt) : lastLines(lines)).flatMap((text) =>
    piecesOf(text, seen.pane.width),
  );
  const { identity, command } = seen.pane;
  // The options stand last: they decide what an answer means, so the limit must not drop them.
  const contains = [...new Set(texts)].slice(-MAX_TEXTS);
  return { identity, command, contains, aboveCursor: textAboveCursor(lines, contains, seen) };
}

/**
 * A question on one line stays on the screen when its answer was given: that it is still the one that
 * asks, the cursor tells. Where an earlier one had the same words, the nearest text above it that none
 * of the rows before has.
 */
function textAboveCursor(
  lines: readonly Line[],
  contains: readonly string[],
  { pane: { cursor, width, height }, prompt, screen }: GuardedScreen,
) {
  const row = height - 1 - (screen.blankRows ?? 0);
  const isAsking = prompt?.recognised === false && cursor?.visible === true && cursor.row === row;
  const asked = lines.at(-1);
  if (!isAsking || asked?.index !== prompt.questionLine || cellsOf(asked.text) >= width)
    return null;
  let rows = 0;
  for (const [at, line] of lines.entries().toArray().reverse()) {
    if (line !== asked) rows += rowsOf(line.text, width);
    const isNew = (text: string) => lines.slice(0, at).every((each) => !each.text.includes(text));
    const text = piecesOf(line.text, width).find((each) => contains.includes(each) && isNew(each));
    if (text !== undefined) return { text, rows };
  }
  return null;
}

interface Line {
  index: number;
  text: string;
}

// Counted from the end, with blank rows: what lies further up is in the history, not on the screen.
function inView({ pane, screen }: GuardedScreen): Line[] {
  const lines: Line[] = [];
  let rows = screen.blankRows ?? 0;
  for (let index = screen.lines.length - 1; index >= 0; index--) {
    const text = screen.lines[index]?.text ?? "";
    rows += rowsOf(text, pane.width);
    if (rows > pane.height) break;
    lines.unshift({ index, text });
  }
  return lines;
}

function promptLines(lines: readonly Line[], prompt: Prompt): string[] {
  const above = lines.filter((line) => line.index < prompt.questionLine);
  const evidence = prompt.evidence.flatMap((wanted) => {
    const line = above.findLast(({ text }) => containsStart(text, wanted));
    return line ? [line.text] : [];
  });
  const below = lines.filter((line) => line.index >= prompt.questionLine);
  const [question] = below;
  // Options stand in their order, mostly in rows of their own, and several may begin alike.
  let next = 1;
  const options = prompt.options.flatMap(({ label }) => {
    const [word = ""] = label.split(" ");
    const rowOf = (wanted: string, from: number) =>
      below.findIndex(({ text }, at) => at >= from && containsStart(text, wanted));
    const rows = [label, word].flatMap((wanted) => [rowOf(wanted, next), rowOf(wanted, 0)]);
    const line = below[rows.find((at) => at >= 0) ?? -1];
    if (line) next = below.indexOf(line) + 1;
    return line ? [line.text] : [];
  });
  const shownQuestion = question?.index === prompt.questionLine ? [question.text] : [];
  return [...evidence, ...shownQuestion, ...options];
}

// A wrapped text continues in the next row, so only its beginning is looked for.
function containsStart(line: string, wanted: string): boolean {
  const start = wanted.trim().slice(0, 20);
  return start !== "" && line.includes(start);
}

function lastLines(lines: readonly Line[]): string[] {
  return lines
    .filter((line) => line.text !== "")
    .slice(-IDLE_ROWS)
    .map((line) => line.text);
}

function piecesOf(line: string, width: number): string[] {
  return firstCells(line, Math.min(width - 1, MAX_TEXT_CELLS))
    .split(SEPARATORS)
    .map((piece) => piece.trim())
    .filter((piece) => piece.length >= MIN_TEXT_CHARS);
}

function firstCells(line: string, cells: number): string {
  let text = "";
  let used = 0;
  let bytes = 0;
  for (const char of line) {
    used += Bun.stringWidth(char);
    bytes += Buffer.byteLength(char);
    if (used > cells || bytes > MAX_PIECE_BYTES) break;
    text += char;
  }
  return text;
}

function rowsOf(text: string, width: number): number {
  return Math.max(1, Math.ceil(cellsOf(text) / width));
}

// Character by character: `stringWidth` takes joined emoji for one, tmux for several.
function cellsOf(text: string): number {
  let cells = 0;
  for (const char of text) cells += Bun.stringWidth(char);
  return cells;
}

type Difference = Extract<GuardConflict["reason"], "prompt_changed" | "options_changed">;
type GuardedPart = "prompt" | "options";

/** The first part that differs between what the person saw and the screen now; null: none. */
export function differenceOf(
  expected: Pick<ExpectedPrompt, `${GuardedPart}_fingerprint`>,
  now: Pick<LegacyGuard, `${GuardedPart}_fingerprint`>,
  order: readonly GuardedPart[] = ["prompt", "options"],
): Difference | null {
  for (const part of order) {
    const wanted = expected[`${part}_fingerprint`];
    if (wanted !== undefined && wanted !== now[`${part}_fingerprint`]) return `${part}_changed`;
  }
  return null;
}

/** Enter takes the focused option, so the client must name the one that it saw focused. */
export function focusDifference(
  { selected }: ExpectedPrompt,
  now: LegacyGuard,
  hasMenu: boolean,
): Difference | null {
  const isFree = !hasMenu && selected === undefined;
  return isFree || selected === now.selected ? null : "options_changed";
}

/** A generic pattern also matches `Continue?` in a command line that was just typed. */
export function isEcho(prompt: Prompt, text: string): boolean {
  const typed = fold(text).slice(0, 40);
  return !prompt.recognised && typed !== "" && fold(prompt.question).includes(typed);
}

function fold(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
