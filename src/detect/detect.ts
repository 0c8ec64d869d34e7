import type { RuleTrace } from "../protocol/input.ts";
import { foldBlankRows, unfoldFinding } from "./blank-rows.ts";
import type { Finding, Observation } from "./finding.ts";
import { detectKind, type KindFinding } from "./kind.ts";
import type { PatternFindings, PatternText } from "./pattern-rules.ts";
import { readView, type View } from "./region.ts";
import type { Context, Match, Rule } from "./rule.ts";
import { rulesFor } from "./rule-table.ts";
import { patternRegion } from "./pattern-region.ts";

const MAX_TRACE_CHARS = 200;

/**
 * The text that the user's patterns are run over, or null where the rules of the recognised agent
 * suffice. It holds only the live end of the screen: what stands above a shell prompt is over.
 */
export function patternText(o: Observation): PatternText | null {
  if (!rulesFor(detectKind(o)).usesPatterns) return null;
  const { observation } = foldBlankRows(o);
  return patternRegion(readView(observation.screen, o));
}

/** What the pane shows. Pure: the same observation gives the same finding. */
export function detect(o: Observation, patterns: PatternFindings): Finding {
  const folded = foldBlankRows(o);
  const finding = detectFolded(folded.observation, patterns);
  return folded.observation === o ? finding : unfoldFinding(finding, folded);
}

function detectFolded(o: Observation, patterns: PatternFindings): Finding {
  const kind = detectKind(o);
  const view = readView(o.screen, o);
  const { rules, owner } = rulesFor(kind);
  const context: Context = { view, observation: o, patterns, agent: kind.agent };
  const ruledOut: RuleTrace[] = [];
  for (const rule of rules) {
    const match = rule.find(context);
    if (match) return finding({ kind, view, rule, match, ruledOut });
    ruledOut.push({ rule: rule.id, matched: false, line: null, line_index: null, note: null });
  }
  return quiet(kind, view, owner, ruledOut);
}

interface Decision {
  kind: KindFinding;
  view: View;
  rule: Rule;
  match: Match;
  ruledOut: RuleTrace[];
}

function finding({ kind, view, rule, match, ruledOut }: Decision): Finding {
  const { means } = rule;
  const line = match.line === null ? null : (view.screen.lines[match.line]?.text ?? null);
  const decided: RuleTrace = {
    rule: rule.id,
    matched: true,
    line: line?.slice(0, MAX_TRACE_CHARS) ?? null,
    line_index: match.line,
    note: match.note ?? null,
  };
  return {
    ...kindPart(kind),
    status: means === "keeps_previous" ? "idle" : means,
    rule: rule.id,
    line: match.line,
    prompt: means === "needs_input" ? (match.prompt ?? null) : null,
    idleIsCertain: means === "idle" && match.isUncertain !== true,
    unsettled: match.unsettled ?? null,
    keepsPrevious: means === "keeps_previous",
    region: match.region ?? tail(view),
    ruledOut: match.note ? [...ruledOut, decided] : ruledOut,
  };
}

function quiet(kind: KindFinding, view: View, owner: string, ruledOut: RuleTrace[]): Finding {
  return {
    ...kindPart(kind),
    status: "idle",
    rule: `${owner}.quiet`,
    line: null,
    prompt: null,
    idleIsCertain: false,
    unsettled: null,
    keepsPrevious: false,
    region: tail(view),
    ruledOut,
  };
}

function kindPart(kind: KindFinding) {
  return {
    kind: kind.kind,
    kindRule: kind.rule,
    kindEvidence: kind.evidence,
    agent: kind.agent,
  };
}

function tail(view: View): Finding["region"] {
  return { rule: "region.tail", start: view.start, end: view.end };
}
