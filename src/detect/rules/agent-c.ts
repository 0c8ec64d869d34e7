import type { Prompt } from "../finding.ts";
import { type MenuRow, plainRow } from "../menu.ts";
import { dialogPrompt, evidenceLines, paragraphAbove } from "../prompt.ts";
import { findLast, lastLines, lineAt, type View } from "../region.ts";
import { fold } from "../text.ts";
import { rule, type Rule } from "../rule.ts";
import { unreadPrompt } from "../generic-prompt.ts";
import { agentMenuRule, busyTitleRule, waitingTitleRule } from "./agent-menu.ts";

const OPTION = /^\s*(?:┃\s*)?([0-9a-z]) \(([●○])\)\s+(\S.*)$/u;
const DIALOG_HINT = /\d\/\d+:select\b|\bshift\+x:dismiss\b|[←/→]+:scope\b/i;
const BUSY = /^\s*[\u2800-\u28ff]\s.*\[stop\]\s*$/u;
const BUSY_HINT = /\besc:cancel\b/i;
const IDLE_HINT = /\bctrl\+[x.]:shortcuts\b|\bshift\+tab:mode\b/i;

/**
 * Grok: known from its documentation and from others' reports, not recorded. So every option is
 * reached with the arrow keys, seen to be focused, and only then taken.
 */
export const agentCRules: readonly Rule[] = [
  agentMenuRule({ owner: "agent_c", inputLine: IDLE_HINT }),
  rule("agent_c.dialog", "needs_input", findDialog),
  waitingTitleRule("agent_c", /\bAction Required\b/, null),
  rule(
    "agent_c.working.activity",
    "working",
    (view) => findLast(view, 12, BUSY) ?? findLast(view, 2, BUSY_HINT),
  ),
  busyTitleRule("agent_c", /[\u2800-\u28ff]/u),
  rule("agent_c.idle", "idle", (view) => findLast(view, 2, IDLE_HINT)),
];

function findDialog(view: View): Prompt | null {
  const near = lastLines(view, 40);
  const last = near.find((i) => OPTION.test(lineAt(view, i)));
  const hint = near.slice(0, 3).find((i) => DIALOG_HINT.test(lineAt(view, i)));
  // Below the rows stand their hints; a transcript that quotes rows has the input line below it.
  if (
    last === undefined ||
    near.indexOf(last) > 6 ||
    near.some((i) => i > last && BUSY.test(lineAt(view, i)))
  )
    return hint === undefined ? null : unreadPrompt(view, hint, "agent_c.dialog");
  const rows = readRows(view, last);
  const first = rows[0];
  if (!first || rows.length < 2) return unreadPrompt(view, last, "agent_c.dialog");
  const asked = paragraphAbove(view, first.line, Math.max(view.start, first.line - 60));
  const question = asked && { start: Math.max(asked.start, asked.end - 1), end: asked.end };
  const evidence = asked ? evidenceLines(view, asked.start, asked.end - 1) : [];
  const list = { view, menu: { rows }, question, evidence };
  return dialogPrompt("agent_c.dialog", list, { key: "nothing" });
}

function readRows(view: View, last: number): MenuRow[] {
  const rows: MenuRow[] = [];
  let wrapped = "";
  for (let i = last; i >= view.start; i--) {
    const text = lineAt(view, i);
    const match = OPTION.exec(text);
    if (match) {
      const [, key = "", mark = "", label = ""] = match;
      rows.unshift(plainRow(key, fold(`${label} ${wrapped}`), i, mark === "●"));
      wrapped = "";
    } else if (/^\s{6,}\S/.test(text)) wrapped = `${text.trim()} ${wrapped}`;
    else break;
  }
  return rows;
}
