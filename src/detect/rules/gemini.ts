import type { Prompt } from "../finding.ts";
import { unreadPrompt } from "../generic-prompt.ts";
import { findLast, findLineUp, lineAt, type View } from "../region.ts";
import { rule, type Rule } from "../rule.ts";
import { agentMenuRule, busyTitleRule, waitingTitleRule } from "./agent-menu.ts";
import { geminiInputLine } from "./gemini-composer.ts";
import { findGeminiDialog, findOpenBox } from "./gemini-dialog.ts";

/** Lines between the cursor of a table and the end of the screen. */
const MAX_BELOW_CURSOR = 18;

/** The spinner is dots where the terminal cannot draw it; the running time stands beside the hint. */
const ACTIVITY =
  /^\s{0,3}[⠀-⣿◐-◓] .*\(esc to(?: cancel)?\b|\(esc to cancel, \d|\(\d+(?:m \d+)?s\b.*\besc to cancel\)/u;
const BUSY_TITLE = /^[✦⏲◐◓◑◒]\ufe0e? {1,2}\S/u;
const WAITING_TITLE = /^✋ {1,2}\S/u;
/** Where a message of the transcript begins: a person's, an answer, an error, a note, a tool. */
const MESSAGE = /^ {0,2}(?:[>✦✕✗⚠ℹ] |[╭│╰])/u;
const ERROR = /^ {0,2}[✕✗] /u;

/** Gemini CLI and its forks, whose dialogs are the last box of the screen. */
export function boxedAgentRules(owner: string): readonly Rule[] {
  return [
    rule(`${owner}.dialog`, "needs_input", (view) => findGeminiDialog(view, owner, false)),
    rule(`${owner}.picker`, "needs_input", (view) => findGeminiDialog(view, owner, true)),
    rule(`${owner}.picker.panel`, "needs_input", (view) => findOpenBox(view, owner, true)),
    rule(`${owner}.text`, "needs_input", (view) => findOpenBox(view, owner, false)),
    rule(`${owner}.picker.table`, "needs_input", (view) => findTable(view, owner)),
    agentMenuRule({ owner, inputLine: /^ {0,3}[>*!](?: |$)/ }),
    waitingTitleRule(owner, WAITING_TITLE),
    // Before 0.2 there is no input line during a turn.
    rule(`${owner}.working.activity`, "working", (view) =>
      findLast({ ...view, end: geminiInputLine(view) ?? view.end }, 8, ACTIVITY),
    ),
    busyTitleRule(owner, BUSY_TITLE),
    rule(`${owner}.error`, "error", findError),
    rule(`${owner}.idle`, "idle", geminiInputLine),
  ];
}

function findTable(view: View, owner: string): Prompt | null {
  if (geminiInputLine(view) !== null) return null;
  const line = findLast(view, MAX_BELOW_CURSOR, /^\s*❯ \S+\s+│ /u);
  if (line === null) return null;
  const message = findLineUp(view, line, view.start, MESSAGE);
  const top = message === null ? undefined : message + 1;
  return unreadPrompt(view, line, `${owner}.picker.table`, top);
}

function findError(view: View): number | null {
  const composer = geminiInputLine(view);
  if (composer === null) return null;
  let from = composer - 1;
  for (;;) {
    const line = findLineUp(view, from, view.start, MESSAGE);
    if (line === null) return null;
    const text = lineAt(view, line);
    if (ERROR.test(text)) return line;
    if (!/^ {0,2}[ℹ⚠] /u.test(text)) return null;
    from = line - 1;
  }
}
