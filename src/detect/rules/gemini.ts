import { unreadPrompt } from "../generic-prompt.ts";
import { findLast, findLineUp, lineAt, type View } from "../region.ts";
import { atLine, type Match, type Rule } from "../rule.ts";
import { agentMenuRule, busyTitleRule, waitingTitleRule } from "./agent-menu.ts";
import { geminiInputLine } from "./gemini-composer.ts";
import { findGeminiDialog, findOpenBox, findPanel } from "./gemini-dialog.ts";

/** Lines between the cursor of a table and the end of the screen. */
const MAX_BELOW_CURSOR = 18;

/** A spinner that a terminal cannot draw is dots; the time that runs is beside the hint. */
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
    {
      id: `${owner}.dialog`,
      means: "needs_input",
      find: ({ view }) => findGeminiDialog(view, owner, false),
    },
    {
      id: `${owner}.picker`,
      means: "needs_input",
      find: ({ view }) => findGeminiDialog(view, owner, true),
    },
    {
      id: `${owner}.picker.panel`,
      means: "needs_input",
      find: ({ view }) => findPanel(view, owner),
    },
    {
      id: `${owner}.text`,
      means: "needs_input",
      find: ({ view }) => findOpenBox(view, owner),
    },
    {
      id: `${owner}.picker.table`,
      means: "needs_input",
      find: ({ view }) => findTable(view, owner),
    },
    agentMenuRule({ owner, inputLine: /^ {0,3}[>*!](?: |$)/ }),
    waitingTitleRule(owner, WAITING_TITLE, geminiInputLine),
    {
      id: `${owner}.working.activity`,
      means: "working",
      find: ({ view }) => findActivity(view),
    },
    busyTitleRule(owner, BUSY_TITLE),
    {
      id: `${owner}.error`,
      means: "error",
      find: ({ view }) => findError(view),
    },
    {
      id: `${owner}.idle`,
      means: "idle",
      find: ({ view }) => atLine(geminiInputLine(view)),
    },
  ];
}

function findTable(view: View, owner: string): Match | null {
  if (geminiInputLine(view) !== null) return null;
  const line = findLast(view, MAX_BELOW_CURSOR, /^\s*❯ \S+\s+│ /u);
  if (line === null) return null;
  const message = findLineUp(view, line, view.start, (text) => MESSAGE.test(text));
  const top = message === null ? undefined : message + 1;
  return { line, prompt: unreadPrompt(view, line, `${owner}.picker.table`, top) };
}

function findActivity(view: View): Match | null {
  // Before 0.2 there is no input line during a turn.
  return atLine(findLast({ ...view, end: geminiInputLine(view) ?? view.end }, 8, ACTIVITY));
}

function findError(view: View): Match | null {
  const composer = geminiInputLine(view);
  if (composer === null) return null;
  let from = composer - 1;
  for (;;) {
    const line = findLineUp(view, from, view.start, (text) => MESSAGE.test(text));
    if (line === null) return null;
    const text = lineAt(view, line);
    if (ERROR.test(text)) return { line };
    if (!/^ {0,2}[ℹ⚠] /u.test(text)) return null;
    from = line - 1;
  }
}
