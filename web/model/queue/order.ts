import {
  cardKeyOf,
  cardPlaceOf,
  rankOf,
  sinceOf,
  subjectsOf,
  type Subject,
} from "../../../src/protocol/card-place.ts";
import type { SeenGroup } from "../../../src/protocol/tolerant-agents.ts";
import { failed, isParked, type Pane, waits } from "../pane.ts";

/** A card that no longer belongs below its heading keeps its place this long. */
export const LEAVING_MS = 3000;

export interface Slot {
  readonly key: string;
  readonly paneId: string | null;
  /** Monotonic milliseconds when it stopped belonging; null while it belongs. */
  readonly leftAt: number | null;
}

/** The order on the screen: frozen while the queue is open, so that no card moves under a thumb. */
export type Order = Readonly<Record<Section, readonly Slot[]>>;
const isOf = (slot: Slot, { key, paneId }: Entry): boolean =>
  slot.key === key || (slot.paneId !== null && slot.paneId === paneId);
const slotOf = ({ key, paneId }: Entry): Slot => ({ key, paneId, leftAt: null });

const each = (slots: (section: Section) => readonly Slot[]): Order => ({
  ...{ waiting: slots("waiting"), errors: slots("errors"), blocked: slots("blocked") },
  ...{ changed: slots("changed"), finished: slots("finished") },
});
export const EMPTY_ORDER = each(() => []);

export const orderEntries = (entries: readonly Entry[]): Order =>
  each((section) =>
    entries
      .filter((entry) => entry.section === section)
      .toSorted((a, b) => a.rank - b.rank)
      .map(slotOf),
  );

/**
 * The frozen order after a change: known slots keep their place, arrivals are appended to their
 * section, and a slot that no longer belongs stays for `LEAVING_MS` (or while `held`). A card never
 * stands in two sections: it moves up at once, since a new prompt must not be kept back, and moves
 * down once it has left its old place.
 */
export function keepOrder(
  order: Order,
  entries: readonly Entry[],
  nowMs: number,
  held: (slot: Slot) => boolean,
): Order {
  const standing = new Set<string>();
  const above = (section: Section) => {
    const place = SECTIONS.indexOf(section);
    return entries.filter((entry) => SECTIONS.indexOf(entry.section) < place);
  };
  const kept = each((section) => {
    const higher = above(section);
    const here = entries.filter((entry) => entry.section === section);
    const byKey = new Map(here.map((entry) => [entry.key, entry]));
    const byPane = new Map(here.map((entry) => [entry.paneId, entry]));
    const known = new Set(order[section].map(({ key }) => key));
    return order[section].flatMap((slot) => {
      const inPane = slot.paneId === null ? undefined : byPane.get(slot.paneId);
      const own = byKey.get(slot.key);
      if (own === undefined && higher.some((entry) => isOf(slot, entry))) return [];
      // The agent in this pane has a card here already: the two were one all along.
      if (own === undefined && inPane !== undefined && known.has(inPane.key)) return [];
      // A pane whose agent becomes known stays where it is read, under its new key.
      const next = keepSlot(slot, own ?? inPane ?? null, nowMs, held);
      if (next === null || standing.has(next.key)) return [];
      standing.add(next.key);
      return [next];
    });
  });
  const panes = new Set(SECTIONS.flatMap((section) => kept[section].map(({ paneId }) => paneId)));
  const isNew = ({ key, paneId }: Entry) =>
    !standing.has(key) && (paneId === null || !panes.has(paneId));
  const arrived = orderEntries(entries.filter(isNew));
  const next = each((section) => {
    const slots = [...kept[section], ...arrived[section]];
    const before = order[section];
    const isSame = slots.length === before.length && slots.every((slot, i) => slot === before[i]);
    return isSame ? before : slots;
  });
  return SECTIONS.every((section) => next[section] === order[section]) ? order : next;
}

function keepSlot(
  slot: Slot,
  entry: Entry | null,
  nowMs: number,
  held: (slot: Slot) => boolean,
): Slot | null {
  if (entry !== null) {
    const isSame = slot.leftAt === null && slot.key === entry.key && slot.paneId === entry.paneId;
    return isSame ? slot : slotOf(entry);
  }
  const leftAt = slot.leftAt ?? nowMs;
  if (!held(slot) && nowMs - leftAt >= LEAVING_MS) return null;
  return slot.leftAt === null ? { ...slot, leftAt } : slot;
}

/** Puts a card to the end of its section; it stays there until the order is made anew. */
export function putLast(order: Order, key: string): Order {
  return each((section) => {
    const slot = order[section].find((one) => one.key === key);
    if (slot === undefined) return order[section];
    return [...order[section].filter((one) => one !== slot), slot];
  });
}

export const dropLeft = (order: Order, paneId: string): Order =>
  each((section) =>
    order[section].filter((slot) => slot.paneId !== paneId || slot.leftAt === null),
  );

/**
 * The pane to answer after `id`, or before it: one on in the order of waiting, around its end; from a
 * pane that does not wait the longest waiting one. Null when nobody else waits.
 */
export function nextWaiting(
  panes: readonly Pane[],
  id: string | null,
  step: 1 | -1 = 1,
): Pane | null {
  const order = panes.filter(waits).toSorted((a, b) => sinceOf(a) - sinceOf(b));
  const at = order.findIndex((pane) => pane.id === id);
  const start = at < 0 && step < 0 ? 0 : at;
  const next = order.at((start + step) % order.length) ?? null;
  return next?.id === id ? null : next;
}

/** The headings of the queue, in their order; what is parked stands below Blocked. */
export const SECTIONS = ["waiting", "errors", "blocked", "changed", "finished"] as const;
export type Section = (typeof SECTIONS)[number];

/** What is only to be read: nothing in it is asked. */
export const isNews = (section: Section): boolean => section !== "waiting" && section !== "errors";

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
  readonly isPutAway: (pane: Pane) => boolean;
}

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

/** Whether a mark would acknowledge something of it. */
export const isMarkable = (group: SeenGroup): boolean =>
  group.as_of_snapshot_id !== null &&
  group.reviewed_snapshot_sequence < group.as_of_snapshot_sequence &&
  (group.has_changes ||
    group.attention_reasons.includes("agent_error") ||
    group.attention_reasons.includes("extraction_degraded"));
