import type { Prompt, PromptOption } from "../finding.ts";
import {
  enterOptions,
  joinBroken,
  linePrompt,
  listPrompt,
  yesNoOptions,
} from "../generic-prompt.ts";
import {
  ASKS_IN_SHELL,
  drawsInline,
  isNamed,
  isOpen,
  isPrinted,
  isReadBelow,
  isScriptInFront,
  isShellInFront,
  isWork,
  noteOf,
  PRESS_ENTER,
  readLastLine,
  type LastLine,
} from "../last-line.ts";
import { lastLines, lineAt, type View } from "../region.ts";
import { rule, type Context, type Match, type Rule } from "../rule.ts";
import { isCommandLine } from "../programs.ts";
import { hasRoom } from "../text.ts";
import { dialogRules } from "./dialogs.ts";

const YES_NO =
  /[([<（]\s*(y(?:es)?\s*[/|,]\s*n(?:o)?\b(?:\s*[/|,][^)\]>]{0,60})?|n(?:o)?\s*\/\s*y(?:es)?|y(?:es)?\/\[?n(?:o)?\]?(?:\/\[?\w+\]?){0,3}|y(?:es)? or n(?:o)?|(?<=\?\s{0,3}[([]\s{0,3})y)\s*[)\]>）]\]?\)?\s*[?:>？：]*\s*$|(?:^|\s)(yes\/no)\s*[?:]\s*$|(?<=\?\s{1,2})(y(?:es)?\/no?)$/i;
/** `[(y)es, (n)o]:`, `[y]es, [n]o, [A]ll:`, `(Y)es/(N)o [Yes]:` */
const YES_NO_LETTERS = /[([](y)[)\]]es\b.{1,60}?[([]n[)\]]o\b[^?:]{0,80}[?:]\s*$/i;
/** `([yes]/no)`, `(y or [n])`: what Enter takes stands in brackets of its own. */
const YES_NO_DEFAULT = /[[(](y(?:es)?|no?)[\])](?=\s?(?:\/|or\b|[)\]]))/gi;
/** `[O]pen Read-Only, (E)dit anyway, (Q)uit:` */
export const LETTERS = /(?:[([]\w[)\]]\w[^()[\]]{0,30}){3,8}[?:]\s*$/;
const SECRET =
  /\b(?:password|passphrase|passcode|verification code|one-time code)\b[^:?]{0,80}[:?]\s*$/i;
/** Also in ordinary output: they count only with the cursor right behind them. */
const MAYBE_SECRET = /\b(?:pin|otp|2fa code|secret|api key|token)\b[^:?]{0,80}[:?]\s*$/i;
const LEGEND = /^\s*(?:[›»>•*-]\s*)?press\s+\S+\s+(?:\+\s+\S+\s+)?(?:to|for)\b/i;
const INPUT_LINE =
  /#\?\s*$|\b(?:choice|choose|select|selection|option|number|pick|answer)\b[^.!]{0,80}[:?>]\s*$|[[(]\d+\s*(?:-|\.\.|to)\s*\d+[\])][^.!]{0,20}[:?>]?\s*$/i;
/** Ends of a line behind which a program reads. */
const OPEN = /[:?？：؟>\]]\s*$|\?\.{3}$|[:?]\s*(?:\([^()]{1,60}\)|\[[^\][]{1,60}\])\s*$/;
const ASKS = /\S.*[?？：؟:]\s*$|[:?]\s*(?:\([^()]{1,60}\)|\[[^\][]{1,60}\])\s*$/;
/** A line of progress, which its outcome will complete. */
const PROGRESS = /^\W*\p{L}+ing\b|\.\.\.|…|\d ?%/iu;

export const lineRules: readonly Rule[] = [
  lineRule("generic.secret", (last) => {
    const isBehind = last.cursor === "behind";
    const isNamed = SECRET.test(last.text) || (isBehind && MAYBE_SECRET.test(last.text));
    return isNamed || (last.reader === "line" && last.isHidden && isBehind) ? [] : null;
  }),
  lineRule(
    "generic.yes_no",
    ({ text, reader }) => {
      const line = text.replace(YES_NO_DEFAULT, (_, word: string) => word.toUpperCase());
      const match = YES_NO.exec(line) ?? YES_NO_LETTERS.exec(text);
      return match && yesNoOptions(match[1] ?? match[2] ?? match[3] ?? match[0], reader === "key");
    },
    // Some programs print the question with a line break and read below it.
    (last) => last.reader !== "nobody",
  ),
  lineRule("generic.letters", ({ text }) => (LETTERS.test(text) ? [] : null)),
  rule("generic.list", "needs_input", (view, context) =>
    onLastLine(context, ({ line, text, cursor, reader }) => {
      if (isReadBelow(context))
        return listPrompt(view, view.end, "generic.list", { isKeyRead: reader === "key" });
      const isNamed = INPUT_LINE.test(text);
      const asks = isNamed || (cursor === "behind" && /[:?>#]\s*$/.test(text));
      return asks ? listPrompt(view, line, "generic.list", { isNamed }) : null;
    }),
  ),
  lineRule("generic.press_enter", ({ line, text }, { view }) =>
    PRESS_ENTER.test(text) && !isLegend(view, line) ? enterOptions() : null,
  ),
  rule("generic.marked", "needs_input", findMarked),
  lineRule("generic.input", (last, context) => {
    if (last.cursor === "behind") return asksFor(last, context) ? [] : null;
    return last.cursor === "below" || isAskedAbove(last, context) ? [] : null;
  }),
];

/** `read` gives the options; null where the line does not ask in this way. */
function lineRule(
  id: string,
  read: (last: LastLine, context: Context) => readonly PromptOption[] | null,
  counts?: (last: LastLine) => boolean,
): Rule {
  return rule(id, "needs_input", (view, context) => {
    const promptOf = (last: LastLine) => {
      const options = read(last, context);
      return options && linePrompt(view, last.line, id, options);
    };
    return onLastLine(context, promptOf, counts);
  });
}

export const questionRules: readonly Rule[] = [...dialogRules, ...lineRules];

function asksFor({ text, reader, isSetOff }: LastLine, { input }: Context): boolean {
  if (reader === "key") return ASKS.test(text);
  // A script that takes keys edits the line that it reads.
  const isEdited = input.terminal?.lines === false && isScriptInFront(input);
  // bash may look for a key now and then while it draws; fish cannot.
  const isRead = reader === "line" || (isEdited && isNamed(input, "fish"));
  if (isRead && isSetOff && /\p{L}{2}/u.test(text) && !isShellInFront(input)) return true;
  if (PROGRESS.test(text) && !isRead) return false;
  if (isRead || isEdited) return OPEN.test(text);
  return isShellInFront(input) ? ASKS_IN_SHELL.test(text) : ASKS.test(text);
}

/** The question ended with a line break, and its answer is read on the next row. */
function isAskedAbove({ text, reader }: LastLine, context: Context): boolean {
  const isRead = reader === "line" || reader === "key";
  return isRead && ASKS_IN_SHELL.test(text) && isReadBelow(context);
}

function onLastLine(
  context: Context,
  read: (last: LastLine) => Prompt | null,
  counts: (last: LastLine) => boolean = isOpen,
): Match | null {
  const last = readLastLine(context);
  const prompt = last && !isWork(last) && counts(last) ? read(last) : null;
  return last && prompt && { line: last.line, prompt, note: noteOf(last) };
}

const TAKES_ANSWER = /[?:…\])]$|[›‣»…](?:\s|$)/u;
const ROW = /^\s*(?:[❯›▸>»◯◉◻◼●○☐☑✔]\s*\S|\d+[.)] )/u;
const MAX_MARKED_LINES = 24;

function findMarked(view: View, context: Context): Prompt | null {
  const { top, cursor } = context.place();
  const line = lastLines(view, MAX_MARKED_LINES).find((i) => /^\s*\?\s+\S/.test(lineAt(view, i)));
  const last = readLastLine(context);
  if (line === undefined || line < top || !last || !isOpen({ ...last, cursor: "unknown" }))
    return null;
  const below = view.lines.slice(line + 1, view.end);
  // With the cursor on its line it is open, whatever is listed below.
  const takesKeys = context.input.terminal?.lines === false;
  const isOn = cursor?.line === line && (cursor.column > 0 || (takesKeys && cursor.visible));
  const isHint = (text: string) => text === "" || ROW.test(text) || /^\s|^[\w +]+ \w|:$/.test(text);
  const isList = below.some((text) => ROW.test(text)) && below.every(isHint);
  // Behind its answer work may follow, drawn by a program that takes keys to hide them.
  const isPlain = (text: string) => text === "" || /^\s+[\p{L}\p{N}]/u.test(text);
  const isUnmarked = below.length === 0 || (drawsInline(context) && below.every(isPlain));
  const isUnanswered = isUnmarked && TAKES_ANSWER.test(lineAt(view, line));
  // Libraries break a question by themselves, and set the cursor behind its last row.
  const end = (cursor && cursor.column > 0 ? cursor.line : line) + 1;
  const isFull = (text: string, at: number) => !hasRoom(lineAt(view, line + at), text, view.width);
  const isBroken =
    end > line + 1 && end <= view.end && view.lines.slice(line + 1, end).every(isFull);
  if (
    !(isOn || isList || isUnanswered || isBroken) ||
    below.some(isCommandLine) ||
    isPrinted(context)
  )
    return null;
  if (cursor?.visible && cursor.line > line && below.length === 0) return null;
  const prompt = linePrompt(view, line, "generic.marked", []);
  return isBroken ? { ...prompt, question: joinBroken(view, line, end) } : prompt;
}

export function isLegend(view: View, line: number): boolean {
  return LEGEND.test(lineAt(view, line)) && LEGEND.test(lineAt(view, line - 1));
}
