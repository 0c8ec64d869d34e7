import type { SeenAgent } from "../../../src/protocol/tolerant-agents.ts";
import { appearanceOf, canWrite, waits, type Pane } from "../pane.ts";

/** Longest message that the server takes, in characters. */
export const MESSAGE_LIMIT = 8000;

/** How many characters of a message are too many; 0 for one that may be sent. */
export function tooMany(text: string): number {
  // Never more characters than code units: they are counted only where it matters.
  if (text.length <= MESSAGE_LIMIT) return 0;
  return Math.max(0, Array.from(text).length - MESSAGE_LIMIT);
}

/** Why no message can be written to an agent from here now. */
export type WritingObstacle =
  /** An earlier input to its pane may have arrived. */
  | "in_doubt"
  | "no_connection"
  /** What is shown of the agent may be old. */
  | "not_updated"
  | "not_running"
  /** Which pane it runs in is not certain. */
  | "no_pane"
  /** Its pane cannot be read now. */
  | "unreadable"
  | "asks"
  | "failed"
  | "working"
  /** The server, its pane or its program takes no messages, for a reason that is not told. */
  | "takes_none"
  /** Something else is on its way to its pane. */
  | "busy";

export interface WritingFacts {
  readonly agent: SeenAgent;
  /** Its pane as it is known now; null when it is not listed. */
  readonly pane: Pane | null;
  /** The connection lets input through: Live, or Updating via REST. */
  readonly isConnected: boolean;
  /** The agents' socket is live, or the agent was read a moment ago. */
  readonly isFresh: boolean;
  readonly isDoubted: boolean;
  readonly isBusy: boolean;
}

/** Null when a message may be written: a confirmed agent that is idle in an idle pane, freshly seen. */
export function writingObstacle(facts: WritingFacts): WritingObstacle | null {
  const { agent, pane, isConnected, isFresh, isDoubted, isBusy } = facts;
  if (isDoubted) return "in_doubt";
  if (!isConnected) return "no_connection";
  if (!isFresh) return "not_updated";
  if (agent.lifecycle === "offline") return "not_running";
  if (agent.association !== "confirmed" || agent.pane_id === null) return "no_pane";
  if (pane === null) return "unreadable";
  const appearance = appearanceOf(pane);
  if (appearance === "offline" || appearance === "stale") return "unreadable";
  if (waits(pane) || agent.lifecycle === "waiting") return "asks";
  if (pane.status === "error" || agent.lifecycle === "error") return "failed";
  if (pane.status === "working" || agent.lifecycle === "working") return "working";
  const isIdle = pane.status === "idle" && agent.lifecycle === "idle";
  if (!isIdle || agent.capabilities.chat_send !== "idle_only" || !canWrite(pane))
    return "takes_none";
  return isBusy ? "busy" : null;
}
