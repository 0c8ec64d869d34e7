import { promptOptions, noField, openAt, textIntoField } from "../answers.ts";
import type { Prompt, PromptOption } from "../finding.ts";
import { type MenuRow, plainRow } from "../menu.ts";
import { readPlainList } from "../numbered-menu.ts";
import { evidenceLines, joinLines, onPage, prompt } from "../prompt.ts";
import {
  findLast,
  findLine,
  findLineUp,
  firstText,
  hasStyle,
  lineAt,
  paragraphEnd,
  styleAt,
  type View,
} from "../region.ts";
import { fold, indentOf } from "../text.ts";
import type { Match } from "../rule.ts";
import { type Panel, readPanel, TURN, withoutSidebar } from "./agent-d-screen.ts";

/** Hints begin with the key that they explain; buttons do not. */
const HINT = /^(?:ctrl\+|shift\+|⇆|↑↓|←|→|enter\b|esc\b|tab\b)/;
const DIALOG_HINT = /⇆ select|\benter (?:confirm|submit|toggle|con)|\besc\s+dismiss|\besc cancel/;
const OWN_ANSWER = /^type your own\b/i;
const LEFT_RIGHT = { back: "Left", on: "Right" };

interface Segment {
  text: string;
  column: number;
}

export function findInPanel(
  view: View,
  read: (view: View, panel: Panel) => Match | null,
): Match | null {
  const content = withoutSidebar(view);
  const panel = readPanel(content);
  const match = panel && read(content, panel);
  if (!panel || !match) return null;
  return { ...match, region: { rule: "agent_d.region.panel", start: panel.start, end: panel.end } };
}

export function readPermission(view: View, panel: Panel): Match | null {
  const heading = headingLine(view, panel);
  if (heading === null) return null;
  // Nothing but hints stands below.
  const isText = (line: string) => buttonsOf(line).length > 0;
  const row = findLineUp(view, panel.end - 1, heading + 1, isText);
  const buttons = row === null ? [] : buttonsOf(lineAt(view, row));
  if (row === null || buttons.length < 2) return null;
  // A panel without hints is half drawn: its row may be two words of the evidence.
  if (!view.lines.slice(row, panel.end).some((line) => line.includes("⇆ select"))) return null;
  const prompt = permissionPrompt(view, { heading, row, panel, buttons });
  // Quoted buttons have no focus.
  if (hasStyle(view) && !prompt.options.some((button) => button.selected)) return null;
  // The name of a tool is drawn a moment before what it is to do.
  const unsettled = prompt.evidence.length < 2 ? "drawing" : null;
  return { line: heading, prompt, unsettled };
}

function buttonsOf(line: string): Segment[] {
  const segments = segmentsOf(line);
  const hint = segments.findIndex(({ text }) => HINT.test(text));
  return hint < 0 ? segments : segments.slice(0, hint);
}

interface ButtonRow {
  heading: number;
  row: number;
  panel: Panel;
  buttons: readonly Segment[];
}

function permissionPrompt(view: View, { heading, row, panel, buttons }: ButtonRow): Prompt {
  const rows = buttons.map(({ text, column }, i) =>
    plainRow(String(i + 1), text, row, isFocused(view, row, column, panel)),
  );
  const evidence = wholeCommand(view, panel, panelEvidence(view, heading + 1, row));
  // Digits and letters do nothing here, and only colours show the focus.
  const options = promptOptions({ rows }, { key: "nothing", arrows: LEFT_RIGHT, isField: noField });
  return prompt("agent_d.permission", headingAt(view, heading), evidence, options);
}

export function readQuestion(view: View, panel: Panel): Match | null {
  const menu = readPlainList(view, panel.end, panel.start);
  if (!menu || menu.rows.length < 2) return null;
  const hints = fold(view.lines.slice(menu.end, panel.end).join(" "));
  if (!DIALOG_HINT.test(hints) && !/\besc\b/.test(hints)) return null;
  const tabs = readTabs(view, panel, menu.start);
  const top = tabs?.end ?? panel.start;
  const start = firstText(view, top, menu.start);
  // The program may wrap behind an opening bracket.
  const words = joinLines(view, top, menu.start).replaceAll("( ", "(");
  const text = tabs
    ? onPage(words, tabs.columns, (at) => isFocused(view, tabs.line, at, panel))
    : words;
  const rows = menu.rows.map((row) => ({
    ...row,
    selected: isNumberFocused(view, row.line, panel),
  }));
  const options = questionOptions(rows);
  return { line: menu.start, prompt: prompt("agent_d.question", { text, start }, [], options) };
}

/** The field stands below the free-text option, until its text is taken and its box ticked. */
function isOpenField(row: MenuRow): boolean {
  return OWN_ANSWER.test(row.label) && row.description !== "" && row.checked !== true;
}

function questionOptions(rows: readonly MenuRow[]): PromptOption[] {
  // A placeholder repeats its label.
  const withoutPlaceholder = rows.map((row) =>
    row.description === row.label ? { ...row, description: "" } : row,
  );
  const isField = ({ label }: MenuRow) => OWN_ANSWER.test(label);
  // Keys go into the open field: no other option can be reached from there.
  const open = rows.some(isOpenField) ? openAt(withoutPlaceholder.find(isField), false) : null;
  return promptOptions(
    { rows: withoutPlaceholder },
    { key: "takes", isField, answerWithText: textIntoField, open },
  );
}

interface Tabs {
  line: number;
  end: number;
  /** Columns of the names of the questions. */
  columns: number[];
}

/** The first paragraph of the panel names the pages; on the last one the answers are confirmed. */
function readTabs(view: View, panel: Panel, before: number): Tabs | null {
  const start = firstText(view, panel.start, before);
  const end = paragraphEnd(view, start, before);
  const names = segmentsOf(lineAt(view, start));
  if (names.length < 2 || firstText(view, end, before) >= before) return null;
  return { line: start, end, columns: names.slice(0, -1).map(({ column }) => column) };
}

export function readUnknownDialog(view: View, panel: Panel): Match | null {
  const heading = headingLine(view, panel);
  if (heading !== null) {
    const evidence = panelEvidence(view, heading + 1, panel.end);
    const question = headingAt(view, heading);
    return { line: heading, prompt: prompt("agent_d.dialog", question, evidence) };
  }
  const hint = findLast(view, 3, DIALOG_HINT);
  const line = hint ?? cutList(view, panel);
  if (line === null) return null;
  const start = firstText(view, readTabs(view, panel, line)?.end ?? panel.start, line);
  const below = paragraphEnd(view, start, line);
  const evidence = panelEvidence(view, below, hint ?? panel.end);
  const text = joinLines(view, start, below);
  return { line, prompt: prompt("agent_d.dialog", { text, start }, evidence) };
}

/** A list that pushes its hints out of sight on a low screen; an input box would end with its rule. */
function cutList(view: View, panel: Panel): number | null {
  const list = readPlainList(view, panel.end, panel.start);
  if (list) return list.start;
  return findLine(
    view,
    panel,
    (text, i) => /^\s*\d{1,2}\. \S/.test(text) && isNumberFocused(view, i, panel),
  );
}

function headingLine(view: View, panel: Panel): number | null {
  return findLine(view, panel, /^\s*△\s*\S/u);
}

function headingAt(view: View, start: number): { text: string; start: number } {
  return { text: lineAt(view, start).replace(/^\s*△\s*/u, ""), start };
}

function isNumberFocused(view: View, line: number, panel: Panel): boolean {
  return isFocused(view, line, lineAt(view, line).search(/\d/), panel);
}

function segmentsOf(line: string): Segment[] {
  return [...line.matchAll(/\S+(?: \S+)*/g)].map((m) => ({ text: m[0], column: m.index }));
}

/** The focused element has another background than the panel, or is drawn inverse. */
function isFocused(view: View, line: number, column: number, panel: Panel): boolean {
  const styled = view.screen.lines[line];
  const style = styleAt(styled, column);
  const base = styleAt(styled, panel.barColumn + 1);
  return style.bg !== base.bg || style.inverse !== base.inverse;
}

const SCROLLBAR = /(?<! ) +[▀▄█]\s*$/u;
const MORE = "… more lines in the terminal";

/** Without the indent and the scrollbar, which means that there are more lines. */
function panelEvidence(view: View, from: number, to: number): string[] {
  const lines = evidenceLines(view, from, to).map((line) => line.replace(SCROLLBAR, ""));
  const indent = Math.min(...lines.filter((line) => line !== "").map(indentOf));
  const evidence = lines.map((line) => line.slice(indent));
  const raw = view.screen.lines.slice(from, to);
  return raw.some(({ text }) => SCROLLBAR.test(text)) ? [...evidence, MORE] : evidence;
}

/** Of a panel whose command may be cut, without its lower edge; seen in 1.18.33 at every size. */
const FULL_PANEL_LINES = 14;

/**
 * The panel shows only the first lines of a long command, without a sign that it goes on. The session
 * above has the whole command, as far as the screen shows it, beside others that wait for their turn.
 */
function wholeCommand(view: View, panel: Panel, evidence: readonly string[]): string[] {
  const at = evidence.findIndex((line) => line.startsWith("$ "));
  if (at < 0) return [...evidence];
  const part = squash(evidence.slice(at));
  const blocks = blocksAbove(view, panel.start);
  const isFull = panel.end - panel.start >= FULL_PANEL_LINES;
  const begun = new Map(
    blocks
      .map(({ lines }) => [squash(lines), lines] as const)
      .filter(([text]) => text.startsWith(part)),
  );
  const [first, second] = begun.values();
  // Of commands that begin alike nobody knows which it is, unless it is one that is shown whole.
  const whole = (isFull ? null : begun.get(part)) ?? (second ? null : first);
  if (whole) return [...evidence.slice(0, at), ...whole];
  const cut = second ? null : blocks.find(({ isCut }) => isCut);
  // The end of a full panel may be repeated behind what it hides.
  if (cut && (isFull || !part.endsWith(squash(cut.lines)))) return [...evidence, "…", ...cut.lines];
  return (isFull || second) && evidence.at(-1) !== MORE ? [...evidence, MORE] : [...evidence];
}

interface Block {
  lines: string[];
  /** Its beginning has left the screen. */
  isCut: boolean;
}

/** Of texts and first lines of commands in the session; a command's other lines are further in. */
const BLOCK_INDENT = 5;

/** Commands and lines of texts of the running turn, the last first. */
function blocksAbove(view: View, panelTop: number): Block[] {
  const turn = findLineUp(view, panelTop - 1, view.start, (text) => text !== "");
  if (turn === null || !TURN.test(lineAt(view, turn))) return [];
  const isOutside = (text: string) => text !== "" && indentOf(text) < BLOCK_INDENT;
  const outside = findLineUp(view, turn - 1, view.start, isOutside) ?? view.start - 1;
  const top = firstText(view, outside + 1, turn);
  const blocks: Block[] = [];
  let end = turn;
  for (let line = turn - 1; line >= top; line--) {
    const text = lineAt(view, line);
    const isCut = indentOf(text) > BLOCK_INDENT;
    if (line > top && (text === "" || isCut)) continue;
    blocks.push({ lines: evidenceLines(view, line, end).map((one) => one.trim()), isCut });
    end = line;
  }
  return blocks;
}

function squash(lines: readonly string[]): string {
  return lines.join("").replace(/\s+/g, "");
}
