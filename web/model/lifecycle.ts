import type { SeenAgent } from "../../src/protocol/tolerant-agents.ts";
import { isHeldByLog } from "./parked.ts";
import { isParked, lastLine, waits, type Appearance, type Pane } from "./pane.ts";

/** What an agent does, as a person is told it. */
type Doing = SeenAgent["lifecycle"] | "parked";

const APPEARANCES: Readonly<Record<Doing, Appearance>> = {
  observing: "idle",
  working: "working",
  idle: "idle",
  waiting: "needs_input",
  completed: "finished",
  error: "error",
  parked: "parked",
  offline: "offline",
  unknown: "unknown",
};

/** The shape of a session's state, as its pane would have it. */
export const appearanceOfAgent = ({ lifecycle }: Pick<SeenAgent, "lifecycle">): Appearance =>
  APPEARANCES[lifecycle];

/** Whether its program has ended: what is left of it is what was read. */
export const isOver = ({ lifecycle }: Pick<SeenAgent, "lifecycle">): boolean =>
  lifecycle === "offline";

/** Whether an agent waits for a person, by its screen or by its log. */
export function isWaiting(agent: SeenAgent, pane: Pane | null): boolean {
  if (pane !== null && waits(pane)) return true;
  return agent.lifecycle === "waiting" || (!isOver(agent) && agent.pending_decisions_count > 0);
}

/** Its pane knows better than its log. */
export function doingOf(agent: SeenAgent, pane: Pane | null): Doing {
  if (pane === null ? isHeldByLog(agent) : isParked(pane)) return "parked";
  return isWaiting(agent, pane) ? "waiting" : agent.lifecycle;
}

export const shapeOfAgent = (agent: SeenAgent, pane: Pane | null): Appearance =>
  APPEARANCES[doingOf(agent, pane)];

/** What an agent that rests said last, by its log, else by its screen. */
export const lastSaid = (pane: Pane, agent: SeenAgent | null): string =>
  agent?.context.progress_summary || lastLine(pane);

/** The agents of a list whose name, goal or place has every word of `search`, in the server's order. */
export function findAgents(
  agents: readonly SeenAgent[],
  search: string,
  textOf: (agent: SeenAgent) => string,
): readonly SeenAgent[] {
  const words = search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  return agents.filter((agent) => {
    const text = textOf(agent).toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
