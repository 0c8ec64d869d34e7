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

/** Below the input line, while the program waits for the end of the limit. */
const LIMIT_NOTICE = /^\s*⚠ .*\blimit reached\b/iu;

/** Notes of the program below the notice that they are about. */
const CANCEL_NOTE = /^Automatic continue cancelled\b/i;
const CONTINUE_NOTE = /^Usage limit reached · (?:set to continue|continuing automatically)\b/i;
/** Below a turn that has ended well. */
const TURN_END = /^\s?[✻✽✶✳✢·*]\s.* · done \d/u;

/** Before the last step of a turn that a limit cuts short, and that ends like a finished one. */
const WRAP_UP_NOTICE =
  /^Approaching your [\w-]+ usage limit — Claude will wrap up the current step\b/iu;
const MAX_TURN_LINES = 120;

/** Placeholders that the input line shows after a failed turn. */
const RESEND = /\bresend your message\b/i;

export function errorLine(view: View, composer: InputLine): number | null {
  const head = noticeHead(view, composer.top);
  // The message is out of sight on a low screen, or where the session is scrolled back.
  const isHidden = head === null || isScrolledBack(view, composer.top);
  if (composer.isPlaceholder && RESEND.test(composer.text) && isHidden) return composer.top + 1;
  if (head !== null) {
    const hasEndedWell = () => findLineUp(view, composer.top - 1, head + 1, TURN_END) !== null;
    if (isNotice(view, head, NOTICE) && !hasEndedWell()) return head;
    const isMessageOfProgram = /^\s*[●⏺⎿]/u.test(lineAt(view, head));
    if (isMessageOfProgram && RESEND.test(composer.text)) return head;
  }
  return (
    findLineUp(view, view.end, composer.bottom + 1, LIMIT_NOTICE) ?? wrappedUp(view, composer.top)
  );
}

/** The notice that ended the turn stands above the notes on whether the program goes on by itself. */
function noticeHead(view: View, before: number): number | null {
  let head = lastMessage(view, before);
  for (const note of [CANCEL_NOTE, CONTINUE_NOTE]) {
    if (head === null || !isNotice(view, head, note)) continue;
    const above = lastMessage(view, head);
    // The notice has left the screen.
    if (above === null || !isNotice(view, above, NOTICE))
      return note === CONTINUE_NOTE ? head : above;
    head = above;
  }
  return head;
}

/** A notice of the program has a colour of its own; an agent's message has the colour of texts. */
function isNotice(view: View, line: number, words: RegExp): boolean {
  const text = lineAt(view, line);
  if (!words.test(messageText(text))) return false;
  if (!hasStyle(view)) return true;
  const mark = indentOf(text);
  const inkAt = (column: number) => styleAt(view.screen.lines[line], column).fg;
  const ink = inkAt(text.length - messageText(text).length);
  return ink !== undefined && (text[mark] === "⎿" || ink === inkAt(mark));
}

/** Of the last turn: the person's message ends the search. */
function wrappedUp(view: View, before: number): number | null {
  const least = Math.max(view.start, before - MAX_TURN_LINES);
  for (let i = before - 1; i >= least; i--) {
    const line = lineAt(view, i);
    if (/^\s?[●⏺]/u.test(line) && isNotice(view, i, WRAP_UP_NOTICE)) return i;
    if (/^\s?[❯>]\s/u.test(line)) return null;
  }
  return null;
}

function isScrolledBack(view: View, before: number): boolean {
  const near = lastLines(view, 2, before);
  return near.some((i) => /\bJump to bottom \([^()]+\) ↓$/u.test(lineAt(view, i)));
}

/** First line of the last message; the summary of a finished turn below it is skipped. */
function lastMessage(view: View, before: number): number | null {
  for (let i = before - 1; i >= view.start; i--) {
    const line = lineAt(view, i);
    const isHead = /^\s?[●⏺❯>]\s|^ {1,3}⎿/u.test(line);
    if (isHead) return i;
    // Any other text at the left edge is no message: a banner, another program.
    if (line !== "" && indentOf(line) <= 1 && !/^\s?[✻✽✶✳✢·*]\s/u.test(line)) return null;
  }
  return null;
}

function messageText(line: string): string {
  return line.replace(/^\s*[●⏺⎿]\s*/u, "");
}
