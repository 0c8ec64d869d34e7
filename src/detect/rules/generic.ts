import { enterOptions, linePrompt, menuPrompt, yesNoOptions } from "../generic-prompt.ts";
import {
  isEditing,
  isOpen,
  isPrinted,
  isShellInFront,
  isWork,
  noteOf,
  readerOf,
  readLastLine,
} from "../last-line.ts";
import { liveEnd } from "../live-menu.ts";
import type { Menu } from "../menu.ts";
import { readPlainList } from "../numbered-menu.ts";
import { lineOfHit } from "../pattern-region.ts";
import {
  isAsker,
  isCommandLine,
  isPagerPrompt,
  isReplPrompt,
  isShellPrompt,
  isViewer,
} from "../programs.ts";
import { findLast, lastLines, lineAt, type View, wholeLineAt, wholeStyle } from "../region.ts";
import { rule, type Context, type Rule } from "../rule.ts";
import { columnsOf } from "../text.ts";
import { isLegend, LETTERS, questionRules } from "./questions.ts";

const patternRules: readonly Rule[] = [
  rule("generic.pattern.prompt", "needs_input", (view, context) => {
    const hit = context.patterns.prompt;
    const line = lineOfHit(view, hit);
    if (!hit || line === null || isLegend(view, line) || line < context.place().top) return null;
    const menu = listBelow(view, line);
    if (menu ? isPrinted(context) : !isAsking(context, line)) return null;
    const prompt = menu
      ? menuPrompt({ view, menu, top: null }, "generic.pattern.prompt", null)
      : linePrompt(view, line, "generic.pattern.prompt", optionsOf(lineAt(view, line)));
    return { line, prompt, note: `pattern ${hit.pattern}` };
  }),
  rule("generic.pattern.error", "error", (view, { patterns, agent }) => {
    const hit = patterns.error;
    const line = lineOfHit(view, hit);
    if (!hit || line === null || agent || line < liveEnd(view).from) return null;
    return { line, note: `pattern ${hit.pattern}` };
  }),
];

/** The last rule of both lists: a line that looks like a question while no program reads. */
const unreadRule = rule("generic.unread", "idle", (_, context) => {
  const last = readLastLine(context);
  if (last?.reader !== "nobody") return null;
  return { line: last.line, isUncertain: true, note: noteOf(last) };
});

const frontRules: readonly Rule[] = [
  rule("generic.editor", "needs_input", (view, context) => {
    if (!isViewer(context.input) || pagerLine(context) !== null) return null;
    const line = saveQuestion(view) ?? questionAtCursor(context) ?? findLast(view, 1, REPLACE);
    return line === null ? null : linePrompt(view, line, "generic.editor", []);
  }),
  rule("generic.viewer", "idle", (view, { input }) =>
    isViewer(input) && !isEditorAsking(view) ? { line: null, isUncertain: true } : null,
  ),
  rule("generic.pager", "idle", (_, context) => pagerLine(context)),
];

export const genericRules: readonly Rule[] = [
  rule("generic.shell_prompt", "idle", (view) => lastLineIs(view, isShellPrompt)),
  rule("generic.repl", "idle", (view, { input, place }) => {
    const isList = () => readerOf(input) === "line" && isBelowList(view);
    const isField = place().cursor?.visible === false;
    return isAsker(input) || isField || isList() ? null : lastLineIs(view, isReplPrompt);
  }),
  ...frontRules,
  ...questionRules,
  ...patternRules,
  unreadRule,
];

/** `[2] Test`, `(q) Quit` */
const KEYED_ROW = /^\s*[[(](\d{1,2}|[a-z])[\])]\s+\p{L}/iu;

function isBelowList(view: View): boolean {
  const [last = 0, above = 0, before = 0] = lastLines(view, 3);
  if (readPlainList(view, last, view.start)?.end === above + 1) return true;
  const [key, keyBefore] = [above, before].map((line) => KEYED_ROW.exec(lineAt(view, line))?.[1]);
  if (key === undefined) return false;
  // R puts before each row of a vector the number of its first value: `[1] TRUE`.
  return Number.isNaN(Number(key)) || Number(keyBefore) === Number(key) - 1;
}

function listBelow(view: View, line: number): Menu | null {
  const menu = readPlainList(view, view.end, line + 1);
  if (!menu?.isWhole || menu.end !== view.end) return null;
  const isNext = view.lines.slice(line + 1, menu.start).every((text) => text === "");
  return isNext ? menu : null;
}

/** An answer behind the question: `Continue? [y/N] y`. */
const ANSWER_BEHIND = /(?:[)\]]\s*[?:]*|\?)\s+(?:y|n|yes|no|ok|q|quit|all?)$/i;

function isAsking(context: Context, line: number): boolean {
  const { view } = context;
  const text = lineAt(view, line);
  const last = readLastLine(context);
  if (!last || ANSWER_BEHIND.test(text)) return false;
  if (line === last.line) return isOpen(last) && !isWork(last);
  if (!lastLines(view, 4).includes(line) || !/[?:\])>…]\s*$/.test(text)) return false;
  // Once the cursor is below the question, the program has gone on.
  const { cursor } = context.place();
  return last.reader !== "nobody" && !(cursor?.visible && cursor.line > line);
}

/** Its own row, which may be joined to a full row of the text. */
function pagerLine({ view, input, place }: Context): number | null {
  const line = view.end - 1;
  const text = wholeLineAt(view, line);
  const isJoined = place().cursor?.line === line && columnsOf(text) > view.width;
  return isPagerPrompt(isJoined ? text.slice(-(input.cursor?.column ?? 0)) : text) ? line : null;
}

/** An editor asks on its last line: hit-enter, or what to do about a file. */
function isEditorAsking(view: View): boolean {
  const last = lineAt(view, view.end - 1);
  return /\bPress ENTER or type command\b/.test(last) || LETTERS.test(last);
}

function saveQuestion(view: View): number | null {
  const [no = -1, yes = -1, question = -1] = lastLines(view, 3);
  const hasKeys = /^ ?N No\b/.test(lineAt(view, no)) && /^ ?Y Yes\b/.test(lineAt(view, yes));
  return hasKeys && lineAt(view, question).endsWith("?") ? question : null;
}

/** vim asks about each match with the cursor on the match, and its ruler behind the question. */
const REPLACE = /^replace with .*(?:\(y\/n\/a\/q\/l\/\^E\/\^Y\)\?|\(y\)es\/\(n\)o\/\(a\)ll\/)/;
const QUESTION = /^\s*\[?\p{L}.*(?:[?:]|\[[^[\]]+\])(?:\s.*)?$/u;

/** A question with the cursor behind it, on a row that cannot hold text of the file. */
function questionAtCursor({ view, input, place }: Context): number | null {
  const { cursor } = place();
  if (!cursor?.visible || cursor.column === 0) return null;
  const { line, column } = cursor;
  const text = lineAt(view, line);
  const gap = column - columnsOf(text);
  if (gap < 0 || gap > 2 || !QUESTION.test(text) || isCommandLine(text)) return null;
  // A pager's own last row is inverse.
  const isLast = input.cursor?.row === view.height - 1;
  const { bold, inverse } = wholeStyle(view.screen.lines[line]);
  const isSetOff = bold === true || inverse === true;
  return isSetOff !== isLast ? line : null;
}

function optionsOf(line: string) {
  const choice = /[([]\s*(y(?:es)?\s*\/\s*n(?:o)?)\s*[)\]]|\? \((y)\b/i.exec(line);
  if (choice) return yesNoOptions(choice[1] ?? choice[2] ?? "");
  if (/\bpress\s+\[?(?:enter|return|any key)\b/i.test(line)) return enterOptions();
  return [];
}

function lastLineIs(view: View, test: (line: string) => boolean) {
  const line = view.end - 1;
  return line >= view.start && test(lineAt(view, line)) ? line : null;
}

const EDITOR_ASKS =
  /^(?:Display all \d+ possibilities\? \(y or n\)|--More--|zsh: .*\?(?: \(.*\)| \[\w+\])?\??)$/;

export const shellRules: readonly Rule[] = [
  rule("shell.prompt", "idle", (view) => lastLineIs(view, isShellPrompt)),
  rule("shell.completion", "needs_input", (view, { input }) => {
    const line = view.end - 1;
    if (!isEditing(input) || !EDITOR_ASKS.test(lineAt(view, line))) return null;
    return linePrompt(view, line, "shell.completion", []);
  }),
  rule("shell.editing", "idle", (_, { input }) => (isEditing(input) ? { line: null } : null)),
  ...frontRules,
  ...questionRules,
  rule("shell.foreground", "idle", (_, { input }) =>
    isShellInFront(input) ? { line: null } : null,
  ),
  ...patternRules,
  unreadRule,
];
