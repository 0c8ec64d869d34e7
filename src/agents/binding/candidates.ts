import type { AgentRuntime, Association } from "../../protocol/agents.ts";
import type { PaneClaims } from "./claims.ts";
import { type Conversation, isDrawnAs, type ShownMessage } from "./screen-words.ts";

/** A live pane in which a program of one of the runtimes runs; never a shell. */
export interface CandidatePane {
  id: string;
  target: string;
  /** Of pane, agent process and folder together: another process is another incarnation. */
  incarnation: string;
  runtime: AgentRuntime;
  folder: string;
  /** The home of the program's person: what it draws as `~`. */
  userHome: string;
  /** Real folder that the program draws as its session's; null when it draws none. */
  drawnFolder: string | null;
  /** Epoch seconds at which the agent's process and the pane's own began; those that are known. */
  starts: readonly number[];
  claims: PaneClaims;
  conversation: Conversation;
  /** No turn runs and nothing is asked: the screen shows all that it would show of a session. */
  isAtRest: boolean;
}

/** What of a session association looks at. */
export interface CandidateSession {
  id: string;
  runtime: AgentRuntime;
  nativeId: string;
  /** Folder that its records name, as written and without links; null when none does. */
  cwd: string | null;
  folder: string | null;
  /** Epoch seconds: first record or stated start, and last record. */
  beganAt: number | null;
  lastAt: number | null;
  /** Somebody types into it: no print mode, no exec, no sub-agent. */
  isInteractive: boolean;
  messages: readonly ShownMessage[];
  /** The newest of them; another one asks for the screen again. */
  newestMessage: string | null;
  before: PreviousBinding;
}

/** What made a binding; `released`: a person let it go, and nothing makes it again. */
export type BindingSource = "process" | "screen" | "alone" | "hand" | "released";

/** A binding that a person made or let go, with the incarnation that it speaks of. */
export interface HandBinding {
  incarnation: string;
  kind: "bound" | "released";
}

/** What is kept of earlier looks at a session, over restarts too. */
export interface PreviousBinding {
  /** The pane that showed it at the last look, and how that was known. */
  incarnation: string | null;
  source: BindingSource | null;
  /** The newest message at the time of a proof by screen. */
  newestMessage: string | null;
  /** Incarnations whose program went on to another session; they show no word of this one since. */
  left: readonly string[];
  hand: HandBinding | null;
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

export interface Candidate {
  pane: CandidatePane;
  /** 0 to 1. */
  confidence: number;
  reasons: readonly string[];
}

export interface MatchInput {
  panes: readonly CandidatePane[];
  sessions: readonly CandidateSession[];
}

/** The session works where the pane does, and the screen names no other folder. */
export function isInFolder(session: CandidateSession, pane: CandidatePane): boolean {
  const { folder } = session;
  if (folder === null || (folder !== pane.folder && folder !== pane.drawnFolder)) return false;
  return !isDrawnElsewhere(session, pane);
}

/** The screen names a folder that is not this session's. */
export function isDrawnElsewhere(
  { folder, cwd }: Pick<CandidateSession, "folder" | "cwd">,
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

/** Neither proof nor candidate. */
export const NO_MATCH: BindingResult = {
  association: "unavailable",
  pane: null,
  source: null,
  reasons: [],
  candidates: [],
  newestMessage: null,
  left: [],
};

export function confirmed(
  pane: CandidatePane,
  source: BindingSource,
  reason: string,
): BindingResult {
  return { ...NO_MATCH, association: "confirmed", pane, source, reasons: [reason] };
}

export const BOUND_BY_HAND = "A person bound it to this pane.";
