import type { AgentLifecycle, AgentRuntime, Association } from "../../protocol/agents.ts";
import type { PaneState } from "../../protocol/pane.ts";
import { type Binding, type BindingSource, type PreviousBinding, uuidOf } from "../session.ts";
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
  before: PreviousBinding;
}

export interface BindingResult {
  association: Association;
  /** Set when confirmed. */
  pane: CandidatePane | null;
  source: BindingSource | null;
  reasons: readonly string[];
  candidates: readonly Candidate[];
  newestMessage: string | null;
  left: readonly string[];
}

interface Candidate {
  pane: CandidatePane;
  /** 0 to 1. */
  confidence: number;
  reasons: readonly string[];
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

export const NO_MATCH: BindingResult = {
  association: "unavailable",
  pane: null,
  source: null,
  reasons: [],
  candidates: [],
  newestMessage: null,
  left: [],
};

export function confirmedMatch(
  pane: CandidatePane,
  source: BindingSource,
  reason: string,
): BindingResult {
  return { ...NO_MATCH, association: "confirmed", pane, source, reasons: [reason] };
}

/**
 * The same object when nothing is different. The revision counts changes of association, pane,
 * process and source, and nothing else.
 */
export function nextBinding(sessionId: string, before: Binding, match: BindingResult): Binding {
  const candidates = match.candidates.map(({ pane, confidence, reasons }) => ({
    id: uuidOf("candidate", sessionId, pane.id),
    ...{ pane_id: pane.id, target: pane.target, pane_target: pane.target },
    ...{ label: pane.name, confidence, reasons: [...reasons] },
  }));
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
    // A binding by hand outlives a stopped program, until another program runs in the pane.
    hand: before.hand,
  };
  const isChange = (["association", "incarnation", "source"] as const).some(
    (member) => before[member] !== next[member],
  );
  if (isChange) return { ...next, revision: before.revision + 1 };
  return Bun.deepEquals(before, next) ? before : next;
}

/** The pane of a released session stays its one candidate, while that program runs there. */
export function releasedMatch(pane: CandidatePane | null): BindingResult {
  const candidates = pane ? [{ pane, confidence: 0, reasons: ["A person let it go."] }] : [];
  return { ...NO_MATCH, source: "released", candidates };
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
