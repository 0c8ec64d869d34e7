import type { SeenGroup } from "../../../src/protocol/tolerant-agents.ts";
import { NEEDS_A_LOOK, paneOf } from "../../../src/protocol/waiting.ts";
import { failed, isDone, isParked, sinceOf, waits, type Pane } from "../pane.ts";

/** The headings of the queue, in their order. A card stands below the first that applies. */
export const SECTIONS = ["waiting", "errors", "blocked", "changed", "finished"] as const;
export type Section = (typeof SECTIONS)[number];

/** A pane that finished and was not reviewed is listed this long. */
const FINISHED_SECONDS = 3600;

/** One card of the queue: an agent, or a pane in which no agent is known for certain. */
export interface Entry {
  /** `agent:ID` where the agent's pane is confirmed or it has no pane, else `pane:ID`. */
  readonly key: string;
  readonly section: Section;
  readonly paneId: string | null;
  readonly agentId: string | null;
  /** Epoch seconds: since when it waits, failed or is blocked; when it changed or finished. */
  readonly since: number;
  readonly isUrgent: boolean;
}

/** The agent that the key of a card names; null for a pane's. */
export const agentOf = (key: string): string | null =>
  key.startsWith("agent:") ? key.slice("agent:".length) : null;

export interface EntryFacts {
  readonly panes: readonly Pane[];
  /** Null where the agent workspace is off, or its review was not read yet. */
  readonly groups: readonly SeenGroup[] | null;
  /** Since when a waiting pane waits. */
  readonly since: (pane: Pane) => number;
  /** Epoch seconds. */
  readonly now: number;
  /** Errors that were put away until new output. */
  readonly isPutAway: (pane: Pane) => boolean;
}

/** Everything that needs a person, each agent and each pane once. */
export function entriesOf(facts: EntryFacts): readonly Entry[] {
  const groups = uniquePanes(facts.groups ?? []);
  const byPane = new Map(groups.flatMap((group) => pairOf(group)));
  const ofPanes = facts.panes.flatMap((pane) => entryOf(pane, byPane.get(pane.id) ?? null, facts));
  const present = new Set(facts.panes.map(({ id }) => id));
  const others = groups.filter((group) => !present.has(paneOf(group) ?? ""));
  return [...ofPanes, ...others.flatMap((group) => entryOf(null, group, facts))];
}

function pairOf(group: SeenGroup): [string, SeenGroup][] {
  const paneId = paneOf(group);
  return paneId === null ? [] : [[paneId, group]];
}

/** Of two agents that claim one pane the first is taken for the one in it: a pane is one card. */
function uniquePanes(groups: readonly SeenGroup[]): readonly SeenGroup[] {
  const taken = new Set<string>();
  return groups.filter((group) => {
    const paneId = paneOf(group) ?? `agent ${group.agent_id}`;
    return !taken.has(paneId) && taken.add(paneId);
  });
}

function entryOf(pane: Pane | null, group: SeenGroup | null, facts: EntryFacts): Entry[] {
  const place = placeOf(pane, group, facts);
  if (place === null) return [];
  const key = group === null ? `pane:${pane?.id ?? ""}` : `agent:${group.agent_id}`;
  return [{ key, paneId: pane?.id ?? null, agentId: group?.agent_id ?? null, ...place }];
}

function placeOf(
  pane: Pane | null,
  group: SeenGroup | null,
  facts: EntryFacts,
): Pick<Entry, "section" | "since" | "isUrgent"> | null {
  const decisions = group?.decisions.filter(({ status }) => NEEDS_A_LOOK.has(status)) ?? [];
  const isUrgent = decisions.some(({ priority }) => priority === "high" || priority === "critical");
  const at = (section: Section, since: number) => ({ section, since, isUrgent });
  const asked = decisions.map(({ created_at }) => created_at);
  // The screen wins: where it shows a prompt, the wait is that prompt's.
  if (pane !== null && waits(pane)) return at("waiting", facts.since(pane));
  if (asked.length > 0) return at("waiting", Math.min(...asked));
  if (pane !== null && isParked(pane)) return at("blocked", sinceOf(pane));
  if (pane !== null && failed(pane) && !facts.isPutAway(pane)) return at("errors", sinceOf(pane));
  if (group === null)
    return pane && isRecent(pane, facts.now) ? at("finished", doneAt(pane)) : null;
  if (pane === null && group.agent.lifecycle === "error")
    return at(group.agent.parked ? "blocked" : "errors", group.agent.updated_at);
  if (!group.has_changes)
    return pane && isRecent(pane, facts.now) ? at("finished", doneAt(pane)) : null;
  const blockedAt = (group.changes.new_blockers ?? []).map(({ created_at }) => created_at);
  if (blockedAt.length > 0) return at("blocked", Math.min(...blockedAt));
  // An agent that ended its work with something new to read has finished: it changes no more.
  if (pane !== null && isDone(pane)) return at("finished", doneAt(pane));
  const changedAt = group.as_of_snapshot_at ?? group.agent.updated_at;
  return at(group.agent.lifecycle === "completed" ? "finished" : "changed", changedAt);
}

const doneAt = (pane: Pane): number => pane.finished_at ?? pane.updated;
const isRecent = (pane: Pane, now: number): boolean =>
  isDone(pane) && now - doneAt(pane) < FINISHED_SECONDS;

/** The order of one section from scratch: what waits by urgency and wait, what is news newest first. */
export function inOrder(entries: readonly Entry[]): readonly Entry[] {
  return entries.toSorted((a, b) => {
    if (a.section === "changed" || a.section === "finished") return b.since - a.since;
    return Number(b.isUrgent) - Number(a.isUrgent) || a.since - b.since;
  });
}
