import type { AgentLifecycle, Association } from "../../protocol/agents.ts";
import type { PaneStatus } from "../../protocol/pane.ts";
import type { StatusFile } from "./claims.ts";

/** What is known at one moment of how a session does. */
export interface LifecycleSigns {
  association: Association;
  /** Status of the live pane of a confirmed session. */
  pane: Exclude<PaneStatus, "offline"> | null;
  /** What its own process says of itself. */
  process: StatusFile["status"];
  /** What the log alone supports. */
  log: AgentLifecycle;
  /** The log has a record that is newer than the end of its last binding. */
  isLogNewer?: boolean;
  /** Its program went on to another session. */
  hasMovedOn?: boolean;
  /** It was in a pane once, or nothing of it has been written for long. */
  isOver?: boolean;
}

/**
 * What a session does: the live pane of a confirmed one decides, and the log where there is none. A
 * log looks idle while a sub-agent works and after every failure, and a screen may be held up by a
 * panel: a process that says it works is believed over both of them.
 */
export function lifecycleOf(signs: LifecycleSigns): AgentLifecycle {
  const { association, pane, process, log } = signs;
  if (association === "confirmed" && pane !== null) {
    if (pane === "needs_input") return "waiting";
    if (pane === "error") return "error";
    if (pane === "working") return "working";
    if (process === "busy") return "working";
    return log === "error" ? "error" : "idle";
  }
  if (association !== "unavailable") return log;
  if (signs.hasMovedOn) return "offline";
  if (signs.isLogNewer) return log;
  if (log === "completed") return "completed";
  return signs.isOver ? "offline" : log;
}
