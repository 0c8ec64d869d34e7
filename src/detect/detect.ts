import type { RuleTrace } from "../protocol/explain.ts";
import { prepare } from "./prepare.ts";
import type { Finding, DetectInput, Prompt } from "./finding.ts";
import { contextTop } from "./generic-prompt.ts";
import type { KindFinding } from "./kind.ts";
import { type PatternFindings, patternRegion, type PatternText } from "./pattern-rules.ts";
import { mayAsk } from "./last-line.ts";
import { MAX_VIEW_COLUMNS, type View } from "./region.ts";
import type { Context, Match, Rule } from "./rule.ts";
import { rulesFor } from "./rule-table.ts";

const MAX_TRACE_CHARS = 200;

/**
 * The text that the user's patterns are run over, or null where the rules of the recognised agent
 * suffice. It holds only the live end of the screen: what stands above a shell prompt is over.
 */
export function patternText(o: DetectInput): PatternText | null {
  const { kind, view } = prepare(o);
  return rulesFor(kind).usesPatterns ? patternRegion(view) : null;
}

/** Whether what the kernel says of the terminal could decide what this screen means. */
export function isWorthAsking(o: DetectInput, patterns: PatternFindings): boolean {
  const { kind, view, place } = prepare(o);
  return rulesFor(kind).usesPatterns && mayAsk({ view, place, patterns, input: o });
}

/** What the pane shows. Pure: the same input gives the same finding. */
export function detect(o: DetectInput, patterns: PatternFindings): Finding {
  const { kind, view, place } = prepare(o);
  const { rules, owner } = rulesFor(kind);
  const context: Context = { view, input: o, patterns, agent: kind.agent, place };
  const ruledOut: RuleTrace[] = [];
  for (const rule of rules) {
    const match = o.hasEnded && !isLasting(rule) ? null : rule.find(context);
    if (match) return finding({ kind, view, rule, match, ruledOut });
    ruledOut.push(rule.missed);
  }
  // Nothing speaks for anything else.
  const rule = { id: `${owner}.quiet`, means: "idle" } as const;
  return finding({ kind, view, rule, match: { line: null, isUncertain: true }, ruledOut });
}

/** What can still be true of a program that has ended. */
function isLasting({ means }: Rule): boolean {
  return means === "error" || means === "idle";
}

interface Decision {
  kind: KindFinding;
  view: View;
  rule: Pick<Rule, "id" | "means">;
  match: Match;
  ruledOut: RuleTrace[];
}

function finding({ kind, view, rule, match, ruledOut }: Decision): Finding {
  const { means } = rule;
  const line = match.line === null ? null : (view.screen.lines[match.line]?.text ?? null);
  const decided: RuleTrace = {
    rule: rule.id,
    matched: true,
    line: line?.slice(0, MAX_TRACE_CHARS).toWellFormed() ?? null,
    line_index: match.line,
    note: match.note ?? null,
  };
  return {
    kind: kind.kind,
    kindRule: kind.rule,
    kindEvidence: kind.evidence,
    agent: kind.agent,
    status: means === "keeps_previous" ? "idle" : means,
    rule: rule.id,
    line: match.line,
    prompt: means === "needs_input" && match.prompt ? whole(view, match.prompt) : null,
    idleIsCertain: means === "idle" && match.isUncertain !== true,
    unsettled: match.unsettled ?? null,
    keepsPrevious: means === "keeps_previous",
    region: match.region ?? tail(view),
    ruledOut: match.note ? [...ruledOut, decided] : ruledOut,
  };
}

/** The prompt with what stands to the right of the view, in its own lines and in those about it. */
function whole(view: View, prompt: Prompt): Prompt {
  if (view.screen.lines.every(({ text }) => text.length <= MAX_VIEW_COLUMNS)) return prompt;
  const from = contextTop(view, prompt.questionLine);
  const beyond = { texts: [] as string[], characters: 0 };
  for (const { text, rest } of view.screen.lines.slice(from)) {
    if (text.length <= MAX_VIEW_COLUMNS) continue;
    const right = text.slice(MAX_VIEW_COLUMNS);
    beyond.texts.push(right, ...(rest ? [rest.digest] : []));
    beyond.characters += right.length + (rest?.characters ?? 0);
  }
  return beyond.characters === 0 ? prompt : { ...prompt, beyond };
}

function tail(view: View): Finding["region"] {
  return { rule: "region.tail", start: view.start, end: view.end };
}
