import type { AnswerStep, Prompt, PromptOption } from "../finding.ts";
import type { Menu, MenuRow } from "../menu.ts";
import { readNumberedMenu } from "../numbered-menu.ts";
import {
  evidenceLines,
  invitesText,
  joinLines,
  moveThenEnter,
  moveTo,
  option,
  paragraphAbove,
  typeKey,
} from "../prompt.ts";
import { findLineUp, fold, indentOf, lastLines, lineAt, type View } from "../region.ts";
import type { Context, Match, Rule } from "../rule.ts";

/** Lines that may stand below the options or the input line: footers, also wrapped ones. */
const MAX_FOOTER_LINES = 6;
/** Lines between the input line and the end: hints, status, a completion list of older versions. */
const MAX_BELOW_COMPOSER = 12;

const SELECTOR_FOOTER =
  /\b(?:press )?enter\b(?: to)? (?:confirm|submit|select|continue|choose|apply|save|accept|toggle|open)|\besc\b(?: to)? (?:cancel|go back|back|dismiss|close|clear)/i;
const OVERLAY_FOOTER = /\bq(?:\/esc)? to quit\b|\bpgup\/pgdn\b.*\bq\b/i;
const OVERLAY_HEADER = /^\/ (?:[A-Z] ){3,}/;
const ACTIVITY = /^[•◦·⠀-⣿] .*\(\d.*\besc to interrupt\)/u;
const BUSY_TITLE = /^[⠀-⣿] /u;
const WAITING_TITLE = /^\[ [!.] \] /;
/** Where a block of the transcript begins: message, activity, error; a person's message: `›`. */
const BLOCK = /^[•◦■⚠✗✘✔⠀-⣿›] /u;
const ERROR = /^■ (?!.*\b(?:interrupted|aborted by user)\b)/i;
const QUESTION = /^(?:Would you like|Do you (?:want|trust)|Allow|Trust|Implement|Approve|Enable)\b/;
const PAGE = /^(Question|Field) (\d+)\/(\d+)\b/;
const ABOUT_CHANGES = /\b(?:edits?|changes?|patch|plan)\b/i;

/** OpenAI Codex: dialogs replace the input line at the end of the screen and end with a footer. */
export const agentBRules: readonly Rule[] = [
  {
    id: "agent_b.transcript",
    about: "The footer or heading of the transcript viewer.",
    why: "It covers the session, so nothing can be said about it.",
    means: "keeps_previous",
    find: findOverlay,
  },
  {
    id: "agent_b.permission",
    about: "A question, numbered options with a cursor and a selector footer at the end.",
    why: "The dialog stands in the input line's place and takes the keys.",
    means: "needs_input",
    find: (context) => findDialog(context, (kind) => kind !== "picker"),
  },
  {
    id: "agent_b.picker",
    about: "A list without a question, opened by a person (model, permissions).",
    why: "The list stands in the input line's place; it is a prompt so that it can be used from afar.",
    means: "needs_input",
    find: (context) => findDialog(context, () => true),
  },
  {
    id: "agent_b.dialog",
    about: "A selector footer at the end, above it nothing that can be read as options.",
    why: "Only dialogs end with such a footer; an unknown one waits as well.",
    means: "needs_input",
    find: findUnknownDialog,
  },
  {
    id: "agent_b.waiting.title",
    about: "The title says that action is required.",
    why: "The program sets the title only while it waits.",
    means: "needs_input",
    find: ({ observation }) => (WAITING_TITLE.test(observation.title) ? { line: null } : null),
  },
  {
    id: "agent_b.working.activity",
    about: "The activity line right above the input line.",
    why: "It is drawn only while a turn runs.",
    means: "working",
    find: ({ view }) => lastBlock(view, ACTIVITY),
  },
  {
    id: "agent_b.working.title",
    about: "A spinner at the start of the title.",
    why: "While text streams there is no activity line; the title spins until the turn ends.",
    means: "working",
    find: ({ observation }) => (BUSY_TITLE.test(observation.title) ? { line: null } : null),
  },
  {
    id: "agent_b.error",
    about: "A line marked ■ as the last block above the input line.",
    why: "The turn ended with it; an interruption by a person has the same mark and is no error.",
    means: "error",
    find: ({ view }) => lastBlock(view, ERROR),
  },
  {
    id: "agent_b.idle",
    about: "The input line at the end, empty or typed.",
    why: "It stands there and nothing else says that a turn runs.",
    means: "idle",
    find: ({ view }) => {
      const line = composerLine(view);
      return line === null ? null : { line };
    },
  },
];

function findOverlay({ view }: Context): Match | null {
  const footer = lastLines(view, 3).find((i) => OVERLAY_FOOTER.test(lineAt(view, i)));
  if (footer !== undefined) return { line: footer };
  const header = findLineUp(view, view.end - 1, view.end - view.height, (text) =>
    OVERLAY_HEADER.test(text.trim()),
  );
  return header === null ? null : { line: header };
}

/** The input line, if it is at the end: no dialog stands in its place then. */
function composerLine(view: View): number | null {
  const below = lastLines(view, MAX_BELOW_COMPOSER);
  const line = below.find((i) => /^›(?: |$)/.test(lineAt(view, i)));
  return line ?? null;
}

/** The last block of the transcript, if it begins as asked. */
function lastBlock(view: View, test: RegExp): Match | null {
  const composer = composerLine(view);
  if (composer === null) return null;
  const line = findLineUp(view, composer - 1, view.start, (text) => BLOCK.test(text));
  return line !== null && test.test(lineAt(view, line)) ? { line } : null;
}

type DialogKind = "approval" | "question" | "trust" | "picker";

interface Dialog {
  kind: DialogKind;
  menu: Menu;
  question: { start: number; end: number };
  page: string | null;
  top: number;
}

function findDialog({ view }: Context, isMeant: (kind: DialogKind) => boolean): Match | null {
  const menu = readNumberedMenu(view, { from: view.start, to: view.end, cursors: "›>❯" });
  if (!menu) return null;
  const footer = footerBelow(view, menu.end);
  if (footer === null || !SELECTOR_FOOTER.test(footer)) return null;
  const dialog = readDialog(view, menu, footer);
  if (!dialog || !isMeant(dialog.kind)) return null;
  return {
    line: dialog.question.start,
    prompt: promptOf(view, dialog),
    region: { rule: "agent_b.region.dialog", start: dialog.top, end: view.end },
  };
}

/** What stands below the options, or null when it is more than a footer. */
function footerBelow(view: View, from: number): string | null {
  const lines = view.lines.slice(from, view.end).filter((text) => text !== "");
  if (lines.length === 0 || lines.length > MAX_FOOTER_LINES) return null;
  if (lines.some((text) => BLOCK.test(text))) return null;
  return fold(lines.join(" "));
}

function readDialog(view: View, menu: Menu, footer: string): Dialog | null {
  // The transcript marks its blocks in the first column, where no dialog writes.
  const above = findLineUp(view, menu.start - 1, view.start, (text) => BLOCK.test(text));
  const floor = above === null ? view.start : above + 1;

  const pageLine = findLineUp(view, menu.start - 1, floor, (text) => PAGE.test(text.trim()));
  if (pageLine !== null) {
    const question = paragraphFrom(view, pageLine + 1, menu.start);
    const [, word = "", number = "", count = ""] = PAGE.exec(lineAt(view, pageLine).trim()) ?? [];
    const page = Number(count) > 1 ? `${word} ${number}/${count}` : null;
    return question && { kind: "question", menu, question, page, top: pageLine };
  }

  // The topmost one: what a command or a reason says below it is evidence.
  const asked = firstParagraph(view, floor, menu.start, (text) => QUESTION.test(text));
  const question = asked ?? paragraphAbove(view, menu.start, floor);
  if (!question) return null;
  const top = blockTop(view, question.start, floor);
  if (/\benter continue\b.*\besc back\b/i.test(footer))
    return { kind: "trust", menu, question, page: null, top };
  const isQuestion = /\?(?:\s|$)/.test(joinLines(view, question.start, question.end));
  const isStart = /\benter to continue\b/i.test(footer);
  return { kind: isQuestion || isStart ? "approval" : "picker", menu, question, page: null, top };
}

function firstParagraph(
  view: View,
  from: number,
  to: number,
  test: (text: string) => boolean,
): { start: number; end: number } | null {
  for (let i = from; i < to; i++) {
    const isFirst = lineAt(view, i) !== "" && (i === from || lineAt(view, i - 1) === "");
    if (isFirst && indentOf(lineAt(view, i)) <= 3 && test(lineAt(view, i).trim()))
      return paragraphFrom(view, i, to);
  }
  return null;
}

function paragraphFrom(
  view: View,
  start: number,
  to: number,
): { start: number; end: number } | null {
  let end = start;
  while (end < to && lineAt(view, end) !== "") end++;
  return end > start ? { start, end } : null;
}

/** A dialog is set off from the transcript by two blank lines. */
function blockTop(view: View, from: number, floor: number): number {
  let top = from;
  while (
    top > floor &&
    (lineAt(view, top - 1) !== "" || (top - 2 >= floor && lineAt(view, top - 2) !== ""))
  )
    top--;
  while (lineAt(view, top) === "" && top < from) top++;
  return top;
}

function promptOf(view: View, { kind, menu, question, page, top }: Dialog): Prompt {
  const text = joinLines(view, question.start, question.end);
  return {
    parser: `agent_b.${kind}`,
    recognised: true,
    question: page === null ? text : `${page}: ${text}`,
    evidence: [
      ...(kind === "approval" && ABOUT_CHANGES.test(text)
        ? changesAbove(view, question.start)
        : evidenceLines(view, top, kind === "question" ? top : question.start)),
      ...evidenceLines(view, question.end, menu.start),
    ],
    options: menu.rows.map((row) => optionOf(menu.rows, row, kind)),
    questionLine: question.start,
  };
}

/** The diff or plan that the question is about is the last part of the transcript above it. */
function changesAbove(view: View, question: number): string[] {
  const start = findLineUp(view, question - 1, view.start, (text) => BLOCK.test(text));
  if (start === null || lineAt(view, start).startsWith("›"))
    return evidenceLines(view, (start ?? view.start - 1) + 1, question);
  const lines = evidenceLines(view, start, question);
  // The mark blinks while the turn runs; it must not make another prompt of this one.
  return lines.map((line, i) => (i === 0 ? line.slice(2) : line));
}

function optionOf(rows: readonly MenuRow[], row: MenuRow, kind: DialogKind): PromptOption {
  const isFreeform = kind !== "picker" && invitesText(row.label);
  // In the folder dialog a digit only moves; a two-digit key would answer with its first digit.
  const answer = kind === "trust" || row.key.length > 1 ? moveThenEnter(rows, row) : typeKey(row);
  const answerWithText = isFreeform ? answerWithWords(rows, row, kind) : null;
  return option(row, { answer, answerWithText }, isFreeform);
}

function answerWithWords(
  rows: readonly MenuRow[],
  row: MenuRow,
  kind: DialogKind,
): readonly AnswerStep[] | null {
  const enter = { do: "key", key: "Enter" } as const;
  const words = [
    { do: "pause", ms: 400 },
    { do: "text" },
    { do: "pause", ms: 150 },
    enter,
  ] as const;
  // Declining ends the turn and gives the input line back, where the words are the next message.
  if (kind !== "question") return [...typeKey(row), ...words];
  const moves = moveTo(rows, row);
  if (moves === null) return null;
  return [...moves, { do: "verify" }, { do: "key", key: "Tab" }, ...words];
}

function findUnknownDialog({ view }: Context): Match | null {
  const footer = lastLines(view, 2).toReversed();
  const line = footer.find((i) => SELECTOR_FOOTER.test(lineAt(view, i)));
  if (line === undefined || composerAbove(view, line)) return null;
  return { line };
}

/** The input line's own hints stand right below it. */
function composerAbove(view: View, line: number): boolean {
  const composer = composerLine(view);
  if (composer === null || line - composer > 4) return false;
  return !/^› \d+[.)] /.test(lineAt(view, composer));
}
