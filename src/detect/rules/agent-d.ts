import type { Prompt } from "../finding.ts";
import { unreadPrompt } from "../generic-prompt.ts";
import { findLine, findLineUp, firstText, lineAt, styleAt, type View } from "../region.ts";
import { indentOf } from "../text.ts";
import { rule, type Rule } from "../rule.ts";
import { findInPanel, readPermission, readQuestion, readUnknownDialog } from "./agent-d-dialog.ts";
import { agentMenuRule } from "./agent-menu.ts";
import {
  COMPOSER_BOTTOM,
  composerBottom,
  readPanel,
  TURN,
  withoutSidebar,
  type Panel,
} from "./agent-d-screen.ts";

/** The reason of a retry may cover all but the first of the squares. */
const PROGRESS = /^\s*[⬝■]/u;

/** OpenCode: a dialog is the last panel of the screen, in place of the input box. */
export const agentDRules: readonly Rule[] = [
  rule("agent_d.covered", "needs_input", (view) => findCovered(withoutSidebar(view))),
  rule("agent_d.permission", "needs_input", (view) => findInPanel(view, readPermission)),
  rule("agent_d.question", "needs_input", (view) => findInPanel(view, readQuestion)),
  rule("agent_d.dialog", "needs_input", (view) => findInPanel(view, readUnknownDialog)),
  rule("agent_d.overlay", "keeps_previous", findOverlay),
  rule("agent_d.subagent", "keeps_previous", (view) => findSubagent(withoutSidebar(view))),
  agentMenuRule({ owner: "agent_d", inputLine: COMPOSER_BOTTOM }),
  rule("agent_d.working.progress", "working", (view) => {
    const content = withoutSidebar(view);
    return belowComposer(content, (text) => PROGRESS.test(text) || /\besc interrupt\b/.test(text));
  }),
  rule("agent_d.error", "error", (view) => findError(withoutSidebar(view))),
  rule("agent_d.idle", "idle", (view) => {
    const content = withoutSidebar(view);
    const line = belowComposer(content, () => true);
    return line === null ? null : { line, isUncertain: endsWithMessage(content) };
  }),
];

function findOverlay(view: View): number | null {
  for (let i = Math.max(view.start, view.end - view.height); i < view.end - 1; i++) {
    const line = lineAt(view, i);
    const title = line.includes("esc") ? /^\s{3,}\S.* {6,}(?=esc\b)/.exec(line)?.[0] : undefined;
    if (title === undefined) continue;
    const below = lineAt(view, firstText(view, i + 1, view.end));
    if (/^\s{4,}(?:┃\s+)?Search\b/.test(below) || isRaised(view, i, title)) return i;
  }
  return null;
}

/** A list over the session has a background of its own and a bold title. */
function isRaised(view: View, line: number, title: string): boolean {
  const styled = view.screen.lines[line];
  const behind = styleAt(styled, 0).bg;
  const isBold = styleAt(styled, title.trimEnd().length - 1).bold === true;
  return isBold && styleAt(styled, title.length).bg !== behind;
}

function findCovered(view: View): Prompt | null {
  if (composerBottom(view) !== null || !readPanel(view)) return null;
  const line = findOverlay(view);
  if (line === null) return null;
  const [, question = ""] = /(\S+(?: \S+)*) {6,}esc\b/.exec(lineAt(view, line)) ?? [];
  return { ...unreadPrompt(view, line, "agent_d.dialog", line), question };
}

function findSubagent(view: View): number | null {
  const panel = readPanel(view);
  return panel && findLine(view, panel, /\bParent \S+ +Prev \S+ +Next \S+$/);
}

function belowComposer(view: View, test: (text: string) => boolean): number | null {
  const bottom = composerBottom(view);
  if (bottom === null) return null;
  const below = { start: bottom + 1, end: view.end };
  return findLine(view, below, (text) => text !== "" && test(text));
}

/** The last panel is the person's message: the output of a turn ends with a line of its own. */
function endsWithMessage(view: View): boolean {
  const box = readPanel({ ...view, end: composerBottom(view) ?? view.end });
  return box !== null && readPanel({ ...view, end: box.start }) !== null;
}

function findError(view: View): number | null {
  const bottom = composerBottom(view);
  if (bottom === null) return null;
  const turn = findLineUp(view, bottom - 1, view.start, TURN);
  if (turn === null || lineAt(view, turn).split(" · ").length > 2) return null;
  const panel = readPanel({ ...view, end: turn });
  // The only panel above may be the person's message: then nothing has failed.
  if (!panel || !hasPanelAbove(view, panel)) return null;
  if (isToolOutput(view, panel) || isMessage(view, panel, turn)) return null;
  return firstText(view, panel.start, panel.end);
}

function hasPanelAbove(view: View, panel: Panel): boolean {
  let line = panel.start - 1;
  // A toast at the top right may share the gap.
  while (line >= view.start && indentOf(lineAt(view, line) || " ".repeat(99)) > 10) line--;
  return readPanel({ ...view, end: line + 1 }) !== null;
}

/** The bar of a message has the colour of the turn's mark. */
function isMessage(view: View, panel: Panel, turn: number): boolean {
  const mark = styleAt(view.screen.lines[turn], indentOf(lineAt(view, turn))).fg;
  return mark !== undefined && mark === styleAt(view.screen.lines[panel.start], panel.barColumn).fg;
}

/** Tools draw their bar in the colour of the background. */
function isToolOutput(view: View, panel: Panel): boolean {
  const line = view.screen.lines[panel.start];
  const bar = styleAt(line, panel.barColumn).fg;
  return bar !== undefined && bar === styleAt(line, 0).bg;
}
