import type { SeenCard } from "../../src/protocol/tolerant.ts";

export type Card = Readonly<SeenCard>;

/** In their order on the screen; parked cards stand below Blocked. */
export const SECTIONS = ["waiting", "errors", "blocked", "changed", "finished"] as const;
export type Section = (typeof SECTIONS)[number];

/** Milliseconds that a card keeps its place after it has left its section. */
export const LEAVING_MS = 3000;

export interface Slot {
  /** As it was while it last belonged to the section. */
  readonly card: Card;
  readonly section: Section;
  /** Monotonic milliseconds when the card left the section; null while it belongs. */
  readonly leftAt: number | null;
}

/** From the top; it does not change under a thumb while the queue is open. */
export type Order = readonly Slot[];

/** Null for a section that only a newer server knows. */
export function sectionOf({ section }: Card): Section | null {
  if (section === "parked") return "blocked";
  return section === "unknown" ? null : section;
}

/** Sections in which nothing is asked. */
export const isNews = (section: Section): boolean => section !== "waiting" && section !== "errors";

const placeOf = (section: Section): number => SECTIONS.indexOf(section);
const bySection = (a: Slot, b: Slot): number => placeOf(a.section) - placeOf(b.section);

/** The server's order, except that parked cards stand elsewhere. */
export const orderCards = (cards: readonly Card[]): Order =>
  cards
    .flatMap((card): Slot[] => {
      const section = sectionOf(card);
      return section === null ? [] : [{ card, section, leftAt: null }];
    })
    .toSorted(bySection);

/**
 * The order after new cards: known slots keep their place, arrivals are appended to their section,
 * and a slot that left its section stays for `LEAVING_MS`, or while `held`. No card stands in two
 * sections: it moves up at once (a new prompt must not wait), and down once it has left its old
 * place.
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
    // Once the agent of a pane is known, the card's key changes; it keeps its place.
    const key = isNow.has(own) || pane_id === null ? own : (byPane.get(pane_id) ?? own);
    // Both keys had a slot: one card remains.
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

/** Until the queue is ordered anew. */
export function putLast(order: Order, key: string): Order {
  const isIt = ({ card }: Slot) => card.key === key;
  return [...order.filter((slot) => !isIt(slot)), ...order.filter(isIt)].toSorted(bySection);
}
