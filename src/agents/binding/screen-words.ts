import type { AgentRuntime } from "../../protocol/agents.ts";

/** Letters and digits of a message's beginning or end that have to stand on a screen. */
const EDGE_LETTERS = 60;

interface ScreenMarks {
  /** Where a session of this runtime begins: what stands above belongs to another one. */
  isStart(lines: readonly string[], at: number): boolean;
  user: RegExp;
  assistant: RegExp;
  /** What the program says of itself in the manner of a turn. */
  notice?: RegExp;
  /** The folder in a row below its start; the input line's footer may hold it too. */
  folder?: RegExp;
}

// What these programs draw, in all versions that were seen; the glyph stands at the line's start.
const LOOKS: Record<AgentRuntime, ScreenMarks> = {
  agent_a: {
    isStart: (lines, at) =>
      /Claude Code v\d|Welcome to Claude Code|^\s*[>❯] \/(?:clear|new|reset)\s*$/.test(
        lines[at] ?? "",
      ),
    user: /^\s*[>❯] (?=\S)/,
    assistant: /^\s*[●⏺•] (?=\S)/,
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
    folder: /^\s*│?\s*(?:directory:\s+)?(~\S*|\/\S*\/\S*)\s*│?\s*$/,
  },
};

const RULE = /^\s*[─━╭]{10,}/;
/** A command of one word is none. */
const FOLDER = /^(?:~|\/.*\/)/;
const COMPOSER = /^\s*│?\s*[>❯›](?:\s|$)/;

/** Rows below the start of a program that name its session's folder. */
const HEADER_ROWS = 4;

export interface Conversation {
  /** How its turns begin and how its lines end, as `MessageEdges` asks for them. */
  begins: ReadonlySet<string>;
  ends: ReadonlySet<string>;
  /** The program's start is on the screen: all that was said since stands below it. */
  hasStart: boolean;
  /**
   * The program waits at its input line and shows its start and nothing said since: a session that
   * has messages is not the one in this pane.
   */
  isFresh: boolean;
  /** The session's folder as the program draws it: below `~`, its middle cut out; else null. */
  folder: string | null;
}

/**
 * Reads the part of a screen that belongs to the session which it shows now. `isAtRest`: no turn
 * runs and nothing is asked, so that an input line at its end is no part of the conversation.
 */
export function parseConversation(
  screen: readonly string[],
  runtime: AgentRuntime,
  isAtRest: boolean,
): Conversation {
  const inputRow = isAtRest ? inputRowOf(screen) : null;
  const isWaiting = inputRow !== null;
  const look = LOOKS[runtime];
  const start = screen.findLastIndex((_, at) => look.isStart(screen, at));
  const end = inputRow === null ? screen.length : topOf(screen, inputRow);
  const lines = screen.slice(start + 1, end).map((line) => lineOf(line, look));
  const isEmptyScreen = screen.slice(0, end).every((line) => line.trim() === "");
  const isSpoken = lines.some((line) => line.role !== null);
  return {
    begins: new Set(beginningsOf(lines)),
    ends: new Set(endingsOf(lines)),
    hasStart: start >= 0,
    isFresh: isWaiting && !isSpoken && (start >= 0 || isEmptyScreen),
    folder: look.folder ? folderOn(screen, start, look.folder) : null,
  };
}

/** Whether a message stands there: as a turn of its role that begins or ends with its words. */
export function isOnScreen({ begins, ends }: Conversation, { head, tail }: MessageEdges): boolean {
  return begins.has(head) || (tail !== null && ends.has(tail));
}

/** A message as it is looked for: prepared once, looked for in every pass. */
export interface MessageEdges {
  /** Role and letters of its beginning; of a short message, of all of it. */
  head: string;
  /** The letters of its end; null where its beginning is all of it. */
  tail: string | null;
  /** Of the text as it was written. */
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

/** Whether a folder may be what a program draws so: `~` is its person's home, `…` anything. */
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

function lineOf(line: string, look: ScreenMarks): Line {
  const letters = lettersOf(line);
  if (look.notice?.test(line)) return { letters, role: null };
  const role = look.user.test(line) ? "user" : look.assistant.test(line) ? "assistant" : null;
  return { letters, role };
}

// Programs break lines where they like, and draw what the text marks up: only letters count.
function lettersOf(text: string): string {
  return (text.match(/[\p{L}\p{N}]+/gu) ?? []).join("").toLowerCase();
}

/**
 * What each turn begins with, at every break of its lines: a short message must be the whole of its
 * first lines, or every "yes" would be any "yes, but".
 */
function* beginningsOf(lines: readonly Line[]): Iterable<string> {
  for (const [at, { role }] of lines.entries()) {
    if (role === null) continue;
    let found = "";
    for (const line of lines.slice(at)) {
      if (found !== "" && line.role !== null) break;
      found += line.letters;
      if (found !== "") yield `${role} ${found.slice(0, EDGE_LETTERS)}`;
      if (found.length >= EDGE_LETTERS) break;
    }
  }
}

function* endingsOf(lines: readonly Line[]): Iterable<string> {
  let all = "";
  for (const { letters } of lines) {
    if (letters === "") continue;
    all += letters;
    if (all.length >= EDGE_LETTERS) yield all.slice(-EDGE_LETTERS);
  }
}

function folderOn(screen: readonly string[], start: number, look: RegExp): string | null {
  const footer = screen.slice(screen.findLastIndex((line) => COMPOSER.test(line)) + 1);
  const named = footer.flatMap((line) => line.split(" · ").slice(1));
  const drawn = named.map((part) => part.trim()).findLast((part) => FOLDER.test(part));
  if (drawn !== undefined) return drawn;
  if (start < 0) return null;
  for (const line of screen.slice(start + 1, start + 1 + HEADER_ROWS)) {
    const [, folder] = look.exec(line) ?? [];
    if (folder !== undefined) return folder;
  }
  return null;
}

/** Rows of hints and states that the programs draw below their input line. */
const MAX_FOOTER_ROWS = 6;

/**
 * Row of the input line at the end of the screen, with nothing of a conversation below it; else
 * null. Says nothing of what is typed there.
 */
function inputRowOf(screen: readonly string[]): number | null {
  const row = screen.findLastIndex((line) => COMPOSER.test(line));
  const below = screen.slice(row + 1).filter((line) => line.trim() !== "");
  const isLast = below.length <= MAX_FOOTER_ROWS && !below.some((line) => /^\s*[•●⏺■]/.test(line));
  return row >= 0 && isLast ? row : null;
}

/** An input line may have a rule above it. */
function topOf(screen: readonly string[], inputRow: number): number {
  const above = inputRow - 1;
  return RULE.test(screen[above] ?? "") ? above : inputRow;
}
