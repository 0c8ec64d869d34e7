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

/** The rules of each agent that has some, by the id of its row in `agents.ts`, and those of all others. */
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

const { generic, shell, ...OF_AGENTS } = RULES;
const WHOLE_LISTS: ReadonlyMap<string, readonly Rule[]> = new Map(
  Object.entries(OF_AGENTS).map(([id, own]) => [id, withFallback(own)]),
);

/** What is tried in a pane of this kind; `owner` is the prefix of the fallback's id. */
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
 * By rule; nothing is told of what is no rule: time, a provider's own word, silence. A line is
 * `ids | about | why`: agents that share a rule share its words.
 */
export const NOTES: ReadonlyMap<string, RuleNote> = new Map(
  text.trimEnd().split("\n").flatMap(noteOf),
);

function noteOf(line: string): [string, RuleNote][] {
  const [ids = "", about = "", why = ""] = line.split(" | ");
  return ids.split(" ").map((id) => [id, { about, why }]);
}
