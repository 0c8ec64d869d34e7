import type { AnswerStep, Prompt, PromptOption } from "../finding.ts";
import type { Menu, MenuRow } from "../menu.ts";
import { readNumberedMenu } from "../numbered-menu.ts";
import {
  evidenceLines,
  invitesText,
  joinLines,
  moveThenEnter,
  option,
  typeKey,
} from "../prompt.ts";
import {
  findLineUp,
  indentOf,
  lastLines,
  lineAt,
  ruleLine,
  styleAt,
  type View,
} from "../region.ts";
import type { Match, Rule } from "../rule.ts";
import { readLastBox, type Box } from "./last-box.ts";

/** Lines between the input line and the end of the screen: its status bar. */
const MAX_BELOW_COMPOSER = 8;

const COMPOSER = /^ {0,3}[>*!] {1,3}\S/;
const ACTIVITY = /^\s{0,3}[⠀-⣿◐-◓] .*\(esc to(?: cancel)?\b|\(esc to cancel, \d/u;
const BUSY_TITLE = /^[✦⏲] {1,2}\S/u;
const WAITING_TITLE = /^✋ {1,2}\S/u;
/** Where a message of the transcript begins: a person's, an answer, an error, a note, a tool. */
const MESSAGE = /^ {0,2}(?:[>✦✕✗⚠ℹ] |[╭│╰])/u;
const ERROR = /^ {0,2}[✕✗] /u;
const QUESTIONS_HEADING = /^\s*Answer Questions\s*$/;
const SELECTOR_HINT = /\benter to (?:select|submit|continue|confirm)\b|\bto switch questions\b/i;

/** Gemini CLI and its forks, whose dialogs are the last box of the screen. */
export function boxedAgentRules(owner: string): readonly Rule[] {
  return [
    {
      id: `${owner}.dialog`,
      about: "Numbered options with a cursor in the last box of the screen.",
      why: "The box stands in the input line's place and takes the keys.",
      means: "needs_input",
      find: ({ view }) => findDialog(view, owner),
    },
    {
      id: `${owner}.text`,
      about: "The last box of the screen ends with a hint how to submit, or holds an input line.",
      why: "It stands in the input line's place; its answer is a text or cannot be read safely.",
      means: "needs_input",
      find: ({ view }) => findOpenBox(view, owner),
    },
    {
      id: `${owner}.waiting.title`,
      about: "The title says that action is required.",
      why: "The program sets the title only while it waits.",
      means: "needs_input",
      find: ({ observation }) => (WAITING_TITLE.test(observation.title) ? { line: null } : null),
    },
    {
      id: `${owner}.working.activity`,
      about: "A spinner and `esc to cancel` above the input line.",
      why: "It is drawn only while a turn runs; here these words do not mean a dialog.",
      means: "working",
      find: ({ view }) => findActivity(view),
    },
    {
      id: `${owner}.working.title`,
      about: "The title says that the program works.",
      why: "It changes with the turn, also while a retry waits.",
      means: "working",
      find: ({ observation }) => (BUSY_TITLE.test(observation.title) ? { line: null } : null),
    },
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
      find: ({ view }) => {
        const line = composerLine(view);
        return line === null ? null : { line };
      },
    },
  ];
}

/** The input line: below its rule, with nothing but the status bar under it. */
function composerLine(view: View): number | null {
  const near = lastLines(view, MAX_BELOW_COMPOSER);
  return near.find((i) => COMPOSER.test(lineAt(view, i))) ?? null;
}

function findActivity(view: View): Match | null {
  const composer = composerLine(view);
  if (composer === null) return null;
  const near = lastLines({ ...view, end: composer }, 8);
  const line = near.find((i) => ACTIVITY.test(lineAt(view, i)));
  return line === undefined ? null : { line };
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

function findDialog(view: View, owner: string): Match | null {
  const box = readLastBox(view);
  const menu = box && readNumberedMenu(view, { from: box.top + 1, to: box.bottom });
  if (!box || !menu) return null;
  const prompt = promptOf(view, { owner, box, menu });
  return {
    line: prompt.questionLine,
    prompt,
    region: { rule: `${owner}.region.box`, start: box.top, end: box.bottom + 1 },
  };
}

interface Dialog {
  owner: string;
  box: Box;
  menu: Menu;
}

function promptOf(view: View, { owner, box, menu }: Dialog): Prompt {
  const asked = readQuestion(view, box, menu.start);
  const isQuestion = asked.heading !== null;
  return {
    parser: `${owner}.${isQuestion ? "question" : "approval"}`,
    recognised: true,
    question: asked.text,
    evidence: isQuestion
      ? []
      : [
          ...boxEvidence(view, box.top + 1, asked.start),
          ...boxEvidence(view, asked.end, menu.start),
        ],
    options: menu.rows.map((row) => optionOf(menu.rows, row, isQuestion)),
    questionLine: asked.start,
  };
}

interface Question {
  text: string;
  start: number;
  end: number;
  /** The line that says that these are the model's own questions. */
  heading: number | null;
}

function readQuestion(view: View, box: Box, before: number): Question {
  let end = before;
  while (end > box.top && /^\s*[▲↑]?\s*$/u.test(lineAt(view, end - 1))) end--;
  const heading = findLineUp(view, end - 1, box.top + 1, (text) => QUESTIONS_HEADING.test(text));
  if (heading === null) return { ...approvalQuestion(view, box, end), heading };
  const tabs = readTabs(view, heading + 1, end);
  const start = firstText(view, tabs?.end ?? heading + 1, end);
  const text = joinLines(view, start, end);
  return { text: tabs?.page ? `${tabs.page}: ${text}` : text, start, end, heading };
}

/** The lowest text that asks; evidence above it may stand without a blank line between. */
function approvalQuestion(view: View, box: Box, end: number): Omit<Question, "heading"> {
  const isText = (i: number) =>
    i > box.top && lineAt(view, i) !== "" && !isBoxLine(lineAt(view, i));
  const asking = findLineUp(
    view,
    end - 1,
    box.top + 1,
    (text) => /\?$/.test(text) && !isBoxLine(text),
  );
  const last = asking ?? end - 1;
  let start = last;
  while (isText(start - 1) && hadNoRoom(view, box, start - 1)) start--;
  return { text: joinLines(view, start, last + 1), start, end: last + 1 };
}

/** Whether the next line's first word had no room on this one: then they are one text. */
function hadNoRoom(view: View, box: Box, line: number): boolean {
  const [text, next] = [lineAt(view, line), lineAt(view, line + 1)];
  const word = next.trimStart().split(" ", 1)[0] ?? "";
  return (
    indentOf(text) === indentOf(next) &&
    Bun.stringWidth(text) + 1 + Bun.stringWidth(word) > box.right - 1
  );
}

function isBoxLine(text: string): boolean {
  return /^\s*[╭╰│]/.test(text);
}

interface Tabs {
  end: number;
  page: string | null;
}

/** `← □ Database │ □ Features │ ≡ Review →`: the underlined one is shown. */
function readTabs(view: View, from: number, to: number): Tabs | null {
  const line = firstText(view, from, to);
  const text = lineAt(view, line);
  if (!/^\s*←.*→$/.test(text)) return null;
  const names = [...text.matchAll(/[^\s│←→□☐✓✔☑☒≡][^│→]*/gu)];
  const count = names.length - 1;
  const at = names.findIndex((name) => styleAt(view.screen.lines[line], name.index).underline);
  const page = count > 1 && at >= 0 && at < count ? `Question ${at + 1}/${count}` : null;
  return { end: line + 1, page };
}

function firstText(view: View, from: number, to: number): number {
  let i = from;
  while (i < to && lineAt(view, i) === "") i++;
  return i;
}

/** What the box shows above the question, without the sides of the boxes in it. */
function boxEvidence(view: View, from: number, to: number): string[] {
  const lines = evidenceLines(view, from, to).filter(
    (line) => ruleLine(line.trim(), line.trim().length) === null,
  );
  return lines.map((line) =>
    line
      .replace(/^\s*│ ?/u, "")
      .replace(/\s*│$/u, "")
      .replace(/^ {2}/, ""),
  );
}

function optionOf(rows: readonly MenuRow[], row: MenuRow, isQuestion: boolean): PromptOption {
  const isFreeform = invitesText(row.label) || /^enter a custom value/i.test(row.label);
  const answer = row.key.length > 1 ? moveThenEnter(rows, row) : typeKey(row);
  return option(
    row,
    { answer, answerWithText: isFreeform ? withWords(row, isQuestion) : null },
    isFreeform,
  );
}

/**
 * In a question the digit of the free text only moves there. Declining a tool gives the input line
 * back, where the words are the next message.
 */
function withWords(row: MenuRow, isQuestion: boolean): readonly AnswerStep[] {
  const settle = { do: "pause", ms: isQuestion ? 250 : 600 } as const;
  return [
    ...typeKey(row),
    settle,
    { do: "text" },
    { do: "pause", ms: 150 },
    { do: "key", key: "Enter" },
  ];
}

function findOpenBox(view: View, owner: string): Match | null {
  const box = readLastBox(view);
  if (!box) return null;
  const hint = findLineUp(view, box.bottom - 1, box.top + 1, (text) => SELECTOR_HINT.test(text));
  const heading = findLineUp(view, box.bottom - 1, box.top + 1, (text) =>
    QUESTIONS_HEADING.test(text),
  );
  if (hint === null && heading === null) return null;
  const end =
    findLineUp(view, box.bottom - 1, box.top + 1, (text) => /^\s*> /.test(text)) ??
    hint ??
    box.bottom;
  const asked = readQuestion(view, box, end);
  return {
    line: hint ?? heading,
    prompt: {
      parser: `${owner}.text`,
      recognised: true,
      question: asked.text,
      evidence: [],
      options: [],
      questionLine: asked.start,
    },
    region: { rule: `${owner}.region.box`, start: box.top, end: box.bottom + 1 },
  };
}
