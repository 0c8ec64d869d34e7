import { answered, noField, openAt, wordsInto } from "../answers.ts";
import type { Prompt, PromptOption } from "../finding.ts";
import { type MenuRow, plainRow } from "../menu.ts";
import { readPlainList } from "../plain-list.ts";
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

export function permission(view: View, panel: Panel): Match | null {
  const heading = headingLine(view, panel);
  if (heading === null) return null;
  // Nothing but hints stands below.
  const isText = (line: string) => buttonsOf(line).length > 0;
  const row = findLineUp(view, panel.end - 1, heading + 1, isText);
  const buttons = row === null ? [] : buttonsOf(lineAt(view, row));
  if (row === null || buttons.length < 2 || !hasHints(view, panel, row)) return null;
  const asked = permissionPrompt(view, { heading, row, panel, buttons });
  // Quoted buttons have no focus.
  if (hasStyle(view) && !asked.options.some((button) => button.selected)) return null;
  // A tool's name comes first, what it is to do a moment later.
  const unsettled = asked.evidence.length < 2 ? "drawing" : null;
  return { line: heading, prompt: asked, unsettled };
}

/** Hints stand behind them, and the last one may be cut off. */
function buttonsOf(line: string): Segment[] {
  const segments = segmentsOf(line);
  const hint = segments.findIndex(({ text }) => HINT.test(text));
  return hint < 0 ? segments : segments.slice(0, hint);
}

/** Without its hints the panel is half drawn, and the row may be two words of its evidence. */
function hasHints(view: View, panel: Panel, row: number): boolean {
  return view.lines.slice(row, panel.end).some((line) => /⇆ select/.test(line));
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
  const evidence = wholeCommand(view, panel.start, panelEvidence(view, heading + 1, row));
  // Digits and letters do nothing here; the focus is seen in colours alone.
  const options = answered({ rows }, { key: "nothing", arrows: LEFT_RIGHT, isField: noField });
  return prompt("agent_d.permission", headingAt(view, heading), evidence, options);
}

export function question(view: View, panel: Panel): Match | null {
  const menu = readPlainList(view, panel.end, panel.start);
  if (!menu || menu.rows.length < 2) return null;
  const hints = fold(view.lines.slice(menu.end, panel.end).join(" "));
  if (!DIALOG_HINT.test(hints) && !/\besc\b/.test(hints)) return null;
  const tabs = readTabs(view, panel, menu.start);
  const top = tabs?.end ?? panel.start;
  const start = firstText(view, top, menu.start);
  // The program may wrap behind an opening bracket.
  const asked = joinLines(view, top, menu.start).replaceAll("( ", "(");
  const text = tabs
    ? onPage(asked, tabs.columns, (at) => isFocused(view, tabs.line, at, panel))
    : asked;
  const rows = menu.rows.map((row) => ({
    ...row,
    selected: isNumberFocused(view, row.line, panel),
  }));
  const options = questionOptions(rows);
  return { line: menu.start, prompt: prompt("agent_d.question", { text, start }, [], options) };
}

/** Below the free-text option stands its field, until the text is taken and the box ticked. */
function isOpenField(row: MenuRow): boolean {
  return OWN_ANSWER.test(row.label) && row.description !== "" && row.checked !== true;
}

function questionOptions(rows: readonly MenuRow[]): PromptOption[] {
  // A placeholder repeats its label.
  const shown = rows.map((row) =>
    row.description === row.label ? { ...row, description: "" } : row,
  );
  const isField = ({ label }: MenuRow) => OWN_ANSWER.test(label);
  // Keys go into the open field: no other option can be reached from there.
  const open = rows.some(isOpenField) ? openAt(shown.find(isField), false) : null;
  return answered({ rows: shown }, { key: "takes", isField, words: wordsInto, open });
}

interface Tabs {
  line: number;
  end: number;
  /** Of the names of the questions. */
  columns: number[];
}

/** The first paragraph of the panel names the pages, the last of which confirms. */
function readTabs(view: View, panel: Panel, before: number): Tabs | null {
  const start = firstText(view, panel.start, before);
  const end = paragraphEnd(view, start, before);
  const names = segmentsOf(lineAt(view, start));
  if (names.length < 2 || firstText(view, end, before) >= before) return null;
  return { line: start, end, columns: names.slice(0, -1).map(({ column }) => column) };
}

export function unknownDialog(view: View, panel: Panel): Match | null {
  const heading = headingLine(view, panel);
  if (heading !== null) {
    const evidence = panelEvidence(view, heading + 1, panel.end);
    const asked = headingAt(view, heading);
    return { line: heading, prompt: prompt("agent_d.dialog", asked, evidence) };
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

/** On a low screen a list pushes its hints out of sight; an input box would end with its rule. */
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
  return findLine(view, panel, /^\s*△ /);
}

function headingAt(view: View, start: number): { text: string; start: number } {
  return { text: lineAt(view, start).replace(/^\s*△\s+/, ""), start };
}

function isNumberFocused(view: View, line: number, panel: Panel): boolean {
  return isFocused(view, line, lineAt(view, line).search(/\d/), panel);
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

const SCROLLBAR = /(?<! ) +[▀▄█]\s*$/u;
const MORE = "… more lines in the terminal";

/** The lines of a panel, without its indent and scrollbar; a scrollbar means that there are more. */
function panelEvidence(view: View, from: number, to: number): string[] {
  const lines = evidenceLines(view, from, to).map((line) => line.replace(SCROLLBAR, ""));
  const indent = Math.min(...lines.filter((line) => line !== "").map(indentOf));
  const shown = lines.map((line) => line.slice(indent));
  const drawn = view.screen.lines.slice(from, to);
  return drawn.some(({ text }) => SCROLLBAR.test(text)) ? [...shown, MORE] : shown;
}

/**
 * The panel shows the first lines of a command and nothing tells that it goes on; the session above
 * has all of it, as far as that is on the screen. Other commands that wait for their turn stand
 * there too.
 */
function wholeCommand(view: View, panelTop: number, shown: readonly string[]): string[] {
  const at = shown.findIndex((line) => line.startsWith("$ "));
  if (at < 0) return [...shown];
  const part = squash(shown.slice(at));
  const blocks = blocksAbove(view, panelTop);
  const whole = blocks.find(({ lines }) => squash(lines).startsWith(part));
  if (whole) return [...shown.slice(0, at), ...whole.lines];
  const cut = blocks.find(({ isCut, lines }) => isCut && !part.includes(squash(lines)));
  return cut ? [...shown, "…", ...cut.lines] : [...shown];
}

interface Block {
  lines: string[];
  /** Its beginning has left the screen. */
  isCut: boolean;
}

/** Commands and texts of the running turn, the last one first. */
function blocksAbove(view: View, panelTop: number): Block[] {
  let line = panelTop - 1;
  while (line > view.start && lineAt(view, line) === "") line--;
  if (!TURN.test(lineAt(view, line))) return [];
  const blocks: Block[] = [];
  let lines: string[] = [];
  const close = (isAtTop: boolean) => {
    if (lines.length > 0) blocks.push({ lines, isCut: isAtTop && !lines[0]?.startsWith("$ ") });
    lines = [];
  };
  for (line--; line >= view.start; line--) {
    const text = lineAt(view, line);
    if (text !== "" && indentOf(text) < 5) break;
    if (text === "") close(false);
    else lines = [text.trim(), ...lines];
    // Commands of one answer follow each other without a gap.
    if (/^\s+\$ /.test(text)) close(false);
  }
  close(line < view.start);
  return blocks;
}

function squash(lines: readonly string[]): string {
  return lines.join("").replace(/\s+/g, "");
}
