import type { Observation } from "../finding.ts";
import {
  enterOption,
  linePrompt,
  listPrompt,
  menuPrompt,
  unreadPrompt,
  yesNoOptions,
} from "../generic-prompt.ts";
import { isLast, liveEnd, readLiveMenu } from "../live-menu.ts";
import { lastLines, lineAt, type View } from "../region.ts";
import type { Match, Rule } from "../rule.ts";
import { isCommandLine } from "../shell-prompt.ts";
import { readUnnumberedMenu } from "../unnumbered-menu.ts";

/** Programs that exist to ask. */
const ASKERS = /^(?:fzf|sk|peco|percol|gum|whiptail|dialog|pinentry(?:-\w+)?|zenity)$/;
const GAUGE = /^--(?:gauge|progress|infobox|mixedgauge|programbox|tailbox)$/;

const YES_NO =
  /[([<]\s*(y(?:es)?\s*[/|,]\s*n(?:o)?\b(?:\s*[/|,][^)\]>]{0,60})?|n(?:o)?\s*\/\s*y(?:es)?|y(?:es)?\/\[?n(?:o)?\]?(?:\/\[?\w+\]?){0,3}|(?<=\?\s{0,3}[([]\s{0,3})y)\s*[)\]>]\]?\)?\s*[?:>]*\s*$/i;
const SECRET =
  /\b(?:password|passphrase|passcode|verification code|one-time code)\b[^:?]{0,80}[:?]\s*$/i;
/** Also words of ordinary output: only with the cursor right behind them. */
const MAYBE_SECRET = /\b(?:pin|otp|2fa code|secret|api key|token)\b[^:?]{0,80}[:?]\s*$/i;
const PRESS_ENTER =
  /\b(?:press|hit|push)\s+(?:the\s+)?[[<(]?(?:enter|return|any key|space|a key)\b|\bpress ENTER or type command/i;
const LEGEND = /^\s*(?:[›»>•*-]\s*)?press\s+\S+\s+(?:\+\s+\S+\s+)?(?:to|for)\b/i;
const INPUT_LINE =
  /#\?\s*$|\b(?:choice|choose|select|selection|option|number|pick|answer)\b[^.!]{0,80}[:?>]\s*$|[[(]\d+\s*(?:-|\.\.|to)\s*\d+[\])][^.!]{0,20}[:?>]?\s*$/i;

const ARROWS = /[↑↓⇅⇆]|\barrow keys?\b|\bj\/k\b|\bctrl-n\b/i;
const TAKES =
  /\b(?:enter|return|space|tab|⏎|↵)\b.{0,12}\b(?:select|confirm|submit|choose|accept|toggle|continue|pick)|\buse arrow keys\b|<space> to (?:select|toggle)/i;

/**
 * Questions of programs that nobody knows. They count only at the live end: on the last line, or
 * with a list and its footer as the last lines.
 */
export const questionRules: readonly Rule[] = [
  {
    id: "generic.menu",
    about:
      "Numbered options in one column, exactly one with a cursor, at the end of the screen, in a box or not.",
    why: "Only a program that waits for a choice draws a cursor; the literal and Enter answer it.",
    means: "needs_input",
    find: ({ view }) => {
      const live = readLiveMenu(view);
      if (!live) return null;
      return { line: live.menu.start, prompt: menuPrompt(live, "generic.menu") };
    },
  },
  {
    id: "generic.selector",
    about: "Hints for arrow keys and Enter, or rows with a cursor below a `? question` line.",
    why: "An unknown dialog waits too; its rows are not numbered, so no option is offered.",
    means: "needs_input",
    find: ({ view }) => selector(view),
  },
  {
    id: "generic.asker",
    about: "The program's name: fzf, gum, whiptail, dialog and the like.",
    why: "Such programs run only to ask; how they draw differs from version to version.",
    means: "needs_input",
    find: ({ view, observation }) => {
      if (!isAsker(observation) || view.end === view.start) return null;
      const line = view.end - 1;
      return { line, prompt: unreadPrompt(view, line, "generic.asker") };
    },
  },
  {
    id: "generic.buttons",
    about: "A row of `<Ok>` `<Cancel>` buttons in a box.",
    why: "Installers draw such dialogs in their own process.",
    means: "needs_input",
    find: ({ view }) => {
      const line = lastLines(view, 8).find((i) =>
        /^\W*<\s?(?:ok|yes|no|cancel|continue|finish|back|go back)\s?>(?:\s+<[^<>]{1,20}>){0,3}\W*$/i.test(
          lineAt(view, i),
        ),
      );
      if (line === undefined) return null;
      return { line, prompt: unreadPrompt(view, line, "generic.buttons") };
    },
  },
  {
    id: "generic.secret",
    about: "A last line that asks for a password, passphrase, PIN or code.",
    why: "Nothing is echoed while it is typed; there is nothing to choose from.",
    means: "needs_input",
    find: ({ view, observation }) => {
      const ask = (line: number) => linePrompt(view, line, "generic.secret", []);
      const maybe = () =>
        isCursorBehind(view, observation) ? onLastLine(view, MAYBE_SECRET, ask) : null;
      return onLastLine(view, SECRET, ask) ?? maybe();
    },
  },
  {
    id: "generic.yes_no",
    about: "A last line that ends in `(y/n)`, `[Y/n]`, `(yes/no)` or the like.",
    why: "The capital letter is the default; the letter or word and Enter answer it.",
    means: "needs_input",
    find: ({ view }) =>
      onLastLine(view, YES_NO, (line, shown) =>
        linePrompt(view, line, "generic.yes_no", yesNoOptions(shown)),
      ),
  },
  {
    id: "generic.list",
    about: "A numbered list right above a last line that asks for a choice or holds the cursor.",
    why: "Scripts print their options and read a line; a list without such a line is prose.",
    means: "needs_input",
    find: ({ view, observation }) => {
      const read = (line: number) => listPrompt(view, line, "generic.list");
      const open = () =>
        isCursorBehind(view, observation) ? onLastLine(view, /[:?>#]\s*$/, read) : null;
      return onLastLine(view, INPUT_LINE, read) ?? open();
    },
  },
  {
    id: "generic.press_enter",
    about: "`Press Enter`, `press any key` or the like in the last line.",
    why: "It is no prompt in a legend of keys, where the line above names another key.",
    means: "needs_input",
    find: ({ view }) => {
      const line = view.end - 1;
      if (!PRESS_ENTER.test(lineAt(view, line)) || isLegend(view, line)) return null;
      const prompt = linePrompt(view, line, "generic.press_enter", [enterOption()]);
      return { line, prompt };
    },
  },
  {
    id: "generic.input",
    about: "A last line that ends in `?` or asks for a value, with the cursor right behind it.",
    why: "Output ends with a line break; a program that stops behind its question reads a line.",
    means: "needs_input",
    find: ({ view, observation }) => {
      if (!isCursorBehind(view, observation)) return null;
      return onLastLine(
        view,
        /\S.*[?？]\s*$|:\s*(?:\([^()]{1,60}\)|\[[^\][]{1,60}\])\s*$|\b(?:enter|type|input|specify|provide|name|value|username|login|email|address|path|port)\b[^.!?]{0,60}:\s*$/i,
        (line) => linePrompt(view, line, "generic.input", []),
      );
    },
  },
];

function onLastLine(
  view: View,
  pattern: RegExp,
  read: (line: number, shown: string) => Match["prompt"],
): Match | null {
  const line = view.end - 1;
  const text = lineAt(view, line);
  // Only the end of a long joined line can be a question.
  const match = pattern.exec(text.slice(-300));
  if (!match || line < view.start || isCommandLine(text)) return null;
  const prompt = read(line, match[1] ?? match[0]);
  return prompt ? { line, prompt } : null;
}

function selector(view: View): Match | null {
  const hint = lastLines(view, 3).find((i) => {
    const line = lineAt(view, i);
    return ARROWS.test(line) && TAKES.test(line) && !isCommandLine(line);
  });
  if (hint !== undefined)
    return { line: hint, prompt: unreadPrompt(view, hint, "generic.selector") };
  const header = barredHeader(view);
  if (header !== null)
    return { line: header, prompt: unreadPrompt(view, header, "generic.selector", header) };
  const menu = readUnnumberedMenu(view, { ...liveEnd(view), cursors: "❯›●▸▶➤>" });
  if (!menu || !isLast(view, menu.end)) return null;
  const above = lineAt(view, menu.start - 1);
  if (!/^\s*[?◆◇]\s+\S/u.test(above) && !(ARROWS.test(above) || TAKES.test(above))) return null;
  const line = menu.start - 1;
  return { line, prompt: unreadPrompt(view, line, "generic.selector", line) };
}

/** `◆  Question` with marked rows along a bar below it, down to the end of the screen. */
function barredHeader(view: View): number | null {
  for (let i = view.end - 1; i >= liveEnd(view).from; i--) {
    const line = lineAt(view, i);
    if (/^\s*◆\s+\S/u.test(line)) return i < view.end - 2 ? i : null;
    if (!/^\s*(?:│|└|├|╰)/u.test(line) && line !== "") return null;
  }
  return null;
}

function isAsker({ command, processes }: Observation): boolean {
  if (!ASKERS.test(command)) return false;
  return !processes.some((args) => args.some((arg) => GAUGE.test(arg)));
}

/** One of several lines that each say what a key does. */
export function isLegend(view: View, line: number): boolean {
  return LEGEND.test(lineAt(view, line)) && LEGEND.test(lineAt(view, line - 1));
}

/** The cursor stands behind the last line's text: no line break followed it. */
function isCursorBehind(view: View, { cursor, width }: Observation): boolean {
  if (!cursor || width <= 0) return false;
  const columns = Bun.stringWidth(lineAt(view, view.end - 1));
  const behind = cursor.column - (columns % width);
  return cursor.column > 0 && (behind === 0 || behind === 1);
}
