import type { SeenTimelineEvent } from "../../src/protocol/tolerant-agents.ts";

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
