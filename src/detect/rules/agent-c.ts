import { noField } from "../answers.ts";
import type { Prompt } from "../finding.ts";
import { type MenuRow, plainRow } from "../menu.ts";
import { dialogPrompt, evidenceLines, paragraphAbove } from "../prompt.ts";
import {
  findLast,
  findLine,
  findLineUp,
  firstText,
  lastLines,
  lineAt,
  paragraphEnd,
  styleAt,
  type View,
} from "../region.ts";
import { columnsOf, fold, indentOf } from "../text.ts";
import { rule, type Rule } from "../rule.ts";
import { unreadPrompt } from "../generic-prompt.ts";
import { agentCInputBox } from "./agent-c-composer.ts";
import { agentMenuRule, busyTitleRule, waitingTitleRule } from "./agent-menu.ts";

const OPTION = /^\s*(?:┃\s*)?([0-9a-z]) \(([●○])\)\s+(\S.*)$/u;
const DIALOG_HINT =
  /\d\/\d+:select\b|\btab:next (?:answer|option)\b|\bshift\+x:dismiss\b|[←/→]+:scope\b/i;
const APPROVAL_HINT = /\d\/\d+:select\b/i;
const BAR = /^\s*┃/u;
/**
 * The question before a change of a file, which a narrow screen cuts off, and the first line of that
 * change in the transcript.
 */
const ASKS_EDIT = /^Allow Edit to (?:(\S+)\?$)?/u;
const CHANGE = /^\s*◆ (?:Edit|Creating) (\S+)$/u;
const MESSAGE = /^\s*❯ \S/u;
const PAGE = /(?<=^\s*\[)\d+\/\d+(?=\] )/;
/** Columns at the right of a panel in which nothing stands. */
const MARGIN = 3;
const SCOPE = /^\s*← → narrow scope$/u;
/** The rest of the command has no room in the panel: a mark below its lines, or behind the only one. */
const FOLD_MARK = /^(.*?)\s*(?:…|\.\.\. Ctrl-F to expand)$/u;
const FAILURE = /^\s*(?:Retry failed|Authentication required)\b|\berror\b/i;
const BUSY = /^\s*[\u2800-\u28ff]\s.*\[stop\]\s*$/u;
const BUSY_HINT = /\besc:cancel\b/i;
const IDLE_HINT =
  /\bctrl\+[x.]:shortcuts\b|\bshift\+tab:mode\b|^\s*(?:enter:send|tab\/→:accept suggestion)\b/iu;

/**
 * Grok Build: a digit approves, but what it does in a question of several pages is not known for each.
 * So every option is answered with the arrow keys and Enter.
 */
export const agentCRules: readonly Rule[] = [
  agentMenuRule({ owner: "agent_c", inputLine: IDLE_HINT }),
  rule("agent_c.dialog", "needs_input", findDialog),
  waitingTitleRule("agent_c", /\bAction Required\b/),
  rule(
    "agent_c.working.activity",
    "working",
    (view) => findLast(view, 12, BUSY) ?? findLast(view, 2, BUSY_HINT),
  ),
  busyTitleRule("agent_c", /[\u2800-\u28ff]/u),
  rule("agent_c.error", "error", findError),
  rule("agent_c.idle", "idle", (view) => findLast(view, 2, IDLE_HINT)),
];

/** The reason of a failure stands behind a bar, right above the input box. */
function findError(view: View): number | null {
  const end = agentCInputBox(view)?.start;
  if (end === undefined) return null;
  const top = panelTop(view, lastLines(view, 1, end)[0] ?? end);
  return top !== null && findLine(view, { start: top, end }, FAILURE) !== null ? top : null;
}

function findDialog(view: View): Prompt | null {
  const near = lastLines(view, 40);
  const input = agentCInputBox(view)?.end ?? -1;
  const last = near.find((i) => i > input && OPTION.test(lineAt(view, i)));
  const hint = near.slice(0, 3).find((i) => DIALOG_HINT.test(lineAt(view, i)));
  // Hints stand below live rows; below rows that are quoted stands the input line.
  if (last === undefined || near.indexOf(last) > 6)
    return hint === undefined ? null : unread(view, hint);
  const isApproval = near.some((i) => i > last && APPROVAL_HINT.test(lineAt(view, i)));
  const all = readRows(view, last);
  // The row for a text of one's own, which has a letter as key, is left to the terminal.
  const rows = (isApproval ? all : withFocus(view, all)).filter(({ key }) => /^\d$/.test(key));
  const [first] = rows;
  // With that field open keys are text, and other hints stand below.
  if (!first || rows.length < 2 || hint === undefined) return unread(view, last);
  const top = panelTop(view, first.line) ?? paragraphAbove(view, first.line, view.start)?.start;
  const start = firstText(view, top ?? first.line, first.line);
  if (start === first.line) return unread(view, last);
  const end = isApproval ? titleEnd(view, start, first.line) : first.line;
  const [page] = PAGE.exec(lineAt(view, findLast(view, 6, PAGE) ?? -1)) ?? [];
  const text = fold(view.lines.slice(start, end).join(" "));
  const question = { start, end, text: page === undefined ? text : `Question ${page}: ${text}` };
  const lines = evidenceLines(view, end, first.line)
    .filter((line) => !SCOPE.test(line))
    .flatMap((line) => {
      const [mark, shown] = FOLD_MARK.exec(line) ?? [];
      return mark === undefined ? [line] : [...(shown ? [shown] : []), "…"];
    });
  const evidence = [...lines, ...changesAbove(view, start, text)];
  const list = { view, menu: { rows }, question, evidence };
  return dialogPrompt("agent_c.dialog", list, { key: "nothing", isField: noField });
}

/**
 * All visible changes of this file in the running turn, each below its name: which of them the question
 * means is not said. Where none has its name on the screen, all that is left of the turn.
 */
function changesAbove(view: View, panel: number, question: string): string[] {
  const [asks, path = ""] = ASKS_EDIT.exec(question) ?? [];
  if (asks === undefined) return [];
  const least = Math.max(view.start, view.end - view.height);
  const from = (findLineUp(view, panel - 1, least, MESSAGE) ?? least) + 1;
  const changes: string[] = [];
  for (let i = from; i < panel; i++) {
    const [, name] = CHANGE.exec(lineAt(view, i)) ?? [];
    if (name !== undefined && `/${path}`.endsWith(`/${name}`))
      changes.push(lineAt(view, i).trim(), ...linesUnder(view, i, panel));
  }
  if (changes.length > 0) return changes;
  // A clock runs in the row of the activity.
  const end = findLineUp(view, panel - 1, from, (line) => /\[stop\]$/.test(line)) ?? panel;
  return ["…", ...evidenceLines(view, from, end)];
}

/** The lines below this one with a deeper indent. */
function linesUnder(view: View, line: number, to: number): string[] {
  const indent = indentOf(lineAt(view, line));
  const lines: string[] = [];
  for (let i = line + 1; i < to; i++) {
    const text = lineAt(view, i);
    if (text === "") continue;
    if (indentOf(text) <= indent) break;
    lines.push(text.slice(indent + 2));
  }
  return lines;
}

function unread(view: View, line: number): Prompt {
  return unreadPrompt(view, line, "agent_c.dialog", panelTop(view, line) ?? undefined);
}

/** The first line behind the bar that ends at this line, or a little above it; null where none does. */
function panelTop(view: View, line: number): number | null {
  const hasBar = (i: number) => BAR.test(view.screen.lines[i]?.text ?? "");
  const bottom = [0, 1, 2, 3].map((up) => line - up).find(hasBar);
  if (bottom === undefined) return null;
  let top = bottom;
  while (top > view.start && hasBar(top - 1)) top--;
  return top;
}

/** The end of the title above a command: its purpose in one line, or a question that may wrap. */
function titleEnd(view: View, start: number, before: number): number {
  const span = { start, end: paragraphEnd(view, start, before) };
  return (findLine(view, span, (text) => /\?$/.test(text)) ?? start) + 1;
}

function readRows(view: View, last: number): readonly MenuRow[] {
  const rows: MenuRow[] = [];
  let wrapped = "";
  for (let i = last; i >= view.start; i--) {
    const text = lineAt(view, i);
    const match = OPTION.exec(text);
    if (match) {
      const [, key = "", mark = "", words = ""] = match;
      const [label = "", ...rest] = words.split(/ {2,}/);
      const hasDescription = rest.length > 0;
      // A label without room ends at the margin of three columns, with no mark.
      const isCut = wrapped === "" && columnsOf(lineAt(view, i)) >= view.width - MARGIN;
      const text = hasDescription ? label : `${label} ${isCut ? "…" : wrapped}`;
      const description = hasDescription ? fold(`${rest.join(" ")} ${wrapped}`) : "";
      rows.unshift({ ...plainRow(key, fold(text), i, mark === "●"), description });
      wrapped = "";
    } else if (/^\s{6,}\S/.test(text)) wrapped = `${text.trim()} ${wrapped}`;
    else break;
  }
  return rows;
}

/** In a question the focused row has a background of its own, and a dot marks the earlier choice. */
function withFocus(view: View, rows: readonly MenuRow[]): readonly MenuRow[] {
  const grounds = rows.map(({ key, line }) => {
    const styled = view.screen.lines[line];
    return styleAt(styled, styled?.text.indexOf(`${key} (`) ?? 0).bg;
  });
  const isAlone = (ground: unknown) => grounds.filter((other) => other === ground).length === 1;
  const hasFocus = rows.length > 2 && grounds.filter(isAlone).length === 1;
  return rows.map((row, i) => ({ ...row, selected: hasFocus && isAlone(grounds[i]) }));
}
