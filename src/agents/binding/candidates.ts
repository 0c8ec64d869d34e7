import type { AgentRuntime, Association } from "../../protocol/agents.ts";
import type { PaneClaims } from "./claims.ts";
import type { Conversation, ShownMessage } from "./screen-words.ts";

/** A live pane in which a program of one of the runtimes runs; never a shell. */
export interface CandidatePane {
  id: string;
  target: string;
  /** Of pane, agent process and folder together: another process is another incarnation. */
  incarnation: string;
  runtime: AgentRuntime;
  /** Real folder of the agent's process, else of the pane. */
  folder: string;
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
  /** Real folder that its records name; null when none does. */
  folder: string | null;
  /** Epoch seconds: first record or stated start, and last record. */
  beganAt: number | null;
  lastAt: number | null;
  /** Somebody types into it: no print mode, no exec, no sub-agent. */
  isInteractive: boolean;
  /** Its newest visible messages, oldest first. */
  messages: readonly ShownMessage[];
  /** The newest of them; another one asks for the screen again. */
  newestMessage: string | null;
}

export type Source = "process" | "screen" | "alone" | "hand";

/** A binding that a person made or let go, with the incarnation that it speaks of. */
export interface HandBinding {
  incarnation: string;
  kind: "bound" | "released";
}

export interface Verdict {
  association: Association;
  /** Set when confirmed. */
  pane: CandidatePane | null;
  source: Source | null;
  /** Why: of the binding when confirmed, of each candidate otherwise. */
  reasons: readonly string[];
  candidates: readonly Candidate[];
  /** The newest message at the time of the proof. */
  newestMessage: string | null;
  /** The incarnation whose program went on to another session; it shows no word of this one since. */
  left: string | null;
  /** A person let go of a pane that is still there; it is the one candidate. */
  isReleased: boolean;
}

export interface Candidate {
  pane: CandidatePane;
  /** 0 to 1. */
  confidence: number;
  reasons: readonly string[];
}

export interface AssociationInput {
  panes: readonly CandidatePane[];
  sessions: readonly CandidateSession[];
  /** The verdicts of the pass before, by session id. */
  before: ReadonlyMap<string, Verdict>;
  /** By session id. */
  hands: ReadonlyMap<string, HandBinding>;
}

export function isInFolder(session: CandidateSession, pane: CandidatePane): boolean {
  return session.folder === pane.folder;
}

export function isNewer(a: CandidateSession, b: CandidateSession): boolean {
  return (a.lastAt ?? 0) > (b.lastAt ?? 0);
}

/** Neither proof nor candidate. */
export const NOTHING: Verdict = {
  association: "unavailable",
  pane: null,
  source: null,
  reasons: [],
  candidates: [],
  newestMessage: null,
  left: null,
  isReleased: false,
};

/** What a person said of a pane, before and after it is weighed against the rest. */
export function byHand(pane: CandidatePane): Verdict {
  const reasons = ["A person bound it to this pane."];
  return { ...NOTHING, association: "confirmed", pane, source: "hand", reasons };
}
