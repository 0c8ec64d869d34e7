import type { RuleTrace } from "../protocol/explain.ts";
import { prepare } from "./prepare.ts";
import type { Finding, DetectInput, Prompt } from "./finding.ts";
import { contextTop } from "./generic-prompt.ts";
import type { KindFinding } from "./kind.ts";
import { isCarrier } from "./programs.ts";
import { patternRegion, type PatternText } from "./pattern-region.ts";
import type { PatternFindings } from "./pattern-rules.ts";
import { mayAsk } from "./last-line.ts";
import { MAX_VIEW_COLUMNS, type View } from "./region.ts";
import type { Context, Match, Rule } from "./rule.ts";
import { rulesFor } from "./rule-table.ts";
import { fold } from "./text.ts";

const MAX_TRACE_CHARS = 200;

/**
 * The text that the user's patterns are run over: the end of the screen below the last command line.
 * Null where the rules of the recognised agent suffice.
 */
export function patternText(o: DetectInput): PatternText | null {
  const { kind, view } = prepare(o);
  return rulesFor(kind).usesPatterns ? patternRegion(view) : null;
}

/** Whether `DetectInput.terminal` could decide what this screen means. */
export function needsTerminalUse(o: DetectInput, patterns: PatternFindings): boolean {
  const { kind, view, place } = prepare(o);
  // A program may print the screen of an agent.
  if (kind.rule === "kind.screen") return !isCarrier(o);
  return rulesFor(kind).usesPatterns && mayAsk({ view, place, patterns, input: o });
}

export function detect(o: DetectInput, patterns: PatternFindings): Finding {
  const { kind, view, place } = prepare(o);
  const { rules, owner } = rulesFor(kind);
  const context: Context = { view, input: o, patterns, agent: kind.agent, place };
  const ruledOut: RuleTrace[] = [];
  for (const rule of rules) {
    // A program that has ended neither asks nor works.
    const isPossible = !o.hasEnded || rule.means === "error" || rule.means === "idle";
    const match = isPossible ? rule.find(context) : null;
    if (match) return finding({ kind, view, rule, match, ruledOut });
    ruledOut.push(rule.missed);
  }
  // No rule has found a sign of anything else.
  const rule = { id: `${owner}.quiet`, means: "idle" } as const;
  return finding({ kind, view, rule, match: { line: null, isUncertain: true }, ruledOut });
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
    prompt: means === "needs_input" && match.prompt ? withClippedText(view, match.prompt) : null,
    idleIsCertain: means === "idle" && match.isUncertain !== true,
    unsettled: match.unsettled ?? null,
    keepsPrevious: means === "keeps_previous",
    region: match.region ?? { rule: "region.tail", start: view.start, end: view.end },
    ruledOut: match.note ? [...ruledOut, decided] : ruledOut,
  };
}

/** With the text that the lines of the prompt have beyond the columns of the view. */
function withClippedText(view: View, prompt: Prompt): Prompt {
  if (view.screen.lines.every(({ text }) => text.length <= MAX_VIEW_COLUMNS)) return prompt;
  const from = contextTop(view, prompt.questionLine);
  const clipped = { texts: [] as string[], characters: 0 };
  for (const { text, rest } of view.screen.lines.slice(from)) {
    const right = text.slice(MAX_VIEW_COLUMNS);
    if (!rest && prompt.question.endsWith(fold(right))) continue;
    clipped.texts.push(right, ...(rest ? [rest.digest] : []));
    clipped.characters += right.length + (rest?.characters ?? 0);
  }
  return clipped.characters === 0 ? prompt : { ...prompt, clipped };
}
