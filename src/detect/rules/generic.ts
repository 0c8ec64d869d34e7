import type { Menu } from "../menu.ts";
import { readPlainList } from "../numbered-menu.ts";
import { enterOption, linePrompt, menuPrompt, yesNoOptions } from "../generic-prompt.ts";
import { isOpen, isPrinted, noteOf, readLastLine } from "../last-line.ts";
import { lineOfHit, patternRegion } from "../pattern-region.ts";
import { isAsker, isViewer } from "../programs.ts";
import { lastLines, lineAt, type View } from "../region.ts";
import type { Context, Rule } from "../rule.ts";
import { isPagerPrompt, isReplPrompt, isShellPrompt } from "../shell-prompt.ts";
import { isLegend, questionRules } from "./questions.ts";

/** The user's own patterns over the live end of the screen. */
export const patternRules: readonly Rule[] = [
  {
    id: "generic.pattern.prompt",
    about:
      "A configured prompt pattern on the last line, or on a late one that ends open or has a list below it.",
    why: "A person named it a question; higher up, or with an answer behind it, it is history.",
    means: "needs_input",
    find: (context) => {
      const { view, patterns } = context;
      const hit = patterns.prompt;
      const region = hit && patternRegion(view);
      if (!hit || !region) return null;
      const line = lineOfHit(region, hit.index);
      if (isLegend(view, line) || line < context.place().top) return null;
      const menu = listBelow(view, line);
      if (menu ? isPrinted(context) : !isAsking(context, line)) return null;
      const prompt = menu
        ? menuPrompt({ view, menu, top: null }, "generic.pattern.prompt", null)
        : linePrompt(view, line, "generic.pattern.prompt", optionsOf(lineAt(view, line)));
      return { line, prompt, note: `pattern ${hit.pattern}` };
    },
  },
  {
    id: "generic.pattern.error",
    about: "One of the configured error patterns on the screen, below the last command line.",
    why: "The program that failed is still in front; an agent only writes about errors.",
    means: "error",
    find: ({ view, patterns, agent }) => {
      const hit = patterns.error;
      const region = hit && patternRegion(view);
      if (!hit || !region || agent) return null;
      const line = lineOfHit(region, hit.index);
      if (line < view.end - Math.max(view.height, 10)) return null;
      return { line, note: `pattern ${hit.pattern}` };
    },
  },
];

/** The last rule of both lists: a line that looks like a question and is none. */
export const unreadRule: Rule = {
  id: "generic.unread",
  about: "A last line that ends like a question, while the kernel says that no program reads.",
  why: "A program that sleeps or computes asks nobody: progress ends in a colon too, and a question that was answered stays.",
  means: "idle",
  find: (context) => {
    const last = readLastLine(context);
    if (last?.reader !== "nobody") return null;
    return { line: last.line, isUncertain: true, note: noteOf(last) };
  },
};

/** Programs in front of a pane that show text: pagers, editors, monitors. */
export const frontRules: readonly Rule[] = [
  {
    id: "generic.editor",
    about: "An editor's question about a file that was changed, with `Y Yes` and `N No` below it.",
    why: "A key answers at once, and what the file loses cannot be seen: none is offered.",
    means: "needs_input",
    find: ({ view, input }) => {
      const line = isViewer(input) ? saveQuestion(view) : null;
      return line === null ? null : { line, prompt: linePrompt(view, line, "generic.editor", []) };
    },
  },
  {
    id: "generic.viewer",
    about:
      "The program's name, also behind a pipe or `sudo`: pagers, editors, monitors, file managers.",
    why: "The text that they show may hold any question; only one on an editor's last line is its own.",
    means: "idle",
    find: ({ view, input }) =>
      isViewer(input) && !isEditorAsking(view) ? { line: null, isUncertain: true } : null,
  },
  {
    id: "generic.pager",
    about: "`:`, `(END)`, `--More--` or a page count as the last line.",
    why: "Programs start a pager of their own and keep their name.",
    means: "idle",
    find: ({ view }) => lastLineIs(view, isPagerPrompt),
  },
];

/** Programs without rules of their own. */
export const genericRules: readonly Rule[] = [
  {
    id: "generic.shell_prompt",
    about: "An empty shell prompt as the last line.",
    why: "Behind ssh or in a container the shell is not the pane's command.",
    means: "idle",
    find: ({ view }) => lastLineIs(view, isShellPrompt),
  },
  {
    id: "generic.repl",
    about: "The prompt of an interpreter or database client as the last line.",
    why: "It waits for its next line as a shell does; an error above it is over.",
    means: "idle",
    find: ({ view, input }) => (isAsker(input) ? null : lastLineIs(view, isReplPrompt)),
  },
  ...frontRules,
  ...questionRules,
  ...patternRules,
  unreadRule,
];

/** The numbered list that the question is about, where it ends the screen. */
function listBelow(view: View, line: number): Menu | null {
  const menu = readPlainList(view, view.end, line + 1);
  if (!menu?.isWhole || menu.end !== view.end) return null;
  const isNext = view.lines.slice(line + 1, menu.start).every((text) => text === "");
  return isNext ? menu : null;
}

/** An answer behind the question: `Continue? [y/N] y`. */
const ANSWERED = /(?:[)\]]\s*[?:]*|\?)\s+(?:y|n|yes|no|ok|q|quit|all?)$/i;

function isAsking(context: Context, line: number): boolean {
  const { view } = context;
  const text = lineAt(view, line);
  const last = readLastLine(context);
  if (!last || ANSWERED.test(text)) return false;
  if (line === last.line) return isOpen(last);
  if (!lastLines(view, 4).includes(line) || !/[?:\])>…]\s*$/.test(text)) return false;
  // Text printed below the question does not belong to it once the cursor has gone there.
  const { cursor } = context.place();
  return last.reader !== "nobody" && !(cursor?.visible && cursor.line > line);
}

/** An editor asks on its last line: hit-enter, or what to do about a file. */
function isEditorAsking(view: View): boolean {
  const last = lineAt(view, view.end - 1);
  return /\bPress ENTER or type command\b/.test(last) || EDITOR_CHOICE.test(last);
}

function saveQuestion(view: View): number | null {
  const [no, yes, question] = lastLines(view, 3);
  const is = (line: number | undefined, sign: RegExp) =>
    line !== undefined && sign.test(lineAt(view, line));
  const isAsked = is(no, /^ ?N No\b/) && is(yes, /^ ?Y Yes\b/) && is(question, /\?$/);
  return isAsked && question !== undefined ? question : null;
}

/** `[O]pen Read-Only, (E)dit anyway, (Q)uit:` */
const EDITOR_CHOICE = /(?:[([]\w[)\]]\w[^()[\]]{0,30}){3,8}:$/;

/** The options of a line that a user's pattern named. */
function optionsOf(line: string) {
  const choice = /[([]\s*(y(?:es)?\s*\/\s*n(?:o)?)\s*[)\]]|\? \((y)\b/i.exec(line);
  if (choice) return yesNoOptions(choice[1] ?? choice[2] ?? "");
  if (/\bpress\s+\[?(?:enter|return|any key)\b/i.test(line)) return [enterOption()];
  return [];
}

function lastLineIs(view: View, test: (line: string) => boolean) {
  const line = view.end - 1;
  return line >= view.start && test(lineAt(view, line)) ? { line } : null;
}
