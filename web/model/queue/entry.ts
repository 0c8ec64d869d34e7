import {
  cardKeyOf,
  cardPlaceOf,
  rankOf,
  subjectsOf,
  type Subject,
} from "../../../src/protocol/card-place.ts";
import type { SeenGroup } from "../../../src/protocol/tolerant-agents.ts";
import { failed, isParked, type Pane } from "../pane.ts";

/** The headings of the queue, in their order; what is parked stands below Blocked. */
export const SECTIONS = ["waiting", "errors", "blocked", "changed", "finished"] as const;
export type Section = (typeof SECTIONS)[number];

/** One card of the queue: an agent, or a pane in which no agent is known for certain. */
export interface Entry {
  /** `agent:ID` where the agent's pane is confirmed or it has no pane, else `pane:ID`. */
  readonly key: string;
  readonly section: Section;
  /** Ascending in the order of its section. */
  readonly rank: number;
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
  /** Epoch seconds. */
  readonly now: number;
  /** Errors that were put away until new output. */
  readonly isPutAway: (pane: Pane) => boolean;
}

/** Everything that needs a person, each agent and each pane once. */
export const entriesOf = (facts: EntryFacts): readonly Entry[] =>
  subjectsOf(facts.panes, facts.groups ?? []).flatMap((subject) => entryOf(subject, facts));

function entryOf(subject: Subject<Pane>, facts: EntryFacts): Entry[] {
  const { pane, group } = subject;
  const isAway = pane !== null && failed(pane) && !isParked(pane) && facts.isPutAway(pane);
  // As if it had not failed: what changed may still be read.
  const seen = isAway ? { ...pane, status: "working" as const } : pane;
  const place = cardPlaceOf({ pane: seen, group }, facts.now);
  if (place === null) return [];
  const { since, urgent: isUrgent } = place;
  const section = place.section === "parked" ? "blocked" : place.section;
  return [
    {
      ...{ key: cardKeyOf(subject), section, rank: rankOf({ ...place, section }) },
      ...{ paneId: pane?.id ?? null, agentId: group?.agent_id ?? null, since, isUrgent },
    },
  ];
}
