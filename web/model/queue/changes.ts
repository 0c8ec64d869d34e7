import type { SeenDelta } from "../../../src/protocol/tolerant-agents.ts";

/** What a card says first; the rest is behind "n more". */
export const MAX_LINES = 3;

export type ChangeKind =
  "blocked" | "goal" | "decided" | "unblocked" | "finished" | "done" | "now" | "next";

export interface ChangeLine {
  readonly kind: ChangeKind;
  readonly text: string;
}

/**
 * What changed, one line each, what needs a person first: blockers, the goal, what was decided, what
 * is unblocked, what is done; then what the agent does now and next.
 */
export function changeLines(changes: SeenDelta): ChangeLine[] {
  const each = (kind: ChangeKind, items: readonly { title: string }[] | undefined) =>
    (items ?? []).map(({ title }) => ({ kind, text: title }));
  const moved = (kind: ChangeKind, to: string | null | undefined) =>
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

/** How many lines the later changes have that the earlier ones do not; at least one. */
export function newerCount(drawn: SeenDelta, latest: SeenDelta): number {
  const key = ({ kind, text }: ChangeLine) => `${kind}\0${text}`;
  const known = new Set(changeLines(drawn).map(key));
  return Math.max(1, changeLines(latest).filter((line) => !known.has(key(line))).length);
}
