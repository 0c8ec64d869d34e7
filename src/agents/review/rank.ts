import type { UnreviewedChange } from "../store/snapshots.ts";
import type { DecisionItem } from "../../protocol/agents.ts";
import { AttentionReason, RankReason, type ReviewGroup } from "../../protocol/review.ts";

/** With every decision that is neither resolved nor superseded. */
export type ReviewWork = UnreviewedChange & { decisions: readonly DecisionItem[] };

interface RankedGroup {
  group: ReviewGroup;
  tier: number;
  time: number;
}

export function rank(works: readonly ReviewWork[]): ReviewGroup[] {
  return works
    .flatMap((work) => cardOf(work) ?? [])
    .sort(
      (a, b) =>
        a.tier - b.tier || a.time - b.time || (a.group.agent_id < b.group.agent_id ? -1 : 1),
    )
    .map(({ group }) => group);
}

/** The agent's pane; null where it is not certain. */
export const certainPaneOf = ({ agent }: Pick<ReviewGroup, "agent">): string | null =>
  agent.association === "confirmed" ? agent.pane_id : null;

export const isUrgent = ({ status, priority }: DecisionItem): boolean =>
  status === "pending" && (priority === "high" || priority === "critical");

function cardOf({ first_unreviewed_at, ...work }: ReviewWork): RankedGroup | null {
  const { agent, as_of_snapshot_at } = work;
  // A decision whose reply is on its way needs nobody.
  const decisions = work.decisions.filter(
    ({ status }) => status === "pending" || status === "unknown",
  );
  const pending = decisions.filter(({ status }) => status === "pending");
  const isUnreviewed = work.reviewed_snapshot_sequence < work.as_of_snapshot_sequence;
  const changes = isUnreviewed ? work.changes : {};
  // The reviewed snapshot is gone: something changed for certain, but not what.
  const history_truncated =
    isUnreviewed && work.reviewed_snapshot_id !== null && work.reviewed_snapshot_at === null;
  const has_changes = history_truncated || Object.keys(changes).length > 0;
  const isFailed = isUnreviewed && agent.lifecycle === "error";
  const blockers = changes.new_blockers ?? [];
  const reasons: Record<AttentionReason, boolean> = {
    urgent_decision: decisions.some(isUrgent),
    agent_error: isFailed,
    extraction_degraded: isUnreviewed && agent.extraction_health !== "ok",
    pending_decision: pending.length > 0,
    terminal_required_decision: decisions.some(
      ({ review_status }) => review_status === "terminal_required",
    ),
    new_blocker: blockers.length > 0,
    semantic_change: has_changes,
  };
  const attention_reasons = AttentionReason.options.filter((reason) => reasons[reason]);
  if (attention_reasons.length === 0) return null;
  const uncertain = decisions.filter(({ status }) => status === "unknown");
  /** Epoch seconds since when each tier applies; null where it does not. */
  const times: Record<RankReason, number | null> = {
    urgent_decision: oldest(decisions.filter(isUrgent)),
    error: isFailed ? (agent.last_event_at ?? as_of_snapshot_at) : null,
    pending_decision: oldest(pending),
    new_blocker: oldest(blockers),
    changed: oldest(uncertain) ?? first_unreviewed_at ?? as_of_snapshot_at,
  };
  const tier = RankReason.options.findIndex((reason) => times[reason] !== null);
  const rank_reason = RankReason.options[tier] ?? "changed";
  const group: ReviewGroup = {
    ...work,
    agent_id: agent.id,
    has_changes,
    history_truncated,
    changes,
    decisions,
    oldest_pending_decision_at: times.pending_decision,
    rank_reason,
    attention_reasons,
  };
  return { group, tier, time: times[rank_reason] ?? as_of_snapshot_at };
}

function oldest(items: readonly { created_at: number }[]): number | null {
  return items.length === 0 ? null : Math.min(...items.map(({ created_at }) => created_at));
}
