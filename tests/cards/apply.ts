import type { Card, CardsDelta } from "../../src/protocol/cards.ts";

/** A client's next cards; null where the delta does not fit what it has. */
export function applyCards(
  cards: readonly Card[],
  { added = [], changed = [], order }: CardsDelta,
): readonly Card[] | null {
  const byKey = new Map([...cards, ...added].map((card) => [card.key, card]));
  for (const { key, set } of changed) {
    const card = byKey.get(key);
    if (!card) return null;
    // JSON knows no undefined: every member of `set` has its value.
    byKey.set(key, { ...card, ...(set as Partial<Card>) });
  }
  const keys = order ?? cards.map(({ key }) => key);
  const next = keys.flatMap((key) => byKey.get(key) ?? []);
  return next.length === keys.length ? next : null;
}
