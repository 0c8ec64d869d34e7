import type { AgentResume, Visit } from "../../protocol/agent-replies.ts";
import type {
  AgentContext,
  AgentSession,
  DecisionItem,
  TimelineEvent,
} from "../../protocol/agents.ts";
import { deltaOf } from "./timeline.ts";

/** What the answer is made of; each is null where there is none. */
export interface ResumeSources {
  session: AgentSession;
  pending: readonly DecisionItem[];
  visit: Visit | null;
  /** Of the visit; null when it was pruned. */
  baseline: TimelineEvent | null;
  oldest: TimelineEvent | null;
  latest: TimelineEvent | null;
}

/**
 * What changed since the last visit. Where the snapshot of that visit is gone, the change counts
 * from the oldest that is kept; where there was no visit, everything is new.
 */
export function resumeOf(sources: ResumeSources): AgentResume {
  const { session, visit, baseline, oldest } = sources;
  const { context } = session;
  const isTruncated = visit !== null && baseline === null;
  const before: AgentContext | null = (isTruncated ? oldest : baseline)?.context ?? null;
  return {
    agent: { id: session.id, context },
    changes: deltaOf(before, context),
    decisions: [...sources.pending],
    pending_decisions: [...sources.pending],
    goal: context.goal,
    current_task: context.current_task,
    progress: context.progress,
    blockers: context.blockers,
    next_action: context.next_action,
    estimated_completion: context.estimated_completion,
    baseline_snapshot_id: visit?.snapshot_id ?? null,
    as_of_snapshot_id: sources.latest?.id ?? null,
    history_truncated: isTruncated,
  };
}
