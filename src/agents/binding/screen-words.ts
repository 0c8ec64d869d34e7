import type { AgentRuntime } from "../../protocol/agents.ts";

/** Letters and digits of a message's beginning or end that have to stand on a screen. */
const EDGE_LETTERS = 60;

interface Look {
  /** Where a session of this runtime begins: what stands above belongs to another one. */
  isStart(lines: readonly string[], at: number): boolean;
  user: RegExp;
  assistant: RegExp;
}

// What these programs draw, in all versions that were seen; the glyph stands at the line's start.
const LOOKS: Record<AgentRuntime, Look> = {
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
  },
};

const RULE = /^\s*[─━╭]{10,}/;
const COMPOSER = /^\s*│?\s*[>❯›](?:\s|$)/;

/** What an agent's screen holds of a conversation. */
export interface Conversation {
  lines: readonly Line[];
  /**
   * The program waits at its input line and shows its start and nothing said since: a session that
   * has messages is not the one in this pane.
   */
  isFresh: boolean;
}

interface Line {
  letters: string;
  role: "user" | "assistant" | null;
}

/**
 * Reads the part of a screen that belongs to the session which it shows now. `isAtRest`: no turn
 * runs and nothing is asked, so that an input line at its end is no part of the conversation.
 */
export function conversationOn(
  screen: readonly string[],
  runtime: AgentRuntime,
  isAtRest: boolean,
): Conversation {
  const isWaiting = isAtRest && hasInputLine(screen);
  const look = LOOKS[runtime];
  const start = screen.findLastIndex((_, at) => look.isStart(screen, at));
  const end = isWaiting ? composerRow(screen) : screen.length;
  const lines = screen.slice(start + 1, end).map((line) => lineOf(line, look));
  const isEmptyScreen = screen.slice(0, end).every((line) => line.trim() === "");
  const isSpoken = lines.some((line) => line.role !== null);
  return { lines, isFresh: isWaiting && !isSpoken && (start >= 0 || isEmptyScreen) };
}

/** Whether a message stands there: as a turn of its role that begins or ends with its words. */
export function standsOn({ lines }: Conversation, message: ShownMessage): boolean {
  const { letters } = message;
  if (letters === "") return false;
  const head = letters.slice(0, EDGE_LETTERS);
  const isBegun = lines.some(
    (line, at) => line.role === message.role && startsWith(lines, at, head, letters),
  );
  if (isBegun || letters.length < EDGE_LETTERS) return isBegun;
  const tail = letters.slice(-EDGE_LETTERS);
  return lines.some((line, at) => line.letters !== "" && endsWith(lines, at, tail));
}

/** A message as it is looked for: prepared once, looked for in every pass. */
export interface ShownMessage {
  role: "user" | "assistant";
  /** Its letters and digits alone. */
  letters: string;
  /** Of the text as it was written. */
  chars: number;
}

export function shownMessage(role: ShownMessage["role"], text: string): ShownMessage {
  return { role, letters: lettersOf(text), chars: [...text].length };
}

function lineOf(line: string, look: Look): Line {
  const role = look.user.test(line) ? "user" : look.assistant.test(line) ? "assistant" : null;
  return { letters: lettersOf(line), role };
}

// Programs break lines where they like, and draw what the text marks up: only letters count.
function lettersOf(text: string): string {
  return (text.match(/[\p{L}\p{N}]+/gu) ?? []).join("").toLowerCase();
}

/** A short message must be the whole of its first lines, or every "yes" would be any "yes, but". */
function startsWith(lines: readonly Line[], at: number, head: string, whole: string): boolean {
  let found = "";
  for (const line of lines.slice(at)) {
    if (found !== "" && line.role !== null) break;
    found += line.letters;
    if (found === whole) return true;
    if (found.length >= EDGE_LETTERS) break;
    if (!head.startsWith(found)) return false;
  }
  return head.length === EDGE_LETTERS && found.startsWith(head);
}

function endsWith(lines: readonly Line[], at: number, tail: string): boolean {
  let found = "";
  for (let row = at; row >= 0 && found.length < tail.length; row--)
    found = (lines[row]?.letters ?? "") + found;
  return found.endsWith(tail);
}

/** Rows of hints and states that the programs draw below their input line. */
const MAX_FOOTER_ROWS = 6;

/**
 * Whether an input line stands at the end of the screen, and nothing of a conversation below it.
 * Says nothing of what is typed there.
 */
export function hasInputLine(screen: readonly string[]): boolean {
  const row = screen.findLastIndex((line) => COMPOSER.test(line));
  if (row < 0) return false;
  const below = screen.slice(row + 1).filter((line) => line.trim() !== "");
  return below.length <= MAX_FOOTER_ROWS && !below.some((line) => /^\s*[•●⏺■]/.test(line));
}

/** Row of the input line at the end of the screen, or of the rule above it; else its length. */
function composerRow(screen: readonly string[]): number {
  const row = screen.findLastIndex((line) => COMPOSER.test(line));
  if (row < 0) return screen.length;
  const isBoxed = RULE.test(screen[row - 1] ?? "");
  return isBoxed ? row - 1 : row;
}
