import { z } from "zod";
import { AgentSession, ContextDelta, DecisionItem } from "./agents.ts";

export const REVIEW_VERSION = 1;
export const MIN_INTERVAL_MINUTES = 5;
export const MAX_INTERVAL_MINUTES = 1440;
export const INTERVAL_PRESETS: readonly number[] = [30, 60];

export const ReviewSettings = z.object({
  enabled: z.boolean(),
  interval_minutes: z.int().nullable(),
  /** Epoch seconds; null while batching is off. */
  next_due_at: z.number().nullable(),
  last_digest_at: z.number().nullable(),
  urgent_bypass: z.object({
    high_critical_decisions: z.literal(true),
    pane_errors: z.boolean(),
  }),
  min_interval_minutes: z.int(),
  max_interval_minutes: z.int(),
  presets: z.array(z.int()),
});
export type ReviewSettings = z.infer<typeof ReviewSettings>;

/** An interval of null switches batching off; an absent one changes nothing. */
export const ReviewSettingsPatch = z.object({
  interval_minutes: z.int().min(MIN_INTERVAL_MINUTES).max(MAX_INTERVAL_MINUTES).nullish(),
  urgent_pane_errors: z.boolean().optional(),
});
export type ReviewSettingsPatch = z.infer<typeof ReviewSettingsPatch>;

/** In the order of ranking; a card has the first reason that applies. */
export const RankReason = z.enum([
  "urgent_decision",
  "error",
  "pending_decision",
  "new_blocker",
  "changed",
]);
export type RankReason = z.infer<typeof RankReason>;

export const AttentionReason = z.enum([
  "urgent_decision",
  "agent_error",
  "extraction_degraded",
  "pending_decision",
  "terminal_required_decision",
  "new_blocker",
  "semantic_change",
]);
export type AttentionReason = z.infer<typeof AttentionReason>;

/** One agent's card. Without a snapshot its sequence is 0 and its other members are null. */
export const ReviewGroup = z.object({
  agent_id: z.string(),
  agent: AgentSession,
  as_of_snapshot_id: z.string().nullable(),
  as_of_snapshot_sequence: z.int(),
  as_of_snapshot_at: z.number().nullable(),
  reviewed_snapshot_id: z.string().nullable(),
  reviewed_snapshot_sequence: z.int(),
  reviewed_snapshot_at: z.number().nullable(),
  reviewed_at: z.number().nullable(),
  has_changes: z.boolean(),
  history_truncated: z.boolean(),
  changes: ContextDelta,
  /** Those that are `pending`, or `unknown`: their answer may not have arrived. */
  decisions: z.array(DecisionItem),
  oldest_pending_decision_at: z.number().nullable(),
  rank_reason: RankReason,
  attention_reasons: z.array(AttentionReason),
});
export type ReviewGroup = z.infer<typeof ReviewGroup>;

/** A pane that asks or failed without an agent's card; nothing of its screen is told. */
export const TerminalItem = z.object({
  /** `pane:` and the pane's id. */
  id: z.string(),
  pane_id: z.string(),
  status: z.enum(["needs_input", "error"]),
  kind: z.string(),
  updated_at: z.number(),
  acknowledgeable: z.literal(false),
});
export type TerminalItem = z.infer<typeof TerminalItem>;

export const ReviewDue = z.object({
  is_due: z.boolean(),
  urgent: z.boolean(),
  has_work: z.boolean(),
  next_due_at: z.number().nullable(),
});
export type ReviewDue = z.infer<typeof ReviewDue>;

export const ReviewCounts = z.object({
  agents_changed: z.int(),
  pending_decisions: z.int(),
  terminal_requests: z.int(),
  total_cards: z.int(),
  urgent_items: z.int(),
});
export type ReviewCounts = z.infer<typeof ReviewCounts>;

export const Review = z.object({
  version: z.literal(REVIEW_VERSION),
  generated_at: z.number(),
  settings: ReviewSettings,
  due: ReviewDue,
  counts: ReviewCounts,
  groups: z.array(ReviewGroup),
  terminal_items: z.array(TerminalItem),
});
export type Review = z.infer<typeof Review>;

export const ReviewRequest = z.object({ snapshot_id: z.string().min(1).max(160) });

/** Reply of `GET /api/review?counts=1`. By `waiting` a page counts cards that it does not show. */
export const ReviewSummary = Review.pick({ due: true, counts: true }).extend({
  /** Agents with an open decision, and their panes where those are certain. */
  waiting: z.array(z.object({ agent_id: z.string(), pane_id: z.string().nullable() })),
});
export type ReviewSummary = z.infer<typeof ReviewSummary>;

/** More than one reply of the review holds. */
const MAX_MARKS = 1000;

/** Body of `PUT /api/review/all`. */
export const ReviewAllRequest = z.object({
  snapshots: z
    .array(z.object({ agent_id: z.string().min(1).max(160), ...ReviewRequest.shape }))
    .max(MAX_MARKS),
});
export type ReviewAllRequest = z.infer<typeof ReviewAllRequest>;

export const ReviewMark = z.object({
  agent_id: z.string(),
  snapshot_id: z.string(),
  snapshot_sequence: z.int(),
  snapshot_at: z.number(),
  reviewed_at: z.number(),
  /** False: this snapshot or a newer one was already reviewed. */
  advanced: z.boolean(),
});
export type ReviewMark = z.infer<typeof ReviewMark>;

export const ReviewMarks = z.object({ reviewed: z.array(ReviewMark) });
export type ReviewMarks = z.infer<typeof ReviewMarks>;
