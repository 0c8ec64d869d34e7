import type {
  AgentSession,
  Association,
  BindingCandidate,
  DecisionItem,
} from "../protocol/agents.ts";
import type { PreviousBinding } from "./binding/candidates.ts";
import type { AskedQuestion } from "./logs/events.ts";

/** What a session's log tells of it beside its words; none of it reaches a reply. */
export interface SessionFacts {
  /** Of the first record that names one; later ones follow the shell's `cd`. */
  cwd: string | null;
  version: string | null;
  /** Epoch seconds of the oldest and the newest record. */
  firstAt: number | null;
  lastAt: number | null;
  /** When the session says that it was made. */
  startedAt: number | null;
  forkedFrom: string | null;
  isTyped: boolean;
  /** Files of this session, oldest first. */
  logs: string[];
}

/** Which pane shows a session, and what the next look at it begins with. */
export interface Binding extends PreviousBinding {
  association: Association;
  paneId: string | null;
  target: string | null;
  revision: number;
  candidates: BindingCandidate[];
}

export const UNBOUND: Binding = {
  association: "unavailable",
  paneId: null,
  target: null,
  revision: 0,
  incarnation: null,
  source: null,
  candidates: [],
  newestMessage: null,
  left: [],
  hand: null,
};

/** Per-session capabilities that the live pane decides. */
export interface LiveCapabilities {
  chat_send: AgentSession["capabilities"]["chat_send"];
  decision_reply: AgentSession["capabilities"]["decision_reply"];
}

/** One session with all that is known of it. */
export interface KnownSession {
  session: AgentSession;
  facts: SessionFacts;
  binding: Binding;
  /** What the log alone supports. */
  logLifecycle: AgentSession["lifecycle"];
}

/** One decision with what the runtime asked. */
export interface KnownDecision {
  decision: DecisionItem;
  asked: Asked;
}

/** What the runtime wrote of an open request. */
export type Asked =
  | { kind: "question"; question: AskedQuestion; index: number; count: number }
  | { kind: "plan_approval"; plan: string };
