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

export interface Item {
  readonly id: string;
  readonly title: string;
}

export interface Step {
  readonly kind: StepKind;
  /** What it is about; none where there is nothing to name. */
  readonly items: readonly Item[];
}

/** One line of a timeline. */
export interface Line extends Step {
  readonly key: string;
  readonly event: SeenTimelineEvent;
  /** How many events without a word of their own stand in this line. */
  readonly folded: number;
}

/** What is said only where nothing else happened. */
const MINOR: ReadonlySet<StepKind> = new Set(["task", "next", "activity"]);
/** The same words of one agent within this time are said once. */
const REPEATED_SECONDS = 60;

/** What a timeline can be narrowed to, and what then stands in it. */
export const TIMELINE_FILTERS = {
  decisions: ["waits", "asked", "decided"],
  done: ["done", "finished"],
  blockers: ["blocked", "unblocked", "failed"],
  goals: ["goal", "task", "next"],
} as const satisfies Readonly<Record<string, readonly StepKind[]>>;
export type TimelineFilter = keyof typeof TIMELINE_FILTERS;

/** Lines of one calendar day of the reader, newest first as they came. */
export interface Day {
  /** The first line's time, in epoch seconds. */
  readonly at: number;
  readonly lines: readonly Line[];
}

const dayOf = (at: number): string => new Date(at * 1000).toDateString();

/** When it happened by the agent's own record; by its reading where the record has no time. */
export const timeOf = (event: SeenTimelineEvent): number =>
  event.occurred_at > 0 ? event.occurred_at : event.created_at;

/** Cuts a list of lines where the day changes; a late arrival stays where the server put it. */
export function daysOf(lines: readonly Line[]): readonly Day[] {
  const days: { at: number; lines: Line[] }[] = [];
  for (const line of lines) {
    const at = timeOf(line.event);
    const day = days.at(-1);
    if (day !== undefined && dayOf(day.at) === dayOf(at)) day.lines.push(line);
    else days.push({ at, lines: [line] });
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
  const moved = (change: { readonly to: string | null } | undefined) =>
    change === undefined || change.to === null || change.to === ""
      ? []
      : [{ id: event.id, title: change.to }];
  const ended = delta.lifecycle_changed?.to;
  const named: readonly Step[] = [
    { kind: isWaiting ? "waits" : "asked", items: delta.decisions_added ?? [] },
    { kind: "decided", items: delta.decisions_resolved ?? [] },
    { kind: "done", items: delta.completed ?? [] },
    { kind: "blocked", items: delta.new_blockers ?? [] },
    { kind: "unblocked", items: delta.resolved_blockers ?? [] },
    { kind: "goal", items: moved(delta.goal_changed) },
    { kind: "task", items: moved(delta.current_task_changed) },
    { kind: "next", items: moved(delta.next_action_changed) },
  ];
  const steps = named.filter(({ items }) => items.length > 0);
  if (ended === "completed") steps.push({ kind: "finished", items: [] });
  if (ended === "error") steps.push({ kind: "failed", items: [] });
  if (steps.length > 0) return steps;
  // A question whose text the delta does not carry is still a question.
  if (type !== "decision") return [{ kind: "activity", items: [] }];
  const kind = isWaiting ? "waits" : "asked";
  return [{ kind, items: title === "" ? [] : [{ id: event.id, title }] }];
}

/**
 * What a person reads: of each event what it brought, or of what it brought what fits the filter.
 * Events that say nothing are one line together, and what is said twice in a minute stands once.
 */
export function linesOf(
  events: readonly SeenTimelineEvent[],
  waiting: ReadonlySet<string>,
  filter: TimelineFilter | null,
): readonly Line[] {
  const lines: Line[] = [];
  const said = new Map<string, number>();
  for (const event of events) {
    for (const step of shownOf(stepsOf(event, waiting.has(event.id)), filter)) {
      const last = lines.at(-1);
      if (step.kind === "activity" && last?.kind === "activity" && isOfOne(last.event, event)) {
        lines[lines.length - 1] = { ...last, folded: last.folded + 1 };
        continue;
      }
      const words = JSON.stringify([event.agent_id, step.kind, step.items.map((i) => i.title)]);
      const at = timeOf(event);
      const isRepeated = Math.abs((said.get(words) ?? Infinity) - at) < REPEATED_SECONDS;
      said.set(words, at);
      if (isRepeated && step.kind !== "activity") continue;
      lines.push({ ...step, key: `${event.id} ${step.kind}`, event, folded: 1 });
    }
  }
  return lines;
}

const isOfOne = (a: SeenTimelineEvent, b: SeenTimelineEvent): boolean => a.agent_id === b.agent_id;

function shownOf(steps: readonly Step[], filter: TimelineFilter | null): readonly Step[] {
  if (filter !== null) {
    const kinds: readonly StepKind[] = TIMELINE_FILTERS[filter];
    return steps.filter(({ kind }) => kinds.includes(kind));
  }
  const major = steps.filter(({ kind }) => !MINOR.has(kind));
  return major.length > 0 ? major : steps.slice(0, 1);
}

/**
 * The newest line that a review covered, where one behind it is shown as well: between the two lies
 * the review. Sequences of one agent never go back.
 */
export function newestReviewed(lines: readonly Line[], reviewedSequence: number): Line | null {
  const at = lines.findIndex(({ event }) => event.sequence <= reviewedSequence);
  return at <= 0 ? null : (lines[at] ?? null);
}
