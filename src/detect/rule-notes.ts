import text from "./rules.txt";

/** What a person is told of a rule. Only `explain` and the documentation read it. */
export interface RuleNote {
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
