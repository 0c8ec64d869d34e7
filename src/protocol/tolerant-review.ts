import type { AgentEvent, AgentResume } from "./agent-replies.ts";
import {
  added,
  flag,
  list,
  nullable,
  number,
  object,
  open,
  type Reading,
  reading,
  record,
  text,
  type Unknown,
} from "./read.ts";
import type {
  AttentionReason,
  RankReason,
  Review,
  ReviewCounts,
  ReviewDue,
  Reviewed,
  ReviewedAll,
  ReviewGroup,
  ReviewSettings,
  TerminalItem,
} from "./review.ts";
import {
  absent,
  agent,
  blocker,
  body,
  context,
  decision,
  delta,
  type Open,
  progress,
  type SeenAgent,
  type SeenContext,
  type SeenDecision,
} from "./tolerant-agents.ts";

// What a client reads of reviews, of what changed since the last one, and of the frames that tell it
// to ask again; how it reads: `read.ts`. It loads with the workspace.

export type SeenResume = Omit<AgentResume, "agent" | "decisions" | "pending_decisions"> & {
  agent: { id: string; context: SeenContext };
  pending_decisions: SeenDecision[];
};
export type SeenGroup = Omit<
  ReviewGroup,
  "agent" | "decisions" | "rank_reason" | "attention_reasons"
> & {
  agent: SeenAgent;
  decisions: SeenDecision[];
  rank_reason: RankReason | Unknown;
  attention_reasons: (AttentionReason | Unknown)[];
};
export type SeenTerminalItem = Omit<Open<TerminalItem, "status">, "acknowledgeable">;
export type SeenReviewSettings = Omit<ReviewSettings, "urgent_bypass"> & {
  urgent_bypass: { pane_errors: boolean };
};
export type SeenReview = Omit<Review, "version" | "groups" | "terminal_items" | "settings"> & {
  settings: SeenReviewSettings;
  groups: SeenGroup[];
  terminal_items: SeenTerminalItem[];
};
export type SeenReviewSummary = Pick<SeenReview, "due" | "counts">;
export type SeenAgentEvent = Omit<Open<AgentEvent, "kind">, "resources">;

export type SeenAgentFrame =
  | { type: "hello" | "ping"; cursor: number }
  | { type: "reset"; cursor: number; reason: string }
  | { type: "agent_event"; cursor: number; event: SeenAgentEvent }
  /** A frame of a newer server: to be ignored. */
  | { type: "unknown" };

const settings = object<SeenReviewSettings>({
  enabled: flag,
  interval_minutes: nullable(number),
  next_due_at: nullable(number),
  last_digest_at: nullable(number),
  urgent_bypass: object({ pane_errors: flag }),
  min_interval_minutes: number,
  max_interval_minutes: number,
  presets: list(number),
});

const group = object<SeenGroup>({
  agent_id: text,
  agent,
  as_of_snapshot_id: nullable(text),
  as_of_snapshot_sequence: number,
  as_of_snapshot_at: nullable(number),
  reviewed_snapshot_id: nullable(text),
  reviewed_snapshot_sequence: number,
  reviewed_snapshot_at: nullable(number),
  reviewed_at: nullable(number),
  has_changes: flag,
  history_truncated: flag,
  changes: delta,
  decisions: list(decision),
  oldest_pending_decision_at: nullable(number),
  rank_reason: open<RankReason>({
    urgent_decision: true,
    error: true,
    pending_decision: true,
    new_blocker: true,
    changed: true,
  }),
  attention_reasons: list(
    open<AttentionReason>({
      urgent_decision: true,
      agent_error: true,
      extraction_degraded: true,
      pending_decision: true,
      terminal_required_decision: true,
      new_blocker: true,
      semantic_change: true,
    }),
  ),
});

const due = object<ReviewDue>({
  is_due: flag,
  urgent: flag,
  has_work: flag,
  next_due_at: nullable(number),
});

const counts = object<ReviewCounts>({
  agents_changed: number,
  pending_decisions: number,
  terminal_requests: number,
  total_cards: number,
  urgent_items: number,
});

const summary = object<SeenReviewSummary>({ due, counts });

const review = object<SeenReview>({
  generated_at: number,
  settings,
  due,
  counts,
  groups: list(group),
  terminal_items: list(
    object<SeenTerminalItem>({
      id: text,
      pane_id: text,
      status: open({ needs_input: true, error: true }),
      kind: text,
      updated_at: number,
    }),
  ),
});

const resume = object<SeenResume>({
  agent: object({ id: text, context }),
  changes: delta,
  pending_decisions: list(decision),
  goal: nullable(text),
  current_task: nullable(text),
  progress: nullable(progress),
  blockers: list(blocker),
  next_action: nullable(text),
  estimated_completion: nullable(text),
  baseline_snapshot_id: nullable(text),
  as_of_snapshot_id: nullable(text),
  history_truncated: flag,
});

const event = object<SeenAgentEvent>({
  kind: open({
    agent_updated: true,
    decision_updated: true,
    message_updated: true,
    history_deleted: true,
    review_updated: true,
    review_settings_updated: true,
    review_due: true,
  }),
  agent_id: text,
  revision: added(number, 0),
  decision_id: absent(text),
  message_id: absent(text),
  snapshot_id: absent(text),
});

/** One text frame of `/ws/agents`. */
export function readAgentFrame(frame: string): Reading<SeenAgentFrame> {
  return reading(() => {
    const members = record(JSON.parse(frame), "frame");
    const { type } = members;
    if (type === "hello" || type === "ping") return { type, cursor: cursorOf(members) };
    if (type === "reset")
      return {
        type,
        cursor: cursorOf(members),
        reason: added(text, "")(members["reason"], "reason"),
      };
    if (type === "agent_event")
      return { type, cursor: cursorOf(members), event: event(members["event"], "event") };
    return { type: "unknown" };
  });
}

const cursorOf = (members: Record<string, unknown>): number => number(members["cursor"], "cursor");

export const readResume = body(resume, "resume");
export const readReview = body(review, "review");
export const readReviewSummary = body(summary, "review");
export const readReviewSettings = body(settings, "settings");
const reviewed = object<Reviewed>({
  agent_id: added(text, ""),
  snapshot_id: text,
  snapshot_sequence: number,
  snapshot_at: number,
  reviewed_at: number,
  advanced: flag,
});
export const readReviewed = body(reviewed, "review");
export const readReviewedAll = body(object<ReviewedAll>({ reviewed: list(reviewed) }), "review");
