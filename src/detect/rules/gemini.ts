import { unreadPrompt } from "../generic-prompt.ts";
import { findLast, findLineUp, lineAt, type View } from "../region.ts";
import { atLine, type Match, type Rule } from "../rule.ts";
import { agentMenuRule } from "./agent-menu.ts";
import { composerLine } from "./gemini-composer.ts";
import { findDialog, findOpenBox, findPanel } from "./gemini-dialog.ts";
import { busyTitleRule, waitingTitleRule } from "./title.ts";

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
      about: "Numbered options with a cursor in the last box of the screen.",
      why: "The box stands in the input line's place and takes the keys.",
      means: "needs_input",
      find: ({ view }) => findDialog(view, owner, false),
    },
    {
      id: `${owner}.picker`,
      about: "A list in the last box that asks no question, opened by a person (model, theme).",
      why: "It takes the keys as any dialog does; it is a prompt so that it can be used from afar.",
      means: "needs_input",
      find: ({ view }) => findDialog(view, owner, true),
    },
    {
      id: `${owner}.picker.panel`,
      about: "The last box of the screen ends with a hint how to close it.",
      why: "Settings, editor, rewind: opened by a person, so that they can be used from afar.",
      means: "needs_input",
      find: ({ view }) => findPanel(view, owner),
    },
    {
      id: `${owner}.text`,
      about: "The last box of the screen ends with a hint how to submit, or holds an input line.",
      why: "It stands in the input line's place; its answer is a text or cannot be read safely.",
      means: "needs_input",
      find: ({ view }) => findOpenBox(view, owner),
    },
    {
      id: `${owner}.picker.table`,
      about: "A row of a table with a cursor near the end, and no input line (sessions).",
      why: "A picker without a box; single letters delete there, so nothing may be typed blindly.",
      means: "needs_input",
      find: ({ view }) => findTable(view, owner),
    },
    agentMenuRule({ owner, inputLine: /^ {0,3}[>*!](?: |$)/ }),
    waitingTitleRule(owner, WAITING_TITLE, composerLine),
    {
      id: `${owner}.working.activity`,
      about:
        "A spinner and `esc to cancel` above the input line, or near the end where there is none.",
      why: "It is drawn only while a turn runs; here these words do not mean a dialog.",
      means: "working",
      find: ({ view }) => findActivity(view),
    },
    busyTitleRule(owner, BUSY_TITLE),
    {
      id: `${owner}.error`,
      about: "An error mark on a message that no other message but a note follows.",
      why: "The turn ended with it; the next message ends the error.",
      means: "error",
      find: ({ view }) => findError(view),
    },
    {
      id: `${owner}.idle`,
      about: "The input line at the end, empty or typed.",
      why: "It stands there and nothing says that a turn runs.",
      means: "idle",
      find: ({ view }) => atLine(composerLine(view)),
    },
  ];
}

function findTable(view: View, owner: string): Match | null {
  if (composerLine(view) !== null) return null;
  const line = findLast(view, MAX_BELOW_CURSOR, /^\s*❯ \S+\s+│ /u);
  if (line === null) return null;
  const message = findLineUp(view, line, view.start, (text) => MESSAGE.test(text));
  const top = message === null ? undefined : message + 1;
  return { line, prompt: unreadPrompt(view, line, `${owner}.picker.table`, top) };
}

function findActivity(view: View): Match | null {
  // Before 0.2 there is no input line during a turn.
  return atLine(findLast({ ...view, end: composerLine(view) ?? view.end }, 8, ACTIVITY));
}

function findError(view: View): Match | null {
  const composer = composerLine(view);
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
