import type { SeenTimelineEvent } from "../../src/protocol/tolerant-later.ts";

export type HappeningKind =
  "waits" | "asked" | "decided" | "done" | "blocked" | "unblocked" | "goal" | "finished" | "failed";

export interface Happening {
  readonly key: string;
  readonly kind: HappeningKind;
  /** Epoch seconds. */
  readonly at: number;
  readonly items: readonly { readonly id: string; readonly title: string }[];
}

/** The same entry within this time is shown once. */
const REPEATED_SECONDS = 60;

/** By the agent's own log, or when it was read where the log has no time. */
const timeOf = ({ occurred_at, created_at }: SeenTimelineEvent): number =>
  occurred_at > 0 ? occurred_at : created_at;

/** The entries of a session's events, oldest first, without repetitions within a minute. */
export function happenings(
  events: readonly SeenTimelineEvent[],
  open: number,
): readonly Happening[] {
  const told: Happening[] = [];
  const said = new Map<string, number>();
  let waiting = open;
  for (const event of events) {
    const isWaiting = event.type === "decision" && waiting > 0;
    if (event.type === "decision") waiting -= 1;
    const at = timeOf(event);
    for (const { kind, items } of partsOf(event, isWaiting)) {
      const words = JSON.stringify([kind, items.map(({ title }) => title)]);
      const isRepeated = Math.abs((said.get(words) ?? Infinity) - at) < REPEATED_SECONDS;
      said.set(words, at);
      if (isRepeated) continue;
      told.push({ key: `${event.id} ${kind}`, kind, at, items });
    }
  }
  return told.toReversed();
}

function partsOf(
  { id, delta, type, title }: SeenTimelineEvent,
  isWaiting: boolean,
): readonly Pick<Happening, "kind" | "items">[] {
  const asked = isWaiting ? "waits" : "asked";
  const goal = delta.goal_changed?.to ?? "";
  const ended = delta.lifecycle_changed?.to;
  const named: readonly Pick<Happening, "kind" | "items">[] = [
    { kind: asked, items: delta.decisions_added ?? [] },
    { kind: "decided", items: delta.decisions_resolved ?? [] },
    { kind: "done", items: delta.completed ?? [] },
    { kind: "blocked", items: delta.new_blockers ?? [] },
    { kind: "unblocked", items: delta.resolved_blockers ?? [] },
    { kind: "goal", items: goal === "" ? [] : [{ id, title: goal }] },
  ];
  const parts = named.filter(({ items }) => items.length > 0);
  if (ended === "completed") parts.push({ kind: "finished", items: [] });
  if (ended === "error") parts.push({ kind: "failed", items: [] });
  // A decision event without a delta is a question all the same.
  if (parts.length === 0 && type === "decision" && title !== "")
    return [{ kind: asked, items: [{ id, title }] }];
  return parts;
}

/** Local midnight so many days before `now`; both in epoch seconds. */
export function midnightBefore(now: number, days: number): number {
  const day = new Date(now * 1000);
  // Days with a clock change are not 24 hours long.
  return new Date(day.getFullYear(), day.getMonth(), day.getDate() - days).getTime() / 1000;
}
