import type { AgentLifecycle, Association, BindingCandidate } from "../../protocol/agents.ts";
import type { PaneStatus } from "../../protocol/pane.ts";
import { type Binding, uuidOf } from "../known.ts";
import {
  BOUND_BY_HAND,
  type Candidate,
  type CandidatePane,
  confirmed,
  type BindingResult,
} from "./candidates.ts";
import type { StatusFile } from "./claims.ts";

/** What a pane is called where a person chooses among candidates. */
type LabelOf = (pane: CandidatePane) => string;

/**
 * The binding that a match makes of the one before: the same object when nothing is different.
 * The revision counts changes of association, pane, process and source, and nothing else.
 */
export function nextBinding(
  sessionId: string,
  before: Binding,
  match: BindingResult,
  labelOf: LabelOf,
): Binding {
  const candidates = match.candidates.map((each) => publicCandidate(sessionId, each, labelOf));
  const released = match.source === "released" ? before.hand : null;
  const next: Binding = {
    association: match.association,
    paneId: match.pane?.id ?? null,
    target: match.pane?.target ?? null,
    incarnation: match.pane?.incarnation ?? released?.incarnation ?? null,
    source: match.source,
    candidates,
    revision: before.revision,
    newestMessage: match.newestMessage,
    left: match.left,
    // What a person said outlives a program that is stopped for a while, and no other one.
    hand: before.hand,
  };
  if (isChange(before, next)) return { ...next, revision: before.revision + 1 };
  return Bun.deepEquals(before, next) ? before : next;
}

/** A person binds a session to a pane; the same word again changes nothing. */
export function boundBinding(sessionId: string, before: Binding, pane: CandidatePane): Binding {
  const { incarnation } = pane;
  const said: Binding = { ...before, hand: { incarnation, kind: "bound" } };
  const match = { ...confirmed(pane, "hand", BOUND_BY_HAND), left: before.left };
  return nextBinding(sessionId, said, match, () => "");
}

/** A person lets a binding go: it is not made again while the same program runs there. */
export function releasedBinding(before: Binding): Binding {
  const { incarnation } = before;
  return {
    ...before,
    association: "unavailable",
    paneId: null,
    target: null,
    source: "released",
    candidates: [],
    revision: before.revision + 1,
    hand: incarnation === null ? null : { incarnation, kind: "released" },
  };
}

function isChange(before: Binding, next: Binding): boolean {
  return (
    before.association !== next.association ||
    before.incarnation !== next.incarnation ||
    before.source !== next.source
  );
}

function publicCandidate(
  sessionId: string,
  { pane, confidence, reasons }: Candidate,
  labelOf: LabelOf,
): BindingCandidate {
  return {
    id: uuidOf("candidate", sessionId, pane.id),
    pane_id: pane.id,
    target: pane.target,
    pane_target: pane.target,
    label: labelOf(pane),
    confidence,
    reasons: [...reasons],
  };
}

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
