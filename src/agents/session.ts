import { sha256 } from "../lib/digest.ts";
import type {
  AgentSession,
  Association,
  BindingCandidate,
  DecisionItem,
} from "../protocol/agents.ts";
import type { LoggedQuestion } from "./logs/events.ts";

/** A UUID (version 8) made from words: links and cursors of clients outlive a second import. */
export function uuidOf(...parts: readonly string[]): string {
  const digest = sha256(JSON.stringify(parts)).toString("hex");
  const variant = ((Number.parseInt(digest[16] ?? "0", 16) & 0x3) | 0x8).toString(16);
  return [
    digest.slice(0, 8),
    digest.slice(8, 12),
    `8${digest.slice(13, 16)}`,
    `${variant}${digest.slice(17, 20)}`,
    digest.slice(20, 32),
  ].join("-");
}

/** Facts from a session's log; none of them reaches a reply. */
export interface SessionFacts {
  /** From the first record that names a folder; later records follow the shell's `cd`. */
  cwd: string | null;
  /** Epoch seconds of the oldest and the newest record. */
  firstAt: number | null;
  lastAt: number | null;
  /** Epoch seconds at which the session says that it was made. */
  startedAt: number | null;
  forkedFrom: string | null;
  isTyped: boolean;
}

/** What proved a binding; `released`: a person released it, and nothing binds it again. */
export type BindingSource = "process" | "screen" | "alone" | "hand" | "released";

/** A binding that a person made or released, for one incarnation of a pane. */
export interface HandBinding {
  incarnation: string;
  kind: "bound" | "released";
}

/** The pane of a session, as one pass finds it. */
export interface PaneMatch {
  association: Association;
  /** Set when confirmed. */
  paneId: string | null;
  target: string | null;
  /** The pane that shows the session, or that it was released from. */
  incarnation: string | null;
  source: BindingSource | null;
  /** With the evidence; of a confirmed match its own pane. Ids are made when they are published. */
  candidates: readonly Omit<BindingCandidate, "id">[];
  /** The newest message at the time of a proof by screen. */
  newestMessage: string | null;
  /** Incarnations whose program went on to another session, and shows no word of this one since. */
  left: readonly string[];
}

export const NO_MATCH: PaneMatch = {
  association: "unavailable",
  paneId: null,
  target: null,
  incarnation: null,
  source: null,
  candidates: [],
  newestMessage: null,
  left: [],
};

/** The last match, as it is stored. */
export interface Binding extends PaneMatch {
  revision: number;
  /** It outlives a stopped program, until another program runs in the pane. */
  hand: HandBinding | null;
}

export const UNBOUND: Binding = { ...NO_MATCH, revision: 0, hand: null };

export interface KnownSession {
  session: AgentSession;
  facts: SessionFacts;
  binding: Binding;
  logLifecycle: AgentSession["lifecycle"];
}

export interface KnownDecision {
  decision: DecisionItem;
  request: AgentRequest;
}

export interface AgentAlerts {
  /** Called once for each structured request that a screen shows. */
  noteDecision(decision: DecisionItem, paneId: string): void;
  /** A review is due and has work. */
  sendDigest(): void;
}

/** An open request, as the runtime's log has it. */
export type AgentRequest =
  | { kind: "question"; question: LoggedQuestion; index: number; count: number }
  | { kind: "plan_approval"; plan: string };

/** A person saw the session's page (`visit`), or marked its card as reviewed. */
export type MarkKind = "visit" | "review";

/** The snapshot up to which a person has looked; it may have been pruned since. */
export interface Mark {
  snapshot_id: string;
  snapshot_sequence: number;
  /** Epoch seconds; null once it was pruned. */
  snapshot_at: number | null;
  marked_at: number;
}
