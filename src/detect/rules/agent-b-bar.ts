import type { PromptOption } from "../finding.ts";
import type { MenuRow } from "../menu.ts";
import { evidenceLines, option, paragraphAbove, prompt, typeKey } from "../prompt.ts";
import { findLineUp, lineAt, styleAt, type View } from "../region.ts";
import type { Match } from "../rule.ts";

const MAX_BAR_LINES = 12;
const MAX_EVIDENCE_LINES = 200;
/** The first line of a proposed command or patch, however long it is. */
const PROPOSED = /^(?:\? Codex wants to run\b|proposed patch\b)/u;
const WORKING = /^▌ *• .*\(\d.*\bto interrupt\)$/u;

/** Lines with a bar on their left that end the screen: what versions before 0.40 draw live. */
function readBar(view: View): { start: number; end: number } | null {
  const isBar = (i: number) => lineAt(view, i).startsWith("▌");
  let start = view.end;
  while (start > view.start && view.end - start < MAX_BAR_LINES && isBar(start - 1)) start--;
  return start < view.end ? { start, end: view.end } : null;
}

/** `▌Allow command?` above `▌ Yes   Always   No`: the letters answer, and the focus is a colour. */
export function findBarApproval(view: View): Match | null {
  const bar = readBar(view);
  if (!bar || !/\?$/.test(lineAt(view, bar.start))) return null;
  const line = bar.start + 1;
  const options = readButtons(view, line);
  if (line >= bar.end || options.length < 2) return null;
  const top = proposedTop(view, bar.start);
  const asked = { text: lineAt(view, bar.start).replace(/^▌\s*/u, ""), start: bar.start };
  const evidence = evidenceLines(view, top, bar.start);
  return {
    line: bar.start,
    prompt: prompt("agent_b.permission", asked, evidence, options),
    region: { rule: "agent_b.region.bar", start: top, end: view.end },
  };
}

export function findBarWorking(view: View): Match | null {
  const bar = readBar(view);
  return bar && WORKING.test(lineAt(view, view.end - 1)) ? { line: view.end - 1 } : null;
}

function proposedTop(view: View, before: number): number {
  const from = Math.max(view.start, before - MAX_EVIDENCE_LINES);
  const proposed = findLineUp(view, before - 1, from, (text) => PROPOSED.test(text));
  return proposed ?? paragraphAbove(view, before, from)?.start ?? before;
}

/** Words in a row, each of which its first letter takes at once; the focus has the bar's colour. */
function readButtons(view: View, line: number): PromptOption[] {
  const text = lineAt(view, line);
  if (!/^▌ [A-Z]/u.test(text)) return [];
  const drawn = view.screen.lines[line];
  const focus = styleAt(drawn, 0).fg;
  const rows = [...text.slice(1).matchAll(/\S+(?: \S+)*/g)].map(({ 0: label, index }): MenuRow => ({
    key: label.slice(0, 1).toLowerCase(),
    label,
    description: "",
    selected: focus !== undefined && styleAt(drawn, index + 1).bg === focus,
    checked: null,
    line,
  }));
  const isClear = new Set(rows.map((row) => row.key)).size === rows.length;
  return isClear ? rows.map((row) => option(row, { answer: typeKey(row) }, false)) : [];
}
