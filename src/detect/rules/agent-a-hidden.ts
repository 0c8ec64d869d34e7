import { unreadPrompt } from "../generic-prompt.ts";
import { findLast, fold, lastLines, lineAt, type View } from "../region.ts";
import type { Match } from "../rule.ts";
import { perView } from "../per-view.ts";
import { activityLine, panelTop, readComposer } from "./agent-a-screen.ts";

/** Narrow screens cut it. */
const TRANSCRIPT = /\btranscr(?:ipt\b.*\bctrl(?:\+|…)|[a-z]*…$)|\bctrl\+\w\b.*\btranscript\b/i;

export const transcriptHint = perView((view): number | null =>
  readComposer(view) ? null : findLast(view, 2, TRANSCRIPT),
);

export function hiddenDialog(view: View): Match | null {
  if (readComposer(view)) return null;
  const line = transcriptHint(view) ?? view.end - 1;
  const [question] =
    /^\s*dialog waiting\b.*|\bWaiting for your answer \([^()]+\) ↓$/u.exec(lineAt(view, line)) ??
    [];
  if (question === undefined) return null;
  return { line, prompt: { ...unreadPrompt(view, line, "agent_a.dialog", line), question } };
}

/** A command that was called and has no result yet; what it does stands on the line above. */
const CALLED = /^ {2}⎿ {2}\$ \S/u;
const CALL = /^[●⏺]?\s+(\S.*)$/u;

/** Help or status over a session whose last command waits for an approval. */
export function dialogBehind(view: View): Match | null {
  const top = panelTop(view);
  if (top === undefined || activityLine(view, top - 1) !== null) return null;
  const line = lastLines({ ...view, end: top - 1 }, 1)[0];
  if (line === undefined || !CALLED.test(lineAt(view, line))) return null;
  const [, call = ""] = CALL.exec(lineAt(view, line - 1)) ?? [];
  const prompt = unreadPrompt(view, line, "agent_a.dialog", line - 1);
  return { line, prompt: { ...prompt, question: fold(call), evidence: [] } };
}
