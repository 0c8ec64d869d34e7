import type { Provenance } from "../../src/protocol/agents.ts";

/** What this page has words for; a source of a newer server goes unsaid. */
const KNOWN = {
  visible_user_message: true,
  visible_assistant_message: true,
  runtime_plan: true,
  runtime_task: true,
  runtime_title: true,
} as const satisfies Record<Provenance, true>;

// The keys of an object that has every source and no other.
export const PROVENANCES = Object.keys(KNOWN) as Provenance[];
