import type { AgentLifecycle, AgentRuntime } from "../../protocol/agents.ts";
import type { PaneState } from "../../protocol/pane.ts";
import { type Binding, type BindingSource, type PaneMatch, NO_MATCH } from "../session.ts";
import type { PaneClaims } from "./processes.ts";
import { type Conversation, isDrawnAs, type MessageEdges } from "./conversation.ts";

/** A live pane in which one of the runtimes runs. */
export interface CandidatePane {
  id: string;
  target: string;
  name: string;
  /** Of pane, agent process and folder together: another process is another incarnation. */
  incarnation: string;
  runtime: AgentRuntime;
  folder: string;
  /** The home folder that the program draws as `~`. */
  userHome: string;
  /** Real path of the folder that the program draws as its session's; null when it draws none. */
  drawnFolder: string | null;
  /** Epoch seconds at which the agent's process began; null when unknown. */
  startedAt: number | null;
  claims: PaneClaims;
  conversation: Conversation;
  /** No turn runs and nothing is asked: the screen shows all that it would of a session. */
  isAtRest: boolean;
}

export interface CandidateSession {
  id: string;
  runtime: AgentRuntime;
  nativeId: string;
  /** Folder that its records name, as written and with links resolved; null when none does. */
  cwd: string | null;
  folder: string | null;
  /** Epoch seconds of the stated start, or of the first record; and of the last record. */
  beganAt: number | null;
  lastAt: number | null;
  /** A person types into it: no print mode, no exec, no sub-agent. */
  isInteractive: boolean;
  messages: readonly MessageEdges[];
  /** Id of the newest message; a proof by screen holds until another one is written. */
  newestMessage: string | null;
  before: Binding;
}

export function isInFolder(session: CandidateSession, pane: CandidatePane): boolean {
  const { folder } = session;
  if (folder === null || (folder !== pane.folder && folder !== pane.drawnFolder)) return false;
  return !isDrawnElsewhere(session, pane);
}

export function isDrawnElsewhere(
  { folder, cwd }: CandidateSession,
  { conversation, userHome, drawnFolder }: CandidatePane,
): boolean {
  const { folder: drawn } = conversation;
  if (drawn === null) return false;
  return ![folder, cwd].some(
    (path) => path !== null && (path === drawnFolder || isDrawnAs(path, drawn, userHome)),
  );
}

const NEVER = Number.NEGATIVE_INFINITY;

export function isNewer(a: CandidateSession, b: CandidateSession): boolean {
  return (a.lastAt ?? NEVER) > (b.lastAt ?? NEVER);
}

/** @param confidence that it is in one of them */
export function possibleMatch(
  panes: readonly CandidatePane[],
  confidence: number,
  reason: string,
): PaneMatch {
  const candidates = panes.map(({ id, target, name }) => ({
    ...{ pane_id: id, target, pane_target: target, label: name },
    ...{ confidence: confidence / panes.length, reasons: [reason] },
  }));
  const association = (["unavailable", "probable"] as const)[panes.length] ?? "ambiguous";
  return { ...NO_MATCH, association, candidates };
}

export function confirmedMatch(
  pane: CandidatePane,
  source: BindingSource,
  reason: string,
): PaneMatch {
  const { candidates } = possibleMatch([pane], 1, reason);
  const { id: paneId, target, incarnation } = pane;
  return { ...NO_MATCH, association: "confirmed", paneId, target, incarnation, source, candidates };
}

/** The pane of a released session stays its one candidate, while that program runs there. */
export function releasedMatch(pane: CandidatePane): PaneMatch {
  const { candidates } = possibleMatch([pane], 0, "A person let it go.");
  return { ...NO_MATCH, source: "released", incarnation: pane.incarnation, candidates };
}

/**
 * The same object when nothing is different. The revision counts changes of association, pane,
 * process and source, and nothing else.
 */
export function nextBinding(before: Binding, match: PaneMatch): Binding {
  const next = { ...before, ...match };
  const isChange = (["association", "incarnation", "source"] as const).some(
    (member) => before[member] !== next[member],
  );
  if (isChange) return { ...next, revision: before.revision + 1 };
  return Bun.deepEquals(before, next) ? before : next;
}

/**
 * The live pane decides: a log looks idle while a sub-agent works and after every failure. A
 * process that says it works is believed over both, since a panel may cover its screen.
 */
export function lifecycleIn(
  { state, claims }: { state: Pick<PaneState, "status">; claims: PaneClaims },
  log: AgentLifecycle,
): AgentLifecycle {
  if (state.status === "needs_input") return "waiting";
  if (state.status === "error") return "error";
  if (state.status === "working" || claims.status?.status === "busy") return "working";
  return log === "error" ? "error" : "idle";
}
