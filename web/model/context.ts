import type { SeenAgent } from "../../src/protocol/tolerant-agents.ts";
import type { Pane } from "./pane.ts";

/** From here on it is shown at all. */
const SHOWN_FROM = 70;
/** From here on the queue says it. */
const NOTED_FROM = 85;
/** From here on it compacts soon. */
const HIGH_FROM = 90;

/** How full a context is: the screen tells it now, a log with the last reply. Null: neither does. */
function percentOf(pane: Pane | null, agent: SeenAgent | null): number | null {
  return pane?.context_percent ?? agent?.context_percent ?? null;
}

/** Null where it is not told, or does not matter yet. */
export function contextBar(pane: Pane | null, agent: SeenAgent | null, from = SHOWN_FROM) {
  const percent = percentOf(pane, agent);
  if (percent === null || percent < from) return null;
  return { percent, isHigh: percent >= HIGH_FROM };
}

export function contextNote(pane: Pane | null, agent: SeenAgent | null): number | null {
  const percent = percentOf(pane, agent);
  return percent !== null && percent >= NOTED_FROM ? percent : null;
}

const COMPACTS: Readonly<Record<string, string>> = {
  agent_a: "/compact",
  agent_b: "/compact",
  agent_d: "/compact",
};

/** What an agent is told to compact its context; null for programs that know no such command. */
export const compactCommand = ({ agent }: Pick<Pane, "agent">): string | null =>
  COMPACTS[agent?.id ?? ""] ?? null;
