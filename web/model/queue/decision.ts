import type { SeenAgent, SeenDecision } from "../../../src/protocol/tolerant-agents.ts";
import { holdsAnswers, type Attempt } from "../attempt.ts";
import { FRESH_MS, SHIELD_MS } from "../guard.ts";

/** What was on the screen when a choice was made: ids and digests, no words of the agent. */
export interface SeenGuard {
  readonly revision: number;
  readonly binding_revision: number;
  readonly prompt_fingerprint: string;
  readonly options_fingerprint: string;
}

/** Null for a decision whose prompt nobody has met: it cannot be answered from here. */
export function guardOf(decision: SeenDecision): SeenGuard | null {
  const { revision, binding_revision, prompt_fingerprint, options_fingerprint } = decision;
  if (prompt_fingerprint === null) return null;
  return { revision, binding_revision, prompt_fingerprint, options_fingerprint };
}

/** Everything that a person reads and that the server compares, as one text. */
export function signatureOf(decision: SeenDecision): string {
  return JSON.stringify([
    decision.id,
    guardOf(decision),
    decision.title,
    decision.description,
    decision.options.map(({ id, label }) => [id, label]),
  ]);
}

export const isSameGuard = (a: SeenGuard, b: SeenGuard): boolean =>
  a.revision === b.revision &&
  a.binding_revision === b.binding_revision &&
  a.prompt_fingerprint === b.prompt_fingerprint &&
  a.options_fingerprint === b.options_fingerprint;

/** Why a decision takes no answer from this screen. */
export type Obstacle =
  /** Only the terminal can take it: several choices, no proof of its pane, another server's words. */
  | "terminal"
  /** It was sent, and nobody knows whether it arrived. */
  | "uncertain"
  /** It is on its way. */
  | "submitting"
  /** It has ended. */
  | "over"
  /** What is shown may be old. */
  | "stale";

export interface AnswerFacts {
  decision: SeenDecision;
  agent: SeenAgent;
  /** The agents' socket is live, or this was read a moment ago. */
  isFresh: boolean;
  /** An earlier input to its pane may not have arrived. */
  isDoubted: boolean;
}

export const isOver = ({ status }: SeenDecision): boolean =>
  status === "resolved" || status === "superseded";

/** Null when its options may be chosen. */
export function obstacleOf(facts: AnswerFacts): Obstacle | null {
  const { decision, agent, isFresh, isDoubted } = facts;
  const { status } = decision;
  if (isOver(decision)) return "over";
  if (status === "submitting") return "submitting";
  if (status === "unknown" || isDoubted) return "uncertain";
  const isSafe =
    status === "pending" &&
    decision.review_status === "actionable" &&
    !decision.multi_select &&
    guardOf(decision) !== null &&
    agent.association === "confirmed" &&
    agent.capabilities.decision_reply === "verified_terminal";
  if (!isSafe) return "terminal";
  return isFresh ? null : "stale";
}

/** Whether what is shown of the agents can be acted on without asking first. */
export const isFresh = (isLive: boolean, readAtMs: number, nowMs: number): boolean =>
  isLive || nowMs - readAtMs < FRESH_MS;

/** Who ended a decision, as far as this screen knows. */
export type Ender =
  | "here"
  | "elsewhere"
  /** What was sent from here may be what ended it. */
  | "unclear"
  /** The agent went on by itself. */
  | "nobody";

export function enderOf(
  { status, selected_option_id: chosen }: SeenDecision,
  attempt: Attempt<{ readonly optionId: string }> | null,
): Ender {
  if (status === "superseded") return "nobody";
  if (!holdsAnswers(attempt)) return "elsewhere";
  if (chosen !== null) return chosen === attempt.sent.optionId ? "here" : "elsewhere";
  // Nobody but the terminal has said that it ended.
  return attempt.step === "sent" || attempt.step === "done" ? "here" : "unclear";
}

export interface ReleaseFacts {
  /** Signature when the finger went down. */
  readonly pressed: string;
  /** Of the decision as the server has it now; null when it is gone. */
  readonly latest: string | null;
  readonly obstacle: Obstacle | null;
  /** Milliseconds since the card last changed or moved. */
  readonly steadyMs: number;
}

export type ReleaseVerdict = "send" | "changed" | "moved" | "blocked";

/** Decides what a released press may do; the decision has been read again before. */
export function judgeRelease(facts: ReleaseFacts): ReleaseVerdict {
  if (facts.latest !== facts.pressed) return "changed";
  if (facts.obstacle !== null) return "blocked";
  return facts.steadyMs < SHIELD_MS ? "moved" : "send";
}
