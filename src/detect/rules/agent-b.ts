import { promptOptions, noField } from "../answers.ts";
import type { Prompt, PromptOption } from "../finding.ts";
import { unreadPrompt } from "../generic-prompt.ts";
import { CURSORS, plainRow } from "../menu.ts";
import { evidenceLines, paragraphAbove, prompt } from "../prompt.ts";
import { findLast, findLineUp, lastLines, lineAt, ruleAt, styleAt, type View } from "../region.ts";
import { rule, type Context, type Match, type Rule } from "../rule.ts";
import { isCommandLine } from "../programs.ts";
import { agentBInputLine, barAbove, barComposerLine, isBrowsing } from "./agent-b-composer.ts";
import { BLOCK, blockTop, findAgentBDialog, PAGE, SELECTOR_FOOTER } from "./agent-b-dialog.ts";
import { readSidePanel } from "./agent-b-modal.ts";
import { agentMenuRule, busyTitleRule, waitingTitleRule } from "./agent-menu.ts";

const OVERVIEW_FOOTER = /^\s*\? help\b.*(?:\bn new|…)$/u;
const NEEDS_YOU = /^\s*All \d+\b.*\bNeeds you [1-9]/;
const MAIN_NEEDS = /\bfrom main thread\b.*\b(?:main|parent) needs (?:approval|input)\b/;
const OVERLAY_FOOTER = /\bq(?:\/esc)? to quit\b|\bpgup\/pgdn\b.*\bq\b/i;
const OVERLAY_HEADER = /^\s*\/ (?:[A-Z] ){3,}/;
/** Narrow screens cut off its end. Also while it lost its own server, and takes no message. */
const ACTIVITY =
  /^[•◦·⠀-⣿] (?:Reconnecting to server… \(\d|.*\((?:\d.*\besc to interrupt\)|(?:[\dhms ]+• [^)]*)?…$))/u;
const BUSY_TITLE = /^[⠀-⣿] /u;
const WAITING_TITLE = /^\[ [!.] \] /;
/** Queued messages stand between the activity line and the input line. */
const QUEUE_HEADING = /^• (?:Queued\b|Messages? to be\b)/;
/** The last line of versions that set no title and hide their activity while text streams. */
const EARLY_HINTS = /\b\d+% context left$/;
/** An interruption and the reply to a person's own command have the same mark. */
const ERROR = /^■ (?!.*\b(?:interrupted|aborted by user)\b|No saved chat found\b|Usage: \/)/i;

/** OpenAI Codex: dialogs replace the input line at the end of the screen and end with a footer. */
export const agentBRules: readonly Rule[] = [
  rule("agent_b.waiting.covered", "needs_input", findCovered),
  rule("agent_b.transcript", "keeps_previous", findOverlay),
  rule("agent_b.waiting.elsewhere", "needs_input", findElsewhere),
  rule("agent_b.overview.working", "working", (view, { input }) =>
    BUSY_TITLE.test(input.title) ? findOverview(view) : null,
  ),
  rule("agent_b.overview", "idle", findOverview),
  rule(
    "agent_b.permission",
    "needs_input",
    (view) => findAgentBDialog(view, (kind) => kind !== "picker") ?? findBarApproval(view),
  ),
  rule("agent_b.picker", "needs_input", (view) => findAgentBDialog(view, () => true)),
  agentMenuRule({ owner: "agent_b", inputLine: /^[›!](?: |$)/, cursors: CURSORS.agent_b_unframed }),
  rule("agent_b.picker.search", "needs_input", (view) => {
    const dialog = findUnknownDialog(view);
    const hasField = () =>
      findLineUp(view, view.end, view.end - view.height, /^\s*Type to search\b/) !== null;
    return dialog && hasField() ? { ...dialog, parser: "agent_b.picker.search" } : null;
  }),
  rule(
    "agent_b.dialog",
    "needs_input",
    (view) => findUnknownDialog(view) ?? findBrowsing(view) ?? findPanel(view) ?? findCut(view),
  ),
  waitingTitleRule("agent_b", WAITING_TITLE),
  rule(
    "agent_b.working.activity",
    "working",
    (view) => lastBlock(view, ACTIVITY) ?? findLast(view, 1, WORKING),
  ),
  busyTitleRule("agent_b", BUSY_TITLE),
  rule("agent_b.error", "error", (view) => lastBlock(view, ERROR)),
  rule("agent_b.idle", "idle", (view) => {
    const bar = barComposerLine(view);
    if (bar !== null) return bar;
    const line = agentBInputLine(view);
    if (line === null) return null;
    const isEarly = EARLY_HINTS.test(lineAt(view, view.end - 1));
    return { line, isUncertain: isEarly || lastBlock(view, /^› /) !== null };
  }),
];

function findOverlay(view: View): number | null {
  return (
    findLast(view, 3, OVERLAY_FOOTER) ??
    findLineUp(view, view.end - 1, view.end - view.height, OVERLAY_HEADER)
  );
}

function findCovered(view: View, { input: { title } }: Context): Prompt | null {
  const line = WAITING_TITLE.test(title) ? findOverlay(view) : null;
  if (line === null) return null;
  const prompt = unreadPrompt(view, line, "agent_b.dialog");
  return { ...prompt, question: title.replace(WAITING_TITLE, "") };
}

function findOverview(view: View): number | null {
  return OVERVIEW_FOOTER.test(lineAt(view, view.end - 1)) ? view.end - 1 : null;
}

function findElsewhere(view: View): Prompt | null {
  const input = barComposerLine(view) ?? agentBInputLine(view) ?? view.end - 3;
  const line =
    findOverview(view) === null
      ? findLineUp(view, view.end - 1, input, MAIN_NEEDS)
      : findLineUp(view, view.end - 1, view.end - view.height, NEEDS_YOU);
  return line === null ? null : unreadPrompt(view, line, "agent_b.dialog", line);
}

/** The first line of the last block of the transcript, if it passes the test. */
function lastBlock(view: View, test: RegExp): number | null {
  const composer = agentBInputLine(view);
  if (composer === null) return null;
  const isBlock = (text: string) => BLOCK.test(text) && !QUEUE_HEADING.test(text);
  const line = findLineUp(view, composer - 1, view.start, isBlock);
  return line !== null && test.test(lineAt(view, line)) ? line : null;
}

function findUnknownDialog(view: View): Prompt | null {
  const footer = lastLines(view, 2).toReversed();
  const line = footer.find((i) => SELECTOR_FOOTER.test(lineAt(view, i)));
  if (line === undefined || composerAbove(view, line)) return null;
  const prompt = unreadPrompt(view, line, "agent_b.dialog", unknownTop(view, line));
  return { ...prompt, question: prompt.question.replace(/^▌ /u, "") };
}

/** The person walks through earlier messages, and Enter takes one back; the input line is still there. */
function findBrowsing(view: View): Prompt | null {
  const line = view.end - 1;
  return isBrowsing(view) ? unreadPrompt(view, line, "agent_b.dialog", line) : null;
}

function findPanel(view: View): Prompt | null {
  const panel = readSidePanel(view);
  if (!panel) return null;
  const found = unreadPrompt(panel.view, panel.line, "agent_b.dialog", panel.line);
  return { ...found, question: panel.title };
}

const DIALOG_ROW = /^(?: {2}|› \d{1,2}[.)] |$)/u;

/** A dialog that goes on below a low screen: neither an input line nor anything of the session is there. */
function findCut(view: View): Prompt | null {
  const top = view.end - view.height;
  const rows = view.lines.slice(Math.max(0, top), view.end);
  if (top < view.start || !rows.every((text) => DIALOG_ROW.test(text))) return null;
  const list = rows.findLastIndex((text) => text.startsWith("›"));
  // A draft has the status below it, set off by a blank line.
  if (list >= 0 && rows.includes("", list)) return null;
  return unreadPrompt(view, list < 0 ? view.end - 1 : top + list, "agent_b.dialog", top);
}

/** Two blank lines set a dialog off, or a bar on its left; they may also stand inside it, below its title. */
function unknownTop(view: View, footer: number): number {
  const command = findLineUp(view, footer, view.end - view.height, isCommandLine);
  const floor = command === null ? Math.max(view.start, view.end - view.height) : command + 1;
  const last = lastText(view, footer);
  const bar = barAbove(view, last + 1);
  if (bar) return bar.start;
  const top = blockTop(view, last, floor);
  const isPart = ruleAt(view, top) !== null || /^(?:›| ) \[[ x]\] /u.test(lineAt(view, top));
  const first = isPart ? blockTop(view, lastText(view, top), floor) : top;
  return PAGE.test(lineAt(view, first).trim()) ? first + 1 : first;
}

function lastText(view: View, before: number): number {
  return lastLines(view, 1, before)[0] ?? before;
}

const TAKES = /\bsubmit\b|^\s*enter choose\b/;

/** Hints of the input line stand right below it, and never say what Enter takes. */
function composerAbove(view: View, line: number): boolean {
  if (barComposerLine(view) !== null) return true;
  const composer = agentBInputLine(view);
  if (composer === null || line - composer > 4 || TAKES.test(lineAt(view, line))) return false;
  return !/^› \d+[.)] /.test(lineAt(view, composer));
}

const MAX_EVIDENCE_LINES = 200;
/** The first line of a proposed command or patch, however long it is. */
const PROPOSAL = /^(?:\? Codex wants to run\b|proposed patch\b)/u;
const WORKING = /^▌ *• .*\(\d.*\bto interrupt\)$/u;

/** `▌Allow command?` above `▌ Yes   Always   No`: the letters answer, and the focus is a colour. */
function findBarApproval(view: View): Match | null {
  const bar = barAbove(view, view.end);
  if (!bar || !/\?$/.test(lineAt(view, bar.start))) return null;
  const line = bar.start + 1;
  const options = readButtons(view, line);
  if (line >= bar.end || options.length < 2) return null;
  const from = Math.max(view.start, bar.start - MAX_EVIDENCE_LINES);
  const proposal = findLineUp(view, bar.start - 1, from, PROPOSAL);
  const top = proposal ?? paragraphAbove(view, bar.start, from)?.start ?? bar.start;
  const question = { text: lineAt(view, bar.start).replace(/^▌\s*/u, ""), start: bar.start };
  const evidence = evidenceLines(view, top, bar.start);
  return {
    line: bar.start,
    prompt: prompt("agent_b.permission", question, evidence, options),
    region: { rule: "agent_b.region.bar", start: top, end: view.end },
  };
}

/** Words in a row, each of which its first letter takes at once; the focus has the bar's colour. */
function readButtons(view: View, line: number): PromptOption[] {
  const text = lineAt(view, line);
  if (!/^▌ [A-Z]/u.test(text)) return [];
  const styled = view.screen.lines[line];
  const focus = styleAt(styled, 0).fg;
  const rows = [...text.slice(1).matchAll(/\S+(?: \S+)*/g)].map(({ 0: label, index }) => {
    const isFocused = focus !== undefined && styleAt(styled, index + 1).bg === focus;
    return plainRow(label.slice(0, 1).toLowerCase(), label, line, isFocused);
  });
  const isUnique = new Set(rows.map((row) => row.key)).size === rows.length;
  return isUnique ? promptOptions({ rows }, { key: "takes", isField: noField }) : [];
}
