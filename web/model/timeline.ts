import type { SeenTimelineEvent } from "../../src/protocol/tolerant-agents.ts";

/** What happened in a step, as a person would name it. */
export type StepKind =
  | "waits"
  | "asked"
  | "decided"
  | "done"
  | "blocked"
  | "unblocked"
  | "goal"
  | "task"
  | "next"
  | "finished"
  | "failed"
  | "activity";

export interface Step {
  readonly kind: StepKind;
  /** The titles of what it is about; none where there is nothing to name. */
  readonly items: readonly string[];
}

/** What a timeline can be narrowed to, and what then stands in it. */
export const TIMELINE_FILTERS = {
  decisions: ["waits", "asked", "decided"],
  done: ["done", "finished"],
  blockers: ["blocked", "unblocked", "failed"],
  goals: ["goal", "task", "next"],
} as const satisfies Readonly<Record<string, readonly StepKind[]>>;
export type TimelineFilter = keyof typeof TIMELINE_FILTERS;

/** Events of one calendar day of the reader, newest first as they came. */
export interface Day {
  /** The first event's time, in epoch seconds. */
  readonly at: number;
  readonly events: readonly SeenTimelineEvent[];
}

const dayOf = (at: number): string => new Date(at * 1000).toDateString();

/** When it happened by the agent's own record; by its reading where the record has no time. */
export const timeOf = (event: SeenTimelineEvent): number =>
  event.occurred_at > 0 ? event.occurred_at : event.created_at;

/** Cuts a list of events where the day changes; a late arrival stays where the server put it. */
export function daysOf(events: readonly SeenTimelineEvent[]): readonly Day[] {
  const days: { at: number; events: SeenTimelineEvent[] }[] = [];
  for (const event of events) {
    const at = timeOf(event);
    const day = days.at(-1);
    if (day !== undefined && dayOf(day.at) === dayOf(at)) day.events.push(event);
    else days.push({ at, events: [event] });
  }
  return days;
}

/** Whole calendar days between two times: 0 on the same day, 1 for yesterday. */
export function daysBetween(at: number, now: number): number {
  const midnight = (seconds: number) => new Date(seconds * 1000).setHours(0, 0, 0, 0);
  // A day of a clock change is not 24 hours long.
  return Math.round((midnight(now) - midnight(at)) / 86_400_000);
}

/**
 * The events that still wait: of each agent with open questions, as many of its newest as are open.
 * `openOf` is null for an agent of which that is not known.
 */
export function waitingEvents(
  events: readonly SeenTimelineEvent[],
  openOf: (agentId: string) => number | null,
): ReadonlySet<string> {
  const left = new Map<string, number>();
  const waiting = new Set<string>();
  for (const { id, agent_id, type } of events) {
    if (type !== "decision") continue;
    const open = left.get(agent_id) ?? openOf(agent_id) ?? 0;
    left.set(agent_id, open - 1);
    if (open > 0) waiting.add(id);
  }
  return waiting;
}

/** All that one event brought, what its type names first; at least one step. */
export function stepsOf(event: SeenTimelineEvent, isWaiting: boolean): readonly Step[] {
  const { delta, type, title } = event;
  const titles = (items: readonly { readonly title: string }[] | undefined) =>
    (items ?? []).map((item) => item.title);
  const moved = (change: { readonly to: string | null } | undefined) =>
    change === undefined || change.to === null || change.to === "" ? [] : [change.to];
  const ended = delta.lifecycle_changed?.to;
  const named: readonly Step[] = [
    { kind: isWaiting ? "waits" : "asked", items: titles(delta.decisions_added) },
    { kind: "decided", items: titles(delta.decisions_resolved) },
    { kind: "done", items: titles(delta.completed) },
    { kind: "blocked", items: titles(delta.new_blockers) },
    { kind: "unblocked", items: titles(delta.resolved_blockers) },
    { kind: "goal", items: moved(delta.goal_changed) },
    { kind: "task", items: moved(delta.current_task_changed) },
    { kind: "next", items: moved(delta.next_action_changed) },
  ];
  const steps = named.filter(({ items }) => items.length > 0);
  if (ended === "completed") steps.push({ kind: "finished", items: [] });
  if (ended === "error") steps.push({ kind: "failed", items: [] });
  if (steps.length > 0) return steps;
  // A question whose text the delta does not carry is still a question.
  const kind = type === "decision" ? (isWaiting ? "waits" : "asked") : "activity";
  return [{ kind, items: title === "" ? [] : [title] }];
}

export function isInFilter(steps: readonly Step[], filter: TimelineFilter | null): boolean {
  if (filter === null) return true;
  const kinds: readonly StepKind[] = TIMELINE_FILTERS[filter];
  return steps.some(({ kind }) => kinds.includes(kind));
}

/**
 * The newest event that a review covered, where one behind it is shown as well: between the two lies
 * the review. Sequences of one agent never go back.
 */
export function newestReviewed(
  events: readonly SeenTimelineEvent[],
  reviewedSequence: number,
): SeenTimelineEvent | null {
  const at = events.findIndex(({ sequence }) => sequence <= reviewedSequence);
  return at <= 0 ? null : (events[at] ?? null);
}
