import type { ContextDelta } from "../protocol/agents.ts";
import type { CardNews } from "../protocol/cards.ts";

/**
 * What changed, one line each, what needs a person first: blockers, the goal, what was decided, what
 * is unblocked, what is done; then what the agent does now and next.
 */
export function changeLines(changes: ContextDelta): CardNews[] {
  const each = (kind: CardNews["kind"], items: readonly { title: string }[] | undefined) =>
    (items ?? []).map(({ title }) => ({ kind, text: title }));
  const moved = (kind: CardNews["kind"], to: string | null | undefined) =>
    to ? [{ kind, text: to }] : [];
  return [
    ...each("blocked", changes.new_blockers),
    ...moved("goal", changes.goal_changed?.to),
    ...each("decided", changes.decisions_resolved),
    ...each("unblocked", changes.resolved_blockers),
    ...(changes.lifecycle_changed?.to === "completed"
      ? [{ kind: "finished" as const, text: "" }]
      : []),
    // The newest that was done says most.
    ...each("done", changes.completed).reverse(),
    ...moved("now", changes.current_task_changed?.to),
    ...moved("next", changes.next_action_changed?.to),
  ];
}
