import { findLineUp, hasStyle, lastLines, lineAt, styleAt, type View } from "../region.ts";
import { indentOf } from "../text.ts";
import type { InputLine } from "./agent-a-composer.ts";

/** Notices that end a turn; each begins its message, so that prose about errors does not count. */
const NOTICE = new RegExp(
  [
    "^API Error\\b",
    "^Error: (?:\\d{3}|API)\\b",
    "^(?:Invalid|Missing|Expired) (?:API key|auth|OAuth|bearer|token)",
    "^(?:OAuth|Authentication|Login|Auth) (?:token|error|failed|expired|has)",
    "^Not logged in\\b",
    "^Please run /login\\b",
    "^Prompt is too long\\b",
    "^(?:Context (?:limit|window)|Conversation too long)\\b",
    "^Credit balance\\b",
    "^(?:Claude )?(?:AI )?(?:[\\w.-]+ )?(?:usage|session|weekly|daily|\\d+-hour|[\\w.]+) limit reached\\b",
    "^(?:You've|You have|You’ve) (?:hit|reached|exceeded|used)\\b.*\\blimit\\b",
    "^Request (?:timed out|failed)\\b",
    "^Unable to connect\\b",
    "^Connection (?:error|refused|reset|closed)\\b",
    "^(?:Your )?(?:account|organization|API key)\\b.*\\b(?:disabled|suspended|expired|revoked)\\b",
    "^Overloaded\\b",
    "^Stream (?:error|closed|ended)\\b",
  ].join("|"),
  "i",
);

/** Below the input line, for as long as it waits for the limit's end to go on. */
const LIMITED = /^\s*⚠ .*\blimit reached\b/iu;

/** Notes of the program below the notice that they are about. */
const CANCELLED = /^Automatic continue cancelled\b/i;
const WILL_CONTINUE = /^Usage limit reached · (?:set to continue|continuing automatically)\b/i;
/** Below a turn that has ended well. */
const FINISHED = /^\s?[✻✽✶✳✢·*]\s.* · done \d/u;

/** Before the last step of a turn that it cuts short: it ends like a finished one. */
const WRAPS_UP = /^Approaching your [\w-]+ usage limit — Claude will wrap up the current step\b/iu;
const MAX_TURN_LINES = 120;

/** Placeholders that the input line shows after a failed turn. */
const RESEND = /\bresend your message\b/i;

export function errorLine(view: View, composer: InputLine): number | null {
  const head = noticeHead(view, composer.top);
  // The message is out of sight on a low screen, or where the session is scrolled back.
  const isHidden = head === null || isScrolledBack(view, composer.top);
  if (composer.isPlaceholder && RESEND.test(composer.text) && isHidden) return composer.top + 1;
  if (head !== null && isNotice(view, head, NOTICE) && !isFinished(view, head, composer.top))
    return head;
  if (head !== null && isQuiet(lineAt(view, head)) && RESEND.test(composer.text)) return head;
  return findLineUp(view, view.end, composer.bottom + 1, LIMITED) ?? wrappedUp(view, composer.top);
}

/** Above the notes on whether it goes on by itself stands what ended the turn. */
function noticeHead(view: View, before: number): number | null {
  let head = lastMessage(view, before);
  for (const note of [CANCELLED, WILL_CONTINUE]) {
    if (head === null || !isNotice(view, head, note)) continue;
    const above = lastMessage(view, head);
    // It has left the screen.
    if (above === null || !isNotice(view, above, NOTICE))
      return note === WILL_CONTINUE ? head : above;
    head = above;
  }
  return head;
}

/** The program's own words: what an agent says has the colour of texts, whatever it begins with. */
function isNotice(view: View, line: number, words: RegExp): boolean {
  const text = lineAt(view, line);
  if (!words.test(messageText(text))) return false;
  if (!hasStyle(view)) return true;
  const mark = indentOf(text);
  const inkAt = (column: number) => styleAt(view.screen.lines[line], column).fg;
  const ink = inkAt(text.length - messageText(text).length);
  return ink !== undefined && (text[mark] === "⎿" || ink === inkAt(mark));
}

function isFinished(view: View, head: number, before: number): boolean {
  return findLineUp(view, before - 1, head + 1, FINISHED) !== null;
}

/** Of the last turn: what a person said ends the search. */
function wrappedUp(view: View, before: number): number | null {
  const least = Math.max(view.start, before - MAX_TURN_LINES);
  for (let i = before - 1; i >= least; i--) {
    const line = lineAt(view, i);
    if (/^\s?[●⏺]/u.test(line) && isNotice(view, i, WRAPS_UP)) return i;
    if (/^\s?[❯>]\s/u.test(line)) return null;
  }
  return null;
}

function isScrolledBack(view: View, before: number): boolean {
  const near = lastLines(view, 2, before);
  return near.some((i) => /\bJump to bottom \([^()]+\) ↓$/u.test(lineAt(view, i)));
}

/** First line of the last message: the summary of a finished turn and its blank lines skipped. */
function lastMessage(view: View, before: number): number | null {
  for (let i = before - 1; i >= view.start; i--) {
    const line = lineAt(view, i);
    const isHead = /^\s?[●⏺❯>]\s|^ {1,3}⎿/u.test(line);
    if (isHead) return i;
    // Whatever else stands at the left edge is not a message: the banner, another program.
    if (line !== "" && indentOf(line) <= 1 && !/^\s?[✻✽✶✳✢·*]\s/u.test(line)) return null;
  }
  return null;
}

function messageText(line: string): string {
  return line.replace(/^\s*[●⏺⎿]\s*/u, "");
}

function isQuiet(line: string): boolean {
  return /^\s*[●⏺⎿]/u.test(line);
}
