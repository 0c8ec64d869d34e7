import type { SeenCard } from "../../src/protocol/tolerant.ts";

/** A row of what needs a person, as the server says it. */
export type Card = Readonly<SeenCard>;

/** The headings of the queue, in their order; what is parked stands below Blocked. */
export const SECTIONS = ["waiting", "errors", "blocked", "changed", "finished"] as const;
export type Section = (typeof SECTIONS)[number];

/** A card that no longer belongs below its heading keeps its place this long. */
export const LEAVING_MS = 3000;

/** The place of a card on the screen. */
export interface Slot {
  /** As it was last while it belonged here. */
  readonly card: Card;
  readonly section: Section;
  /** Monotonic milliseconds when it stopped belonging; null while it belongs. */
  readonly leftAt: number | null;
}

/** The cards from above: frozen while the queue is open, so that none moves under a thumb. */
export type Order = readonly Slot[];

/** Null for a section of a newer server. */
export function sectionOf({ section }: Card): Section | null {
  if (section === "parked") return "blocked";
  return section === "unknown" ? null : section;
}

/** What is only to be read: nothing in it is asked. */
export const isNews = (section: Section): boolean => section !== "waiting" && section !== "errors";

const placeOf = (section: Section): number => SECTIONS.indexOf(section);
const bySection = (a: Slot, b: Slot): number => placeOf(a.section) - placeOf(b.section);

/** The cards come in the order of the server; only what is parked stands elsewhere. */
export const orderCards = (cards: readonly Card[]): Order =>
  cards
    .flatMap((card): Slot[] => {
      const section = sectionOf(card);
      return section === null ? [] : [{ card, section, leftAt: null }];
    })
    .toSorted(bySection);

/**
 * The frozen order after a change: known slots keep their place, arrivals are appended to their
 * section, and a slot that no longer belongs stays for `LEAVING_MS` (or while `held`). A card never
 * stands in two sections: it moves up at once, since a new prompt must not be kept back, and moves
 * down once it has left its old place.
 */
export function keepOrder(
  order: Order,
  cards: readonly Card[],
  nowMs: number,
  held: (slot: Slot) => boolean,
): Order {
  const arriving = new Map(orderCards(cards).map((slot) => [slot.card.key, slot]));
  const byPane = new Map(cards.map((card) => [card.pane_id, card.key]));
  const stood = new Set(order.map(({ card, section }) => `${section} ${card.key}`));
  const isNow = new Set(arriving.keys());
  const kept = order.flatMap((slot): Slot[] => {
    const { key: own, pane_id } = slot.card;
    // A pane whose agent becomes known stays where it is read.
    const key = isNow.has(own) || pane_id === null ? own : (byPane.get(pane_id) ?? own);
    // The two were one all along.
    if (key !== own && stood.has(`${slot.section} ${key}`)) return [];
    const now = arriving.get(key);
    if (now === undefined && isNow.has(key)) return [];
    if (now?.section === slot.section) {
      arriving.delete(key);
      return slot.card === now.card && slot.leftAt === null ? [slot] : [now];
    }
    if (now !== undefined && bySection(now, slot) < 0) return [];
    const leftAt = slot.leftAt ?? nowMs;
    if (!held(slot) && nowMs - leftAt >= LEAVING_MS) return [];
    arriving.delete(key);
    return [slot.leftAt === null ? { ...slot, leftAt } : slot];
  });
  const next = [...kept, ...arriving.values()].toSorted(bySection);
  const isSame = next.length === order.length && next.every((slot, i) => slot === order[i]);
  return isSame ? order : next;
}

/** Puts a card to the end of its section; it stays there until the order is made anew. */
export function putLast(order: Order, key: string): Order {
  const isIt = ({ card }: Slot) => card.key === key;
  return [...order.filter((slot) => !isIt(slot)), ...order.filter(isIt)].toSorted(bySection);
}
