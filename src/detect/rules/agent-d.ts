import type { AnswerStep, Prompt, PromptOption } from "../finding.ts";
import type { Menu, MenuRow } from "../menu.ts";
import { readPlainList } from "../numbered-menu.ts";
import { evidenceLines, joinLines, moveThenEnter, option, typeKey } from "../prompt.ts";
import { fold, indentOf, lastLines, lineAt, styleAt, type View } from "../region.ts";
import type { Context, Match, Rule } from "../rule.ts";
import { readPanel, withoutSidebar, type Panel } from "./agent-d-screen.ts";

/** Columns of text that stand apart: buttons, tabs and key hints. */
interface Segment {
  text: string;
  column: number;
}

/** Hints begin with the key that they explain; buttons do not. */
const HINT = /^(?:ctrl\+|shift\+|⇆|↑↓|←|→|enter\b|esc\b|tab\b)/;
const DIALOG_HINT = /⇆ select|\benter (?:confirm|submit|toggle|con)|\besc\s+dismiss|\besc cancel/;
const COMPOSER_BOTTOM = /^\s*╹▀{8,}/;
const PROGRESS = /^\s*[⬝■]{4,}/u;
const TURN = /^\s{2,}▣ {2}/;
const LEFT_RIGHT = { back: "Left", on: "Right" };

/** OpenCode: a dialog is the last panel of the screen, in place of the input box. */
export const agentDRules: readonly Rule[] = [
  {
    id: "agent_d.permission",
    about: "A panel with a △ heading and a row of buttons at the end of the screen.",
    why: "It stands in place of the input box and takes the keys.",
    means: "needs_input",
    find: (context) => findInPanel(context, permission),
  },
  {
    id: "agent_d.question",
    about: "A panel with numbered options and key hints at the end of the screen.",
    why: "It stands in place of the input box and takes the keys.",
    means: "needs_input",
    find: (context) => findInPanel(context, question),
  },
  {
    id: "agent_d.dialog",
    about: "A panel with a △ heading or key hints in place of the input box.",
    why: "A dialog that nobody knows waits as well; its options are not guessed.",
    means: "needs_input",
    find: (context) => findInPanel(context, unknownDialog),
  },
  {
    id: "agent_d.working.progress",
    about: "Moving squares or `esc interrupt` below the input box.",
    why: "They are drawn only while a turn runs, waits for a retry or compacts.",
    means: "working",
    find: ({ view, observation }) => {
      const content = withoutSidebar(view, observation.width);
      return belowComposer(
        content,
        (text) => PROGRESS.test(text) || /\besc interrupt\b/.test(text),
      );
    },
  },
  {
    id: "agent_d.error",
    about: "A panel right above the last turn's line, which has no duration.",
    why: "A turn that ends well or is interrupted says so in that line; one that failed shows its error.",
    means: "error",
    find: ({ view, observation }) => findError(withoutSidebar(view, observation.width)),
  },
  {
    id: "agent_d.idle",
    about: "The input box, empty or typed.",
    why: "It stands there and nothing below it moves.",
    means: "idle",
    find: ({ view, observation }) =>
      belowComposer(withoutSidebar(view, observation.width), () => true),
  },
];

function findInPanel(
  { view, observation }: Context,
  read: (view: View, panel: Panel) => Match | null,
): Match | null {
  const content = withoutSidebar(view, observation.width);
  const panel = readPanel(content);
  const match = panel && read(content, panel);
  if (!panel || !match) return null;
  return { ...match, region: { rule: "agent_d.region.panel", start: panel.start, end: panel.end } };
}

function permission(view: View, panel: Panel): Match | null {
  const heading = headingLine(view, panel);
  if (heading === null) return null;
  for (let i = panel.end - 1; i > heading; i--) {
    const buttons = segmentsOf(lineAt(view, i)).filter(({ text }) => !HINT.test(text));
    const isRow = buttons.length >= 2 && isLastText(view, panel, i);
    if (isRow)
      return { line: heading, prompt: permissionPrompt(view, { heading, row: i, panel, buttons }) };
  }
  return null;
}

/** Nothing but hints stands below. */
function isLastText(view: View, panel: Panel, row: number): boolean {
  for (let i = row + 1; i < panel.end; i++)
    if (segmentsOf(lineAt(view, i)).some(({ text }) => !HINT.test(text))) return false;
  return true;
}

interface ButtonRow {
  heading: number;
  row: number;
  panel: Panel;
  buttons: readonly Segment[];
}

function permissionPrompt(view: View, { heading, row, panel, buttons }: ButtonRow): Prompt {
  const rows = buttons.map(({ text, column }, i): MenuRow => ({
    key: String(i + 1),
    label: text,
    description: "",
    selected: isFocused(view, row, column, panel),
    checked: null,
    line: row,
  }));
  return {
    parser: "agent_d.permission",
    recognised: true,
    question: headingText(view, heading),
    evidence: panelEvidence(view, heading + 1, row),
    // Digits and letters do nothing here; the focus is seen in colours alone.
    options: rows.map((r) => option(r, { answer: moveThenEnter(rows, r, LEFT_RIGHT) }, false)),
    questionLine: heading,
  };
}

function question(view: View, panel: Panel): Match | null {
  const menu = readPlainList(view, panel.end, panel.start);
  if (!menu || menu.rows.length < 2) return null;
  const hints = fold(view.lines.slice(menu.end, panel.end).join(" "));
  if (!DIALOG_HINT.test(hints) && !/\besc\b/.test(hints)) return null;
  const tabs = readTabs(view, panel, menu.start);
  const start = tabs?.end ?? panel.start;
  // The program may wrap behind an opening bracket.
  const text = joinLines(view, start, menu.start).replaceAll("( ", "(");
  const rows = menu.rows.map((row, i) => ({
    ...row,
    description: row.description || describedBelow(menu, i),
    selected: isFocused(view, row.line, numberColumn(view, row.line), panel),
  }));
  return {
    line: menu.start,
    prompt: {
      parser: "agent_d.question",
      recognised: true,
      question: tabs?.page ? `${tabs.page}: ${text}` : text,
      evidence: [],
      options: rows.map((row) => questionOption(row)),
      questionLine: firstText(view, start, menu.start),
    },
  };
}

/** Below a check box the description stands under the box, where others have rows of their own. */
function describedBelow(menu: Menu, index: number): string {
  const from = menu.rows[index]?.line ?? 0;
  const to = menu.rows[index + 1]?.line ?? menu.end;
  const lines = menu.extras.filter(({ line }) => line > from && line < to);
  return fold(lines.map(({ label }) => label).join(" "));
}

function questionOption(row: MenuRow): PromptOption {
  const isFreeform = /^type your own\b/i.test(row.label);
  const answerWithText: readonly AnswerStep[] | null = isFreeform
    ? [
        ...typeKey(row),
        { do: "pause", ms: 250 },
        { do: "text" },
        { do: "pause", ms: 150 },
        { do: "key", key: "Enter" },
      ]
    : null;
  return option(row, { answer: typeKey(row), answerWithText }, isFreeform);
}

interface Tabs {
  end: number;
  page: string | null;
}

/** The first paragraph of the panel names the pages, the last of which confirms. */
function readTabs(view: View, panel: Panel, before: number): Tabs | null {
  const start = firstText(view, panel.start, before);
  let end = start;
  while (end < before && lineAt(view, end) !== "") end++;
  const names = segmentsOf(lineAt(view, start));
  if (names.length < 2 || firstText(view, end, before) >= before) return null;
  const count = names.length - 1;
  const at = names.findIndex(({ column }) => isFocused(view, start, column, panel));
  return { end, page: count > 1 && at >= 0 && at < count ? `Question ${at + 1}/${count}` : null };
}

function unknownDialog(view: View, panel: Panel): Match | null {
  const heading = headingLine(view, panel);
  if (heading !== null)
    return {
      line: heading,
      prompt: {
        parser: "agent_d.dialog",
        recognised: true,
        question: headingText(view, heading),
        evidence: panelEvidence(view, heading + 1, panel.end),
        options: [],
        questionLine: heading,
      },
    };
  const hint = lastLines(view, 3).find((i) => DIALOG_HINT.test(lineAt(view, i)));
  if (hint === undefined) return null;
  const start = firstText(view, panel.start, panel.end);
  return {
    line: hint,
    prompt: {
      parser: "agent_d.dialog",
      recognised: true,
      question: joinLines(view, start, hint),
      evidence: [],
      options: [],
      questionLine: start,
    },
  };
}

function headingLine(view: View, panel: Panel): number | null {
  for (let i = panel.start; i < panel.end; i++) if (/^\s*△ /.test(lineAt(view, i))) return i;
  return null;
}

function headingText(view: View, line: number): string {
  return lineAt(view, line).replace(/^\s*△\s+/, "");
}

function panelEvidence(view: View, from: number, to: number): string[] {
  // The scrollbar stands apart from the text, also with half a block at its ends.
  const lines = evidenceLines(view, from, to).map((line) =>
    line.replace(/ +[▀▄█]$/u, "").trimEnd(),
  );
  const indent = Math.min(...lines.filter((line) => line !== "").map(indentOf));
  return lines.map((line) => line.slice(indent));
}

function firstText(view: View, from: number, to: number): number {
  let i = from;
  while (i < to && lineAt(view, i) === "") i++;
  return i;
}

function numberColumn(view: View, line: number): number {
  return lineAt(view, line).search(/\d/);
}

function segmentsOf(line: string): Segment[] {
  return [...line.matchAll(/\S+(?: \S+)*/g)].map((m) => ({ text: m[0], column: m.index }));
}

/** The focused element has another background than the panel, or is drawn inverse. */
function isFocused(view: View, line: number, column: number, panel: Panel): boolean {
  const drawn = view.screen.lines[line];
  const style = styleAt(drawn, column);
  const base = styleAt(drawn, panel.barColumn + 1);
  return style.bg !== base.bg || style.inverse !== base.inverse;
}

/** A line below the input box, the nearest one that fits. */
function belowComposer(view: View, test: (text: string) => boolean): Match | null {
  const bottom = composerBottom(view);
  if (bottom === null) return null;
  for (let i = bottom + 1; i < view.end; i++)
    if (lineAt(view, i) !== "" && test(lineAt(view, i))) return { line: i };
  return null;
}

function composerBottom(view: View): number | null {
  for (let i = view.end - 1; i >= Math.max(view.start, view.end - view.height); i--)
    if (COMPOSER_BOTTOM.test(view.screen.lines[i]?.text ?? "")) return i;
  return null;
}

function findError(view: View): Match | null {
  const bottom = composerBottom(view);
  if (bottom === null) return null;
  let turn = bottom - 1;
  while (turn > view.start && !TURN.test(lineAt(view, turn))) turn--;
  if (!TURN.test(lineAt(view, turn)) || lineAt(view, turn).split(" · ").length > 2) return null;
  const panel = readPanel({ ...view, end: turn });
  // The person's own message is a panel as well: the only one above when nothing has failed.
  if (!panel || !hasPanelAbove(view, panel) || isToolOutput(view, panel)) return null;
  return { line: firstText(view, panel.start, panel.end) };
}

function hasPanelAbove(view: View, panel: Panel): boolean {
  let line = panel.start - 1;
  // A passing message at the top right may share the gap.
  while (line >= view.start && indentOf(lineAt(view, line) || " ".repeat(99)) > 10) line--;
  return readPanel({ ...view, end: line + 1 }) !== null;
}

/** Tools draw their bar in the colour of the background. */
function isToolOutput(view: View, panel: Panel): boolean {
  const line = view.screen.lines[panel.start];
  const bar = styleAt(line, panel.barColumn).fg;
  return bar !== undefined && bar === styleAt(line, 0).bg;
}
