import type { AgentContext, ContextDelta, TimelineType } from "../../protocol/agents.ts";

interface Item {
  id: string;
  title: string;
}

/** The net change: an item that came and went is in no list, an unchanged field is absent. */
export function deltaOf(before: AgentContext | null, after: AgentContext): ContextDelta {
  const delta: ContextDelta = {};
  const completed = addedItems(before?.completed_items, after.completed_items);
  if (completed.length > 0) delta.completed = completed;
  const blocked = addedItems(before?.blockers, after.blockers);
  if (blocked.length > 0) delta.new_blockers = blocked;
  const unblocked = addedItems(after.blockers, before?.blockers);
  if (unblocked.length > 0) delta.resolved_blockers = unblocked;
  const asked = addedItems(before?.decisions, after.decisions);
  if (asked.length > 0) delta.decisions_added = asked;
  const decided = addedItems(after.decisions, before?.decisions);
  if (decided.length > 0) delta.decisions_resolved = decided;
  for (const field of COMPARED) {
    const from = before?.[field] ?? null;
    const to = after[field];
    if (from !== to) delta[`${field}_changed`] = { from, to };
  }
  return delta;
}

const COMPARED = ["goal", "current_task", "next_action", "lifecycle", "extraction_health"] as const;

function addedItems<T extends Item>(before: readonly T[] = [], after: readonly T[] = []): T[] {
  const known = new Set(before.map(({ id }) => id));
  return after.filter(({ id }) => !known.has(id));
}

/**
 * Whether a person would see the difference: not revision and time alone, nor old messages that
 * expired; but progress and summary, which are in no delta.
 */
export function isVisibleChange(before: AgentContext | null, after: AgentContext): boolean {
  if (before === null) return true;
  const { revision, last_updated, message_history_truncated } = after;
  return !Bun.deepEquals({ ...before, revision, last_updated, message_history_truncated }, after);
}

/** The first kind that applies, and one line in the agent's own words. */
export function timelineRow(
  delta: ContextDelta,
  before: AgentContext | null,
  after: AgentContext,
): { type: TimelineType; title: string } {
  const listed = [
    { type: "decision", items: delta.decisions_added ?? delta.decisions_resolved },
    { type: "completed", items: delta.completed },
    { type: "blocker", items: delta.new_blockers ?? delta.resolved_blockers },
  ] as const;
  for (const { type, items } of listed)
    if (items) return { type, title: items.at(-1)?.title ?? "" };
  const { progress, current_task, next_action, goal } = after;
  const latest = after.progress_summary ?? after.lifecycle;
  if (!Bun.deepEquals(before?.progress ?? null, progress)) {
    const title = progress && `${progress.completed} of ${progress.total} done`;
    return { type: "progress", title: title ?? latest };
  }
  if (delta.goal_changed || delta.current_task_changed || delta.next_action_changed)
    return { type: "context", title: current_task ?? next_action ?? goal ?? "" };
  return { type: "activity", title: latest };
}
