import type { Prompt } from "../finding.ts";
import { unreadPrompt } from "../generic-prompt.ts";
import { liveEnd } from "../live-menu.ts";
import {
  findLast,
  findLine,
  findLineUp,
  firstText,
  lastLines,
  lineAt,
  perView,
  type View,
} from "../region.ts";
import { fold } from "../text.ts";
import { rule, type Rule } from "../rule.ts";
import {
  findQuestion,
  isTopicLine,
  listDialogPrompt,
  permissionPrompt,
  planPrompt,
  questionPrompt,
} from "./agent-a-dialog.ts";
import { errorLine } from "./agent-a-error.ts";
import {
  activityLine,
  cursorCount,
  cutDialog,
  type Dialog,
  focusedRow,
  isLoading,
  panelTop,
  readDialog,
  unreadTop,
} from "./agent-a-screen.ts";
import {
  ANSWER_FIELD,
  footerLine,
  type InputLine,
  isSessionList,
  readComposer,
} from "./agent-a-composer.ts";
import { agentMenuRule } from "./agent-menu.ts";

/** The hint in place of `esc to interrupt` between turns. */
const IDLE_HINT = /\? for shortcuts\b/;

/** Claude Code. Dialogs replace its input line, so an input line in its place means: no dialog. */
export const agentARules: readonly Rule[] = [
  rule("agent_a.waiting.hidden", "needs_input", hiddenDialog),
  rule("agent_a.waiting.behind", "needs_input", dialogBehind),
  rule("agent_a.waiting.elsewhere", "needs_input", waitingSession),
  rule("agent_a.transcript", "keeps_previous", (view) => transcriptHint(view)),
  rule("agent_a.overlay", "keeps_previous", (view) => {
    if (readComposer(view)) return null;
    const closes = footerLine(view, "closes");
    // The mark of a person's messages above the panel is the one of a row.
    const below = closes === null ? undefined : unreadTop(view, closes);
    const rows = cursorCount(view, panelTop(view) ?? below ?? liveEnd(view).from);
    const closed = rows > 0 ? null : (closes ?? bareRule(view));
    return footerLine(view, "uses") ?? closed;
  }),
  dialogRule("agent_a.question", isQuestion, questionPrompt),
  dialogRule("agent_a.plan", isPlan, planPrompt),
  dialogRule("agent_a.permission", isPermission, permissionPrompt),
  dialogRule(
    "agent_a.picker",
    (view, dialog) => dialog.menu.isNumbered || isOpenedList(view, dialog),
    (view, dialog) => listDialogPrompt(view, dialog, "agent_a.picker"),
  ),
  dialogRule("agent_a.choice", isChoice, (view, dialog) =>
    listDialogPrompt(view, dialog, "agent_a.choice"),
  ),
  rule("agent_a.picker.table", "needs_input", (view) => {
    const line = readComposer(view) ? null : tableHeading(view);
    return line === null ? null : unreadPrompt(view, line, "agent_a.picker.table", line);
  }),
  rule("agent_a.picker.panel", "needs_input", (view) => {
    const top = readComposer(view) ? null : openedTop(view);
    if (top === null) return null;
    return unreadPrompt(view, firstText(view, top, view.end), "agent_a.picker.panel", top);
  }),
  agentMenuRule({ owner: "agent_a", keysAnswer: true, framedOnly: true }),
  rule("agent_a.dialog", "needs_input", (view) => {
    if (readComposer(view)) return null;
    const line =
      footerLine(view, "takes") ??
      readDialog(view)?.menu.start ??
      focusedRow(view) ??
      cutDialog(view);
    if (line === null) return null;
    return unreadPrompt(view, line, "agent_a.dialog", panelTop(view) ?? unreadTop(view, line));
  }),
  rule("agent_a.working.activity", "working", (view) =>
    activityLine(view, readComposer(view)?.top ?? view.end),
  ),
  rule("agent_a.working.footer", "working", (view) => withComposer(view, interruptHint)),
  rule("agent_a.working.title", "working", (view, { input }) => {
    if (!/^[\u2800-\u28ff◐◓◑◒]\s/u.test(input.title.trimStart())) return null;
    return withComposer(view, (_, composer) => composer.top + 1);
  }),
  rule("agent_a.error", "error", (view) => withComposer(view, errorLine)),
  rule("agent_a.idle", "idle", (view) => {
    const composer = readComposer(view);
    if (!composer) return null;
    const hints = view.lines.slice(composer.bottom + 1, view.end);
    const isCut = hints.some((l) => l.endsWith("…")) && !hints.some((l) => IDLE_HINT.test(l));
    const isDraft = composer.text !== "" && !composer.isPlaceholder;
    return { line: composer.top + 1, isUncertain: isCut || isDraft };
  }),
];

/** The rule of a panel whose footer a low screen does not show. */
function bareRule(view: View): number | null {
  const top = panelTop(view);
  return top === undefined || footerLine(view, "takes") !== null ? null : top - 1;
}

function dialogRule(
  id: string,
  applies: (view: View, dialog: Dialog) => boolean,
  read: (view: View, dialog: Dialog) => Prompt,
): Rule {
  return rule(id, "needs_input", (view) => {
    const dialog = readDialog(view);
    if (!dialog || !applies(dialog.view, dialog)) return null;
    const prompt = read(dialog.view, dialog);
    return {
      ...{ line: prompt.questionLine, prompt },
      unsettled: isLoading(dialog.view, dialog) ? "drawing" : null,
      region: { rule: "agent_a.region.dialog", start: dialog.top, end: view.end },
    };
  });
}

function withComposer(
  view: View,
  find: (view: View, composer: InputLine) => number | null,
): number | null {
  const composer = readComposer(view);
  return composer && find(view, composer);
}

/** A tick before the current value: a theme, a style. */
const CURRENT_VALUE = /^\s*(?:❯ )?✔ \S/u;

function isChoice(view: View, { menu, top }: Dialog): boolean {
  // Two lists of one panel have a cursor each: which of them is live cannot be seen.
  if (cursorCount(view, top) > 1) return false;
  if (footerLine(view, "confirms") !== null) return true;
  const above = view.lines.slice(top, menu.start).findLast((line) => line !== "") ?? "";
  if (/[?？]$/u.test(above)) return true;
  if (menu.rows.some((row) => CURRENT_VALUE.test(lineAt(view, row.line)))) return true;
  return footerLine(view, "takes") !== null && menu.rows.some((row) => row.checked !== null);
}

/** A panel that a person opened asks nothing. */
function isOpenedList(view: View, dialog: Dialog): boolean {
  const isOpened = panelTop(view) !== undefined && findQuestion(view, dialog) === null;
  return isOpened && isChoice(view, dialog);
}

function isQuestion(view: View, { menu, top }: Dialog): boolean {
  if (!menu.isNumbered) return false;
  if (menu.hasPreview || menu.rows.some((row) => row.checked !== null)) return true;
  const { divider } = menu;
  if (divider !== null && [...menu.rows, ...menu.extras].some((row) => row.line > divider))
    return true;
  return view.lines.slice(top, Math.min(top + 3, menu.start)).some(isTopicLine);
}

/** On a narrow screen only its rule tells a plan. */
function isPlan(view: View, { menu, top }: Dialog): boolean {
  if (!menu.isNumbered) return false;
  if (/^ {2}─/u.test(lineAt(view, top - 1))) return true;
  return view.lines.slice(menu.end, view.end).some((line) => line.includes("/.claude/plans/"));
}

function isPermission(view: View, dialog: Dialog): boolean {
  const { menu, top, isBoxed } = dialog;
  if (!menu.isNumbered) return false;
  if (isBoxed && findQuestion(view, dialog) !== null) return true;
  const above = view.lines.slice(top, menu.start);
  if (above.some((line) => /^\s{0,3}[╌╍┄┅┈┉]{8,}\s*$/.test(line))) return true;
  const question = above.findLast((line) => line !== "") ?? "";
  return /\?$/.test(question) && /^\s*(?:Do|Would) you\b/i.test(question);
}

/** A person's own status line may hold these words too; in a hint they stand by themselves. */
const INTERRUPT =
  /(?:^|·|\))\s*esc to interrupt(?=\s*(?:·|…|$))|\besc(?: t(?:o(?: i[a-z]*)?)?)?…$/i;

function interruptHint(view: View, composer: InputLine): number | null {
  const below = view.lines.slice(composer.bottom + 1, view.end);
  // Between turns another hint stands in its place, whatever the status line says.
  if (below.some((line) => IDLE_HINT.test(line))) return null;
  const found = below.findLastIndex((line) => INTERRUPT.test(line));
  return found < 0 ? null : composer.bottom + 1 + found;
}

/** Narrow screens cut the hint. */
const TRANSCRIPT = /\btranscr(?:ipt\b.*\bctrl(?:\+|…)|[a-z]*…$)|\bctrl\+\w\b.*\btranscript\b/i;

const transcriptHint = perView((view): number | null =>
  readComposer(view) ? null : findLast(view, 2, TRANSCRIPT),
);

function hiddenDialog(view: View): Prompt | null {
  if (readComposer(view)) return null;
  const line = transcriptHint(view) ?? view.end - 1;
  const [question] =
    /^\s*dialog waiting\b.*|\bWaiting for your answer \([^()]+\) ↓$/u.exec(lineAt(view, line)) ??
    [];
  if (question === undefined) return null;
  return { ...unreadPrompt(view, line, "agent_a.dialog", line), question };
}

/** `❯ ✻ Set up storage    answer: Which database…`; a session that ended its turn has other words. */
const WAITING_SESSION = /^[❯ ] \S .* {2}(?:approve|answer:) \S/u;

function waitingSession(view: View): Prompt | null {
  if (!isSessionList(view)) return null;
  const rows = { start: Math.max(view.start, view.end - view.height), end: view.end };
  const line = findLine(view, rows, WAITING_SESSION) ?? findLine(view, rows, ANSWER_FIELD);
  if (line === null) return null;
  const found = unreadPrompt(view, line, "agent_a.dialog", line);
  const says = / {2}(\S+(?: \S+)*)(?: {2,}\S+)?$/u.exec(lineAt(view, line))?.[1];
  return { ...found, question: says ?? found.question, evidence: [] };
}

/** A command without a result yet; its purpose stands on the line above. */
const RUNNING_COMMAND = /^ {2}⎿ {2}\$ \S/u;
const CALL = /^[●⏺]?\s+(\S.*)$/u;

function dialogBehind(view: View): Prompt | null {
  const top = readComposer(view) ? undefined : panelTop(view);
  if (top === undefined || activityLine(view, top - 1) !== null) return null;
  const line = lastLines(view, 1, top - 1)[0];
  if (line === undefined || !RUNNING_COMMAND.test(lineAt(view, line))) return null;
  const [, call = ""] = CALL.exec(lineAt(view, line - 1)) ?? [];
  const prompt = unreadPrompt(view, line, "agent_a.dialog", line - 1);
  return { ...prompt, question: fold(call), evidence: [] };
}

const TABLE_ROW = /^\s*❯? *\d{1,2}\. \S/u;
/** `Modified    Created     # Messages Git Branch`: words with capitals, some set apart. */
const TABLE_HEADING = /^(?=(?:.*\S {3,}(?=\S)){2}) {2,}(?:(?:#|[A-Z][a-z]+)(?: +|$)){3,}$/;

function tableHeading(view: View): number | null {
  let i = view.end - 1;
  let hasFocus = false;
  for (; i > view.start && TABLE_ROW.test(lineAt(view, i)); i--)
    hasFocus ||= lineAt(view, i).includes("❯");
  return hasFocus && TABLE_HEADING.test(lineAt(view, i)) ? i : null;
}

const SEARCH = /^\s*(?:│\s*)?⌕ \S/u;

/**
 * First line of a panel that a person opened, with a cursor and without a question: below a thick rule,
 * or around a search field.
 */
function openedTop(view: View): number | null {
  const end = footerLine(view, "takes") ?? view.end;
  const search = findLineUp(view, end, view.end - view.height, SEARCH);
  const top = panelTop(view) ?? (search === null ? undefined : unreadTop(view, search));
  if (top === undefined || cursorCount(view, top) === 0) return null;
  const isAsking = (text: string) => /[?？]$/u.test(text);
  return findLineUp(view, view.end, top, isAsking) === null ? top : null;
}
