import type { Prompt } from "../detect/finding.ts";
import type { Screen } from "../detect/region.ts";
import type { ExpectedPrompt, GuardConflict } from "../protocol/input.ts";
import type { LegacyGuard } from "../protocol/pane.ts";
import type { ListedPane, SendGuard } from "../terminal/provider.ts";

/** What the comparison inside the multiplexer needs to know of a fresh capture. */
interface GuardedScreen {
  pane: Pick<ListedPane, "identity" | "command" | "width" | "height">;
  prompt: Prompt | null;
  screen: Screen;
}

const MAX_TEXTS = 24;
const MAX_TEXT_CELLS = 100;
/** Combining marks take bytes but no cells, and all texts must fit into one tmux command. */
const MAX_TEXT_BYTES = 4 * MAX_TEXT_CELLS;
/** Shorter pieces are found on nearly every screen. */
const MIN_TEXT_CHARS = 3;
const IDLE_ROWS = 2;

// Split off and not compared: characters that no cell holds as they are (controls, tabs), and line
// drawing, which tmux may store as letters of another character set.
const SEPARATORS = /[\p{Cc}\p{Cf}\p{Cs}\u2500-\u259f\u25c6\ufffd]+| {2,}/u;

/**
 * Texts that the visible screen must still hold when the multiplexer sends: what the fingerprints
 * cover (evidence, question, options with the focused one's cursor), as far as it is in view; with
 * no prompt, its last rows; and the program that showed them. Each text lies within one row, because the search knows no wrapping.
 */
export function guardOf(seen: GuardedScreen): SendGuard {
  const lines = inView(seen);
  const texts = (seen.prompt ? promptLines(lines, seen.prompt) : lastLines(lines)).flatMap((text) =>
    piecesOf(text, seen.pane.width),
  );
  // The options come last in the list: they decide what an answer means, so they are kept.
  const { identity, command } = seen.pane;
  return { identity, command, contains: [...new Set(texts)].slice(-MAX_TEXTS) };
}

interface Line {
  index: number;
  text: string;
}

// Counted from the end, blank rows too: rows above may have left the screen for the history.
function inView({ pane, screen }: GuardedScreen): Line[] {
  const found: Line[] = [];
  let rows = screen.blankRows ?? 0;
  for (let index = screen.lines.length - 1; index >= 0; index--) {
    const text = screen.lines[index]?.text ?? "";
    rows += Math.max(1, Math.ceil(cellsOf(text) / pane.width));
    if (rows > pane.height) break;
    found.unshift({ index, text });
  }
  return found;
}

function promptLines(lines: readonly Line[], prompt: Prompt): string[] {
  const above = lines.filter((line) => line.index < prompt.questionLine);
  const evidence = prompt.evidence.flatMap((wanted) => {
    const line = above.findLast(({ text }) => holds(text, wanted));
    return line ? [line.text] : [];
  });
  const below = lines.filter((line) => line.index >= prompt.questionLine);
  const [question] = below;
  const options = prompt.options.flatMap(({ label }) => {
    const [word = ""] = label.split(" ");
    const line =
      below.find(({ text }) => holds(text, label)) ?? below.find(({ text }) => holds(text, word));
    return line ? [line.text] : [];
  });
  const asked = question?.index === prompt.questionLine ? [question.text] : [];
  return [...evidence, ...asked, ...options];
}

// A wrapped text continues in the next row, so only its beginning is looked for.
function holds(line: string, wanted: string): boolean {
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
    if (used > cells || bytes > MAX_TEXT_BYTES) break;
    text += char;
  }
  return text;
}

// By character, as the terminal counts: joined emoji are one to `stringWidth`, several to tmux.
function cellsOf(text: string): number {
  let cells = 0;
  for (const char of text) cells += Bun.stringWidth(char);
  return cells;
}

type Difference = Extract<GuardConflict["reason"], "prompt_changed" | "options_changed">;
type GuardedPart = "prompt" | "options";

/** The first part that differs between what the person saw and what is there now; null: nothing. */
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

/** Enter takes the focused option: refused unless the client says that it saw that one focused. */
export function focusDifference(
  { selected }: ExpectedPrompt,
  now: LegacyGuard,
  hasMenu: boolean,
): Difference | null {
  const isFree = !hasMenu && selected === undefined;
  return isFree || selected === now.selected ? null : "options_changed";
}

/** A generic pattern matches `Continue?` in a command line that was just typed as well. */
export function isEcho(prompt: Prompt, text: string): boolean {
  const typed = fold(text).slice(0, 40);
  return !prompt.recognised && typed !== "" && fold(prompt.question).includes(typed);
}

function fold(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
