import type { AgentResume } from "../../protocol/agent-replies.ts";
import type { AgentContext, AgentSession, DecisionItem } from "../../protocol/agents.ts";
import type { Mark } from "./marks.ts";
import { deltaOf } from "./timeline.ts";

/** What the answer is made of; each is null where there is none. */
interface ResumeSources {
  session: AgentSession;
  pending: readonly DecisionItem[];
  visit: Mark | null;
  /** Of the visited snapshot, or of the oldest that is kept where that was pruned. */
  before: AgentContext | null;
  latestId: string | null;
}

/**
 * What changed since the last visit. Where the snapshot of that visit is gone, the change counts
 * from the oldest that is kept; where there was no visit, everything is new.
 */
export function resumeOf(sources: ResumeSources): AgentResume {
  const { session, visit, before } = sources;
  const { context } = session;
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
    baseline_snapshot_id: visit?.id ?? null,
    as_of_snapshot_id: sources.latestId,
    history_truncated: visit !== null && visit.at === null,
  };
}
