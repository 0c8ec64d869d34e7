import type { SeenAgent } from "../../src/protocol/tolerant-agents.ts";
import type { Appearance } from "./pane.ts";

const APPEARANCES: Readonly<Record<SeenAgent["lifecycle"], Appearance>> = {
  observing: "idle",
  working: "working",
  idle: "idle",
  waiting: "needs_input",
  completed: "finished",
  error: "error",
  offline: "offline",
  unknown: "unknown",
};

/** The shape of a session's state, as its pane would have it. */
export const appearanceOfAgent = ({ lifecycle }: SeenAgent): Appearance => APPEARANCES[lifecycle];

/** Whether its program has ended: what is left of it is what was read. */
export const isOver = ({ lifecycle }: SeenAgent): boolean => lifecycle === "offline";

/** What a list of sessions can be narrowed to. */
export const SESSION_FILTERS = ["waiting", "error", "working", "uncertain", "over"] as const;
export type SessionFilter = (typeof SESSION_FILTERS)[number];

export function isInSessionFilter(agent: SeenAgent, filter: SessionFilter | null): boolean {
  if (filter === null) return true;
  if (filter === "over") return isOver(agent);
  if (filter === "uncertain") return !isOver(agent) && agent.association !== "confirmed";
  return agent.lifecycle === filter;
}

/**
 * The agents of a list whose name, goal or place has every word of `search`, those that still run
 * before the others, each in the server's order.
 */
export function findAgents(
  agents: readonly SeenAgent[],
  search: string,
  textOf: (agent: SeenAgent) => string,
): { readonly running: readonly SeenAgent[]; readonly over: readonly SeenAgent[] } {
  const words = search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  const found = agents.filter((agent) => {
    const text = textOf(agent).toLowerCase();
    return words.every((word) => text.includes(word));
  });
  return {
    running: found.filter((agent) => !isOver(agent)),
    over: found.filter(isOver),
  };
}
