import type { Card, CardsDelta } from "./cards.ts";
import { changedMembers } from "./delta.ts";

/** What leads a client from what it had to what there is; null where that is the same. */
export function diffCards(before: readonly Card[], after: readonly Card[]): CardsDelta | null {
  if (before === after) return null;
  const had = new Map(before.map((card) => [card.key, card]));
  const added = after.filter(({ key }) => !had.has(key));
  const changed = after.flatMap((card) => {
    const { key } = card;
    const old = had.get(key);
    const set = old && old !== card ? changedMembers(old, card, ["key"]) : null;
    return set ? [{ key, set }] : [];
  });
  const isOrder =
    before.length === after.length && before.every(({ key }, i) => key === after[i]?.key);
  const delta: CardsDelta = {
    ...(added.length > 0 && { added }),
    ...(changed.length > 0 && { changed }),
    ...(!isOrder && { order: after.map(({ key }) => key) }),
  };
  return Object.keys(delta).length > 0 ? delta : null;
}
