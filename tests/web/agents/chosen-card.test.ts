import { signal } from "@preact/signals";
import { expect, test } from "bun:test";
import fc from "fast-check";
import { rank } from "../../../src/review/rank.ts";
import { drawCards, keepCards, type Card } from "../../../web/model/review/cards.ts";
import { ChosenCard } from "../../../web/state/server/agents/chosen-card.ts";
import { decisionOf, NOW, uuid, workOf } from "../../review/works.ts";

const changed = (n: number) =>
  workOf(n, { changes: { completed: [{ id: `${n}`, title: "done", completed_at: NOW }] } });
const review = (...ids: readonly number[]) => ({ groups: rank(ids.map(changed)) });

function chosenOf(first: readonly Card[]) {
  const cards = signal(first);
  let nowMs = 0;
  const chosen = new ChosenCard({ board: { cards }, nowMs: () => (nowMs += 1000) });
  return { cards, chosen };
}

test("nothing is chosen before somebody looks, then the first", () => {
  const { cards, chosen } = chosenOf([]);
  chosen.settle();
  expect(chosen.id.value).toBeNull();
  cards.value = drawCards(review(1, 2));
  expect(chosen.card.value).toBeNull();
  chosen.settle();
  expect(chosen.card.value).toBe(cards.value[0] as never);
  expect(chosen.place.value).toBe(1);
});

test("where a list comes anew, the card that stood there is chosen, if it is in it", () => {
  const anew = chosenOf(drawCards(review(1, 2, 3))).chosen;
  anew.settle(uuid(3));
  expect(anew.id.value).toBe(uuid(3));
  const without = chosenOf(drawCards(review(1, 2))).chosen;
  without.settle(uuid(3));
  expect(without.place.value).toBe(1);
});

test("steps go through the headings in their order, and stay at the ends", () => {
  // The second came later, and belongs above.
  const urgent = workOf(9, { decisions: [decisionOf(9, 1, { priority: "high" })] });
  const cards = keepCards(
    drawCards(review(1)),
    { groups: rank([changed(1), urgent]) },
    () => false,
  );
  const { chosen } = chosenOf(cards);
  chosen.settle();
  expect(chosen.id.value).toBe(uuid(9));
  chosen.step(-1);
  expect(chosen.id.value).toBe(uuid(9));
  chosen.step(1);
  chosen.step(1);
  expect(chosen.id.value).toBe(uuid(1));
});

test("the reader is led to the next card that is left, and stays where none is", () => {
  const { cards, chosen } = chosenOf(drawCards(review(1, 2, 3)));
  chosen.settle();
  const last = cards.value[2]?.agentId ?? "";
  chosen.lead(({ agentId }) => agentId === last);
  expect(chosen.id.value).toBe(last);
  const swapped = chosen.swappedAt.value;
  chosen.lead(() => true);
  expect(chosen.id.value).toBe(last);
  expect(chosen.led.value).toBe(2);
  // No other card has come under the finger.
  expect(chosen.swappedAt.value).toBe(swapped);
});

test("law: whatever a reply brings, a card that stays on the screen stays chosen", () => {
  const ids = fc.uniqueArray(fc.integer({ min: 1, max: 8 }), { minLength: 1 });
  fc.assert(
    fc.property(ids, fc.array(ids), fc.nat(), (before, replies, pick) => {
      const { cards, chosen } = chosenOf(drawCards(review(...before)));
      const own = uuid(before[pick % before.length] ?? 0);
      chosen.choose(own);
      for (const after of replies) {
        cards.value = keepCards(cards.value, review(...after), (id) => id === chosen.id.value);
        chosen.settle();
        expect(chosen.card.value?.agentId).toBe(own);
      }
    }),
  );
});
