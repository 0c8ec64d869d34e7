import type { Change } from "../agents/store/snapshots.ts";
import type { DecisionItem } from "../protocol/agents.ts";
import {
  ATTENTION_REASONS,
  type AttentionReason,
  type RankReason,
  type ReviewGroup,
} from "../protocol/review.ts";

/** With every decision that is neither resolved nor superseded. */
export type ReviewWork = Change & { decisions: readonly DecisionItem[] };

const TIERS: readonly RankReason[] = [
  "urgent_decision",
  "error",
  "pending_decision",
  "new_blocker",
  "changed",
];

interface Ranked {
  group: ReviewGroup;
  tier: number;
  time: number;
}

export function rank(works: readonly ReviewWork[]): ReviewGroup[] {
  return works
    .flatMap((work) => cardOf(work) ?? [])
    .sort((a, b) => a.tier - b.tier || a.time - b.time || compare(a.group, b.group))
    .map(({ group }) => group);
}

function compare(a: ReviewGroup, b: ReviewGroup): number {
  if (a.agent_id === b.agent_id) return 0;
  return a.agent_id < b.agent_id ? -1 : 1;
}

export const isUrgent = ({ status, priority }: DecisionItem): boolean =>
  status === "pending" && (priority === "high" || priority === "critical");

function cardOf(work: ReviewWork): Ranked | null {
  const { agent, current, baseline, changes } = work;
  if (!current) return null;
  // A reply on its way is neither work nor in doubt.
  const decisions = work.decisions.filter(
    ({ status }) => status === "pending" || status === "unknown",
  );
  const isUnreviewed = !baseline || baseline.sequence < current.sequence;
  const has_changes = isUnreviewed && Object.keys(changes).length > 0;
  const reasons = attentionOf(work, { decisions, isUnreviewed, has_changes });
  if (reasons.size === 0) return null;
  const times = timesOf(work, decisions, reasons);
  const tier = TIERS.findIndex((reason) => times[reason] !== null);
  const rank_reason = TIERS[tier] ?? "changed";
  const group: ReviewGroup = {
    agent_id: agent.id,
    agent,
    as_of_snapshot_id: current.id,
    as_of_snapshot_sequence: current.sequence,
    as_of_snapshot_at: current.at,
    reviewed_snapshot_id: baseline?.id ?? null,
    reviewed_snapshot_sequence: baseline?.sequence ?? 0,
    reviewed_snapshot_at: baseline?.at ?? null,
    reviewed_at: baseline?.markedAt ?? null,
    has_changes,
    history_truncated: work.historyTruncated,
    changes: has_changes ? changes : {},
    decisions,
    oldest_pending_decision_at: oldest(decisions.filter(({ status }) => status === "pending")),
    rank_reason,
    attention_reasons: ATTENTION_REASONS.filter((reason) => reasons.has(reason)),
  };
  return { group, tier, time: times[rank_reason] ?? current.at };
}

interface CardFacts {
  decisions: readonly DecisionItem[];
  isUnreviewed: boolean;
  has_changes: boolean;
}

function attentionOf(
  { agent, changes }: ReviewWork,
  { decisions, isUnreviewed, has_changes }: CardFacts,
): ReadonlySet<AttentionReason> {
  const reasons = new Set<AttentionReason>();
  if (decisions.some(isUrgent)) reasons.add("urgent_decision");
  if (isUnreviewed && agent.lifecycle === "error") reasons.add("agent_error");
  if (isUnreviewed && agent.extraction_health !== "ok") reasons.add("extraction_degraded");
  if (decisions.some(({ status }) => status === "pending")) reasons.add("pending_decision");
  const needsTerminal = ({ status, review_status }: DecisionItem) =>
    status === "unknown" || review_status === "terminal_required";
  if (decisions.some(needsTerminal)) reasons.add("terminal_required_decision");
  if (has_changes && (changes.new_blockers?.length ?? 0) > 0) reasons.add("new_blocker");
  if (has_changes) reasons.add("semantic_change");
  return reasons;
}

/** Since when each tier has had a reason; null where it has none. */
function timesOf(
  { agent, current, changes, firstUnreviewedAt }: ReviewWork,
  decisions: readonly DecisionItem[],
  reasons: ReadonlySet<AttentionReason>,
): Record<RankReason, number | null> {
  const now = current?.at ?? 0;
  const blockers = reasons.has("new_blocker") ? (changes.new_blockers ?? []) : [];
  const uncertain = decisions.filter(({ status }) => status === "unknown");
  return {
    urgent_decision: oldest(decisions.filter(isUrgent)),
    error: reasons.has("agent_error") ? (agent.last_event_at ?? now) : null,
    pending_decision: oldest(decisions.filter(({ status }) => status === "pending")),
    new_blocker: oldest(blockers),
    changed: oldest(uncertain) ?? firstUnreviewedAt ?? now,
  };
}

function oldest(items: readonly { created_at: number }[]): number | null {
  return items.length === 0 ? null : Math.min(...items.map(({ created_at }) => created_at));
}
