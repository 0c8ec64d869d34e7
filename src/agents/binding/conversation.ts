import type { AgentRuntime } from "../../protocol/agents.ts";

/** Letters and digits of a message's beginning or end that are compared with a screen. */
const EDGE_LETTERS = 60;

interface ScreenMarks {
  /** Where a session begins: what stands above belongs to another one. */
  isStart(lines: readonly string[], at: number): boolean;
  user: RegExp;
  assistant: RegExp;
  /** A line of the program itself that looks like a turn. */
  notice?: RegExp;
  /** It draws its folder: in a row below the start, or in the input line's footer. */
  drawsFolder: boolean;
}

// As the programs draw them in all versions seen so far.
const MARKS: Record<AgentRuntime, ScreenMarks> = {
  agent_a: {
    isStart: (lines, at) =>
      /Claude Code v\d|Welcome to Claude Code|^\s*[>❯] \/(?:clear|new|reset)\s*$/.test(
        lines[at] ?? "",
      ),
    user: /^\s*[>❯] (?=\S)/,
    assistant: /^\s*[●⏺•] (?=\S)/,
    drawsFolder: false,
  },
  agent_b: {
    // `/status` draws the same name inside a conversation, without the hint of the start.
    isStart: (lines, at) =>
      /OpenAI Codex \(v\d/.test(lines[at] ?? "") &&
      (lines.slice(at, at + 4).some((line) => line.includes("/model to change")) ||
        lines.slice(0, at).every((line) => line.trim() === "")),
    user: /^\s*› (?=\S)/,
    assistant: /^\s*[•■] (?=\S)/,
    notice: /^\s*• Working directory changed to: /,
    drawsFolder: true,
  },
};

const RULE = /^\s*[─━╭]{10,}/;
/** `/model` is a command and no folder. */
const FOLDER = /^(?:~|\/.*\/)/;
const COMPOSER = /^\s*(?:│\s*)?[>❯›](?:\s|$)/;

/** Rows below the start of a program that name its session's folder. */
const HEADER_ROWS = 4;

export interface Conversation {
  /** How its turns begin and how its lines end, to be compared with `MessageEdges`. */
  begins: ReadonlySet<string>;
  ends: ReadonlySet<string>;
  /** The program's start is on the screen, and with it the whole conversation since. */
  hasStart: boolean;
  /** It waits at its input line, with no message since its start. */
  isFresh: boolean;
  /** The session's folder as the program draws it: below `~`, its middle cut out; else null. */
  folder: string | null;
}

/**
 * Reads the part of a screen that belongs to its present session. `isAtRest`: no turn runs and
 * nothing is asked, so that an input line at the end is no part of the conversation.
 */
export function parseConversation(
  screen: readonly string[],
  runtime: AgentRuntime,
  isAtRest: boolean,
): Conversation {
  const inputRow = isAtRest ? inputRowOf(screen) : null;
  const marks = MARKS[runtime];
  const start = screen.findLastIndex((_, at) => marks.isStart(screen, at));
  const end = inputRow === null ? screen.length : topOf(screen, inputRow);
  const lines = screen.slice(start + 1, end).map((line) => lineOf(line, marks));
  const isEmptyScreen = screen.slice(0, end).every((line) => line.trim() === "");
  const hasTurn = lines.some((line) => line.role !== null);
  return {
    begins: new Set(beginningsOf(lines)),
    ends: new Set(endingsOf(lines)),
    hasStart: start >= 0,
    isFresh: inputRow !== null && !hasTurn && (start >= 0 || isEmptyScreen),
    folder: marks.drawsFolder ? folderOn(screen, start) : null,
  };
}

/** Whether a turn of the message's role begins or ends with its letters. */
export function isOnScreen({ begins, ends }: Conversation, { head, tail }: MessageEdges): boolean {
  return begins.has(head) || (tail !== null && ends.has(tail));
}

/** Beginning and end of a message: computed once, compared in every pass. */
export interface MessageEdges {
  /** Role and first letters; of a short message, all of them. */
  head: string;
  /** The last letters; null where `head` has all. */
  tail: string | null;
  /** Length of the whole text. */
  chars: number;
}

export function edgesOf(role: "user" | "assistant", text: string): MessageEdges {
  const letters = lettersOf(text);
  return {
    head: `${role} ${letters.slice(0, EDGE_LETTERS)}`,
    tail: letters.length <= EDGE_LETTERS ? null : letters.slice(-EDGE_LETTERS),
    chars: [...text].length,
  };
}

/** Whether `drawn` may stand for a folder: `~` is the user's home, `…` a part that was cut out. */
export function isDrawnAs(folder: string, drawn: string, userHome: string): boolean {
  const [head = "", ...rest] = drawn.replace(/^~/, () => userHome).split("…");
  const tail = rest.at(-1);
  if (tail === undefined) return folder === head;
  return (
    folder.length >= head.length + tail.length && folder.startsWith(head) && folder.endsWith(tail)
  );
}

interface Line {
  letters: string;
  role: "user" | "assistant" | null;
}

function lineOf(line: string, marks: ScreenMarks): Line {
  const letters = lettersOf(line);
  if (marks.notice?.test(line)) return { letters, role: null };
  if (marks.user.test(line)) return { letters, role: "user" };
  return { letters, role: marks.assistant.test(line) ? "assistant" : null };
}

// Programs break lines and draw markup as they like: only letters and digits are compared.
function lettersOf(text: string): string {
  return (text.match(/[\p{L}\p{N}]+/gu) ?? []).join("").toLowerCase();
}

/** Ends at line breaks: a short message must fill its lines, or "yes" would match "yes, but". */
function* beginningsOf(lines: readonly Line[]): Iterable<string> {
  for (const [at, { role }] of lines.entries()) {
    if (role === null) continue;
    let letters = "";
    for (const line of lines.slice(at)) {
      if (letters !== "" && line.role !== null) break;
      letters += line.letters;
      if (letters !== "") yield `${role} ${letters.slice(0, EDGE_LETTERS)}`;
      if (letters.length >= EDGE_LETTERS) break;
    }
  }
}

function* endingsOf(lines: readonly Line[]): Iterable<string> {
  let all = "";
  for (const { letters } of lines) {
    if (letters === "") continue;
    all = (all + letters).slice(-EDGE_LETTERS);
    if (all.length === EDGE_LETTERS) yield all;
  }
}

function folderOn(screen: readonly string[], start: number): string | null {
  const footer = screen.slice(screen.findLastIndex((line) => COMPOSER.test(line)) + 1);
  const named = footer.flatMap((line) => line.split(" · ").slice(1));
  const drawn = named.map((part) => part.trim()).findLast((part) => FOLDER.test(part));
  if (drawn !== undefined) return drawn;
  if (start < 0) return null;
  for (const row of screen.slice(start + 1, start + 1 + HEADER_ROWS)) {
    const words = row.split(/[│\s]+/).filter((word) => word !== "");
    const [folder = "", ...others] = words[0] === "directory:" ? words.slice(1) : words;
    if (others.length === 0 && FOLDER.test(folder)) return folder;
  }
  return null;
}

/** Rows of hints below the input line. */
const MAX_FOOTER_ROWS = 6;

/** Null where the screen ends with no input line, or has a turn below it. */
function inputRowOf(screen: readonly string[]): number | null {
  const row = screen.findLastIndex((line) => COMPOSER.test(line));
  const below = screen.slice(row + 1).filter((line) => line.trim() !== "");
  const isLast = below.length <= MAX_FOOTER_ROWS && !below.some((line) => /^\s*[•●⏺■]/.test(line));
  return row >= 0 && isLast ? row : null;
}

/** The rule above the input line, where there is one. */
function topOf(screen: readonly string[], inputRow: number): number {
  const above = inputRow - 1;
  return RULE.test(screen[above] ?? "") ? above : inputRow;
}
