import text from "./rules.txt";
import type { KindFinding } from "./kind.ts";
import type { Rule } from "./rule.ts";
import { agentARules } from "./rules/agent-a.ts";
import { agentBRules } from "./rules/agent-b.ts";
import { agentCRules } from "./rules/agent-c.ts";
import { agentDRules } from "./rules/agent-d.ts";
import { dialogRules } from "./rules/dialogs.ts";
import { boxedAgentRules } from "./rules/gemini.ts";
import { genericRules, shellRules } from "./rules/generic.ts";
import { AGENT_E, AMP, COPILOT, CURSOR, otherAgentRules } from "./rules/other-agents.ts";
import { lineRules } from "./rules/questions.ts";

/** Rules of the agents that have rules of their own, by the id of their row in `agents.ts`. */
const AGENT_RULES: Readonly<Record<string, readonly Rule[]>> = {
  agent_a: agentARules,
  agent_b: agentBRules,
  agent_c: agentCRules,
  agent_d: agentDRules,
  agent_e: otherAgentRules(AGENT_E),
  gemini: boxedAgentRules("gemini"),
  qwen: boxedAgentRules("qwen"),
  copilot: otherAgentRules(COPILOT),
  cursor: otherAgentRules(CURSOR),
  amp: otherAgentRules(AMP),
};

/**
 * What is tried where an agent's own dialogs are not on the screen. A list with a cursor has a rule
 * in each of their lists, because the marks of a cursor begin messages too.
 */
const FALLBACK_DIALOGS = dialogRules.filter(({ id }) => id !== "generic.menu");

/** A dialog that nobody knows beats signs of work, as those that are known do. */
function withFallback(own: readonly Rule[]): readonly Rule[] {
  const isOfDialogs = ({ means }: Rule) => means === "needs_input" || means === "keeps_previous";
  const at = own.findLastIndex(isOfDialogs) + 1;
  return [...own.slice(0, at), ...FALLBACK_DIALOGS, ...own.slice(at), ...lineRules];
}

const WHOLE_LISTS: ReadonlyMap<string, readonly Rule[]> = new Map(
  Object.entries(AGENT_RULES).map(([id, own]) => [id, withFallback(own)]),
);

export const RULE_LISTS: readonly { owner: string; rules: readonly Rule[] }[] = [
  ...Object.entries(AGENT_RULES).map(([owner, rules]) => ({ owner, rules })),
  { owner: "generic", rules: genericRules },
  { owner: "shell", rules: shellRules },
];

interface RuleChoice {
  rules: readonly Rule[];
  /** Prefix of the fallback's id. */
  owner: string;
  usesPatterns: boolean;
}

export function rulesFor(kind: KindFinding): RuleChoice {
  const own = kind.agent ? WHOLE_LISTS.get(kind.agent.id) : undefined;
  if (kind.agent && own) return { rules: own, owner: kind.agent.id, usesPatterns: false };
  if (kind.kind === "shell") return { rules: shellRules, owner: "shell", usesPatterns: true };
  return { rules: genericRules, owner: "generic", usesPatterns: true };
}

interface RuleNote {
  /** The signs that the rule looks at. */
  about: string;
  /** Why they decide. */
  why: string;
}

/** A line is `ids | about | why`: agents that share a rule share its words. */
const NOTES: ReadonlyMap<string, RuleNote> = new Map(text.trimEnd().split("\n").flatMap(noteOf));

function noteOf(line: string): [string, RuleNote][] {
  const [ids = "", about = "", why = ""] = line.split(" | ");
  return ids.split(" ").map((id) => [id, { about, why }]);
}

/** Null for what is no rule: time, a provider's own word, silence. */
export function ruleNote(id: string): RuleNote | null {
  return NOTES.get(id) ?? null;
}

export const NOTED_RULES: readonly string[] = [...NOTES.keys()];
