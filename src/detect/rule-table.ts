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

/** By the id of an agent in `agents.ts`; `generic` and `shell` are for all other programs. */
export const RULES = {
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
  generic: genericRules,
  shell: shellRules,
} as const satisfies Readonly<Record<string, readonly Rule[]>>;

/**
 * Tried where none of an agent's own dialogs is on the screen. A list with a cursor has a rule in the
 * list of each agent, because the marks of a cursor begin messages too.
 */
const FALLBACK_DIALOGS = dialogRules.filter(({ id }) => id !== "generic.menu");

/** An unknown dialog beats signs of work, as known dialogs do. */
function withFallback(own: readonly Rule[]): readonly Rule[] {
  const at = own.findLastIndex(({ means }) => means === "needs_input") + 1;
  return [...own.slice(0, at), ...FALLBACK_DIALOGS, ...own.slice(at), ...lineRules];
}

const { generic, shell, ...OF_AGENTS } = RULES;
const WHOLE_LISTS: ReadonlyMap<string, readonly Rule[]> = new Map(
  Object.entries(OF_AGENTS).map(([id, own]) => [id, withFallback(own)]),
);

/** `owner` is the prefix of the id of a finding without a rule. */
export function rulesFor({ kind, agent }: KindFinding) {
  const rules = agent && WHOLE_LISTS.get(agent.id);
  if (agent && rules) return { rules, owner: agent.id, usesPatterns: false };
  if (kind === "shell") return { rules: shell, owner: kind, usesPatterns: true };
  return { rules: generic, owner: "generic", usesPatterns: true };
}

interface RuleNote {
  /** The signs that the rule looks at. */
  about: string;
  /** Why they decide. */
  why: string;
}

/**
 * By the id of the rule. A line of the file is `ids | about | why`: agents that share a rule share
 * its note. Findings without a rule (time, a native status, silence) have none.
 */
export const NOTES: ReadonlyMap<string, RuleNote> = new Map(
  text.trimEnd().split("\n").flatMap(noteOf),
);

function noteOf(line: string): [string, RuleNote][] {
  const [ids = "", about = "", why = ""] = line.split(" | ");
  return ids.split(" ").map((id) => [id, { about, why }]);
}
