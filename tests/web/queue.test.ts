import { describe, expect, test } from "bun:test";
import { signal } from "@preact/signals";
import fc from "fast-check";
import { makeCards } from "../../src/cards/cards.ts";
import type { PaneState } from "../../src/protocol/pane.ts";
import { rank, type ReviewWork } from "../../src/agents/review/rank.ts";
import {
  type Card,
  keepOrder,
  LEAVING_MS,
  type Order,
  orderCards,
  putLast,
  type Section,
} from "../../web/model/queue.ts";
import { Marks } from "../../web/state/server/marks.ts";
import { GoThrough } from "../../web/state/server/pass.ts";
import { agentOf, decisionOf, NOW, workOf } from "../review/works.ts";
import { apiOf, type Call, serverOf } from "../support/page-server.ts";
import { pane } from "../support/pane.ts";
import { forAll } from "../support/laws.ts";

/** The cards as the server makes them. */
const cardsOf = (panes: readonly PaneState[], works: readonly ReviewWork[] = []): readonly Card[] =>
  makeCards({ panes, groups: rank([...works]), now: NOW }).cards;
const keysIn = (order: Order, wanted: Section) =>
  order.flatMap(({ card, section }) => (section === wanted ? card.key : []));
const slotsOf = (order: Order) => order.map(({ card, section }) => `${section} ${card.key}`);
const agent = (n: number) => `agent:${agentOf(n).id}`;
const free = () => false;
const stuck = {
  new_blockers: [{ id: "b", title: "stuck", created_at: NOW - 5, source: "runtime_plan" as const }],
};
const goal = { goal_changed: { from: null, to: "ship it" } };
const asks = (id: string, since: number) =>
  pane({ id, status: "needs_input", prompt_since: since });
const failing = (id: string) => pane({ id, status: "error" });
const limit = { reason: "5-hour limit", until: null, continues: false };

describe("the frozen order", () => {
  const scene = fc.record({
    panes: fc.uniqueArray(
      fc.record({
        n: fc.integer({ min: 1, max: 6 }),
        status: fc.constantFrom("needs_input", "error", "working", "idle"),
        since: fc.integer({ min: 1, max: 99 }),
        isDone: fc.boolean(),
      }),
      { selector: ({ n }) => n },
    ),
    works: fc.uniqueArray(
      fc.record({
        n: fc.integer({ min: 1, max: 6 }),
        inPane: fc.integer({ min: 1, max: 6 }),
        isCertain: fc.boolean(),
        asks: fc.boolean(),
        isStuck: fc.boolean(),
      }),
      { selector: ({ n }) => n },
    ),
  });
  const read = ({ panes, works }: typeof scene extends fc.Arbitrary<infer T> ? T : never) =>
    cardsOf(
      panes.map(({ n, status, since, isDone }) =>
        pane({ id: `%${n}`, status, prompt_since: since, finished_at: isDone ? NOW - 1 : null }),
      ),
      works.map(({ n, inPane, isCertain, asks: isAsking, isStuck }) =>
        workOf(n, {
          agent: agentOf(n, {
            pane_id: `%${inPane}`,
            association: isCertain ? "confirmed" : "ambiguous",
          }),
          decisions: isAsking ? [decisionOf(n, 1)] : [],
          changes: isStuck ? stuck : goal,
        }),
      ),
    );

  test("for any two states: cards keep order and section, none stands twice, and none is lost", () => {
    forAll([scene, scene], (one, two) => {
      const first = orderCards(read(one));
      const cards = read(two);
      const next = keepOrder(first, cards, 0, free);
      const keys = next.map(({ card }) => card.key);
      expect(new Set(keys).size).toBe(keys.length);
      const panes = next.flatMap(({ card }) => card.pane_id ?? []);
      for (const { key, pane_id } of cards)
        expect(keys.includes(key) || (pane_id !== null && panes.includes(pane_id))).toBe(true);
      for (const section of new Set(first.map((slot) => slot.section))) {
        const before = keysIn(first, section);
        const kept = keysIn(next, section).filter((key) => before.includes(key));
        expect(kept).toEqual(before.filter((key) => kept.includes(key)));
      }
      // Cards that have left are gone after their time, and then the order is that of new cards.
      const late = keepOrder(next, cards, 10_000, free);
      const settled = keepOrder(late, cards, 10_000, free);
      expect(slotsOf(settled).toSorted()).toEqual(slotsOf(orderCards(cards)).toSorted());
      expect(keepOrder(settled, cards, 20_000, free)).toBe(settled);
    });
  });

  test("is the server's order, with parked agents below Blocked", () => {
    const panes = [
      asks("a", 30),
      failing("e"),
      pane({ id: "p", status: "error", parked: limit }),
      asks("b", 10),
      pane({ id: "x" }),
    ];
    const works = [workOf(1, { changes: goal }), workOf(2, { changes: stuck })];
    expect(slotsOf(orderCards(cardsOf(panes, works)))).toEqual([
      ...["waiting pane:b", "waiting pane:a", "errors pane:e"],
      ...[`blocked ${agent(2)}`, "blocked pane:p", `changed ${agent(1)}`],
    ]);
  });

  test("has an older arrival at the end of its section", () => {
    const first = orderCards(cardsOf([asks("a", 30), asks("b", 20)]));
    const next = keepOrder(first, cardsOf([asks("c", 1), asks("a", 30), asks("b", 20)]), 0, free);
    expect(keysIn(next, "waiting")).toEqual(["pane:b", "pane:a", "pane:c"]);
  });

  test("keeps the place of a pane whose agent becomes known", () => {
    const panes = [1, 2, 3].map((n) => asks(`%${n}`, n));
    const before = orderCards(cardsOf(panes));
    const after = keepOrder(before, cardsOf(panes, [workOf(2, { changes: goal })]), 0, free);
    expect(keysIn(after, "waiting")).toEqual(["pane:%1", agent(2), "pane:%3"]);
  });

  test("has a card that was put off last until the order is made again", () => {
    const cards = cardsOf([1, 2].map((n) => asks(`%${n}`, n)));
    const off = putLast(orderCards(cards), "pane:%1");
    expect(keysIn(keepOrder(off, cards, 0, free), "waiting")).toEqual(["pane:%2", "pane:%1"]);
  });

  test("moves a failed pane that asks to Waiting at once", () => {
    const before = orderCards(cardsOf([failing("%1")]));
    const asking = keepOrder(before, cardsOf([asks("%1", 5)]), 0, free);
    expect(slotsOf(asking)).toEqual(["waiting pane:%1"]);
    expect(slotsOf(keepOrder(asking, cardsOf([failing("%1")]), 0, free))).toEqual([
      "waiting pane:%1",
    ]);
  });

  test("keeps a card that stops waiting for three seconds, or while it is held", () => {
    const first = orderCards(cardsOf([asks("a", 1), asks("b", 2)]));
    const cards = cardsOf([asks("b", 2)]);
    const left = keepOrder(first, cards, 1000, free);
    const later = (ms: number, held = free) =>
      keysIn(keepOrder(left, cards, 1000 + ms, held), "waiting");
    expect(later(LEAVING_MS - 1)).toEqual(["pane:a", "pane:b"]);
    expect(later(LEAVING_MS)).toEqual(["pane:b"]);
    expect(later(60_000, () => true)).toEqual(["pane:a", "pane:b"]);
    const back = keepOrder(left, cardsOf([asks("b", 2), asks("a", 9)]), 2000, free);
    expect(keysIn(back, "waiting")).toEqual(["pane:a", "pane:b"]);
    expect(back.every(({ leftAt }) => leftAt === null)).toBe(true);
  });
});

function stage(columns = 1) {
  const time = { nowMs: 0 };
  const server = serverOf({
    nowMs: () => time.nowMs,
    browser: {
      ...{ clock: { now: signal(NOW) }, layout: { columns: signal(columns) } },
      touch: { shield: () => {} },
    },
  });
  const { panes, queue } = server;
  const show = (shown: readonly PaneState[], works: readonly ReviewWork[] = []) => {
    panes.take({ panes: [...shown], styles: new Map(), cards: cardsOf(shown, works) });
    queue.follow();
  };
  return { queue, server, show, time };
}

const crashed = (preview: readonly string[], updated = 1000) =>
  pane({ id: "%9", status: "error", preview: [...preview], updated });

test("an error that was put away comes back with new output, a parked agent cannot be put away", () => {
  const { queue, show } = stage();
  const held = pane({ id: "%1", status: "error", parked: limit });
  show([crashed(["boom"]), held]);
  queue.putAway("pane:%9");
  queue.putAway("pane:%1");
  queue.follow();
  expect(slotsOf(queue.order.value)).toEqual(["blocked pane:%1"]);
  show([crashed(["boom"], 2000), held]);
  expect(slotsOf(queue.order.value)).toEqual(["blocked pane:%1"]);
  show([crashed(["boom", "again"], 3000)]);
  expect(slotsOf(queue.order.value)).toContain("errors pane:%9");
});

test("a slot of the order stays the same object while its card does not change", () => {
  const { queue, server, show } = stage();
  show([asks("%1", 1)]);
  const { cards } = server.panes;
  const [before] = queue.order.value;
  server.panes.take({
    ...{ panes: [{ ...asks("%1", 1), updated: 2000 }, asks("%2", 2)], styles: new Map() },
    cards: [...cards.value, ...cardsOf([asks("%2", 2)])],
  });
  queue.follow();
  expect(queue.order.value).toHaveLength(2);
  expect(queue.order.value[0]).toBe(before);
});

test("the card that comes up in the place of a selected one that goes is selected", () => {
  const { queue, show } = stage();
  const { selection } = queue;
  selection.settle();
  expect(selection.key.value).toBeNull();
  show([asks("%1", 1), asks("%2", 2), asks("%3", 3)]);
  selection.settle();
  expect([selection.key.value, selection.place.value]).toEqual(["pane:%1", 1]);
  selection.choose("pane:%2");
  selection.settle();
  show([asks("%1", 1), asks("%3", 3)]);
  queue.enter();
  selection.settle();
  expect(selection.key.value).toBe("pane:%3");
  show([asks("%1", 1)]);
  queue.enter();
  selection.settle();
  expect(selection.key.value).toBe("pane:%1");
});

test("beside its page the selected card stays until its pane is closed", () => {
  const { queue, show, time } = stage(3);
  show([asks("%1", 1), asks("%2", 2)]);
  queue.selection.settle();
  const after = (ms: number, ...shown: PaneState[]) => {
    time.nowMs += ms;
    show(shown);
    return queue.keys.value;
  };
  expect(after(0, pane({ id: "%1" }), asks("%2", 2))).toEqual(["pane:%1", "pane:%2"]);
  expect(after(60_000, pane({ id: "%1" }), asks("%2", 2))).toEqual(["pane:%1", "pane:%2"]);
  expect(after(0, asks("%2", 2))).toEqual(["pane:%2"]);
  queue.selection.settle();
  expect(after(0)).toEqual(["pane:%2"]);
  expect(after(LEAVING_MS)).toEqual([]);
  queue.selection.settle();
  expect(queue.selection.key.value).toBeNull();
});

test("going on selects the next card below that is left, and keeps the selection where there is none", () => {
  const { queue, show } = stage();
  show([asks("%1", 1), asks("%2", 2), asks("%3", 3)]);
  queue.selection.choose("pane:%1");
  queue.selection.lead((key) => key !== "pane:%2");
  expect([queue.selection.key.value, queue.selection.leadCount.value]).toEqual(["pane:%3", 1]);
  queue.selection.lead(() => true);
  expect([queue.selection.key.value, queue.selection.leadCount.value]).toEqual(["pane:%3", 2]);
});

test("a card whose answer is done leaves the order at once, one that asks again stays", () => {
  const { queue, show } = stage();
  show([asks("%1", 1), asks("%2", 2)]);
  show([pane({ id: "%1" }), asks("%2", 2)]);
  expect(queue.keys.value).toEqual(["pane:%1", "pane:%2"]);
  queue.answered("%1");
  queue.answered("%2");
  expect(queue.keys.value).toEqual(["pane:%2"]);
});

describe("Go through", () => {
  /** Two waiting panes, one failed pane and one that has finished. */
  const done = pane({ id: "%4", finished_at: NOW - 100 });
  const idle = (id: string) => pane({ id });
  const both = [asks("%1", 1), asks("%2", 2)] as const;

  function start() {
    const { queue, server, show } = stage();
    show([...both, failing("%3"), done]);
    queue.enter();
    const part = new GoThrough(server);
    part.begin();
    return { part, queue, show, key: () => part.stop.value?.card.key ?? null };
  }

  test("goes over all sections, with the place in each", () => {
    const { part, key } = start();
    const seen: string[] = [];
    for (; key() !== null; part.step(1)) {
      const { section, n, of } = part.place.value ?? {};
      seen.push(`${key()} ${section} ${n}/${of}`);
    }
    expect(seen.join(", ")).toBe(
      "pane:%1 waiting 1/2, pane:%2 waiting 2/2, pane:%3 errors 1/1, pane:%4 finished 1/1",
    );
    expect(part.remaining()).toHaveLength(4);
  });

  test("keeps the order that it began with, and skips cards that were handled elsewhere", () => {
    const { part, show, key } = start();
    show([both[0], idle("%2"), failing("%3"), done, asks("%5", 5)]);
    part.step(1);
    expect(key()).toBe("pane:%3");
    part.step(-1);
    expect(key()).toBe("pane:%1");
    part.step(-1);
    expect(key()).toBe("pane:%1");
  });

  test("stays at a card that is over until a person or the card's end leads on", () => {
    const { part, show, key } = start();
    const first = part.stop.value;
    show([idle("%1"), both[1], failing("%3"), done]);
    expect(key()).toBe("pane:%1");
    expect(first && part.isGone(first)).toBe(true);
    if (first) part.advance(first);
    expect(key()).toBe("pane:%2");
    // A second call for the same card does not go on again.
    if (first) part.advance(first);
    expect(key()).toBe("pane:%2");
  });

  test("puts a card to the end of its section by Later, and lists the remaining cards at its end", () => {
    const { part, queue, show, key } = start();
    part.later();
    expect(keysIn(queue.order.value, "waiting")).toEqual(["pane:%2", "pane:%1"]);
    expect(key()).toBe("pane:%2");
    show([both[0], idle("%2"), idle("%3"), idle("%4")]);
    part.step(1);
    expect(key()).toBeNull();
    expect(slotsOf(part.remaining())).toEqual(["waiting pane:%1"]);
    // Back from the end to the last remaining card.
    part.step(-1);
    expect(key()).toBe("pane:%1");
  });
});

test("all shown cards are marked as reviewed in one request, by the snapshots that are shown", async () => {
  const calls: Call[] = [];
  const api = apiOf((call) => {
    calls.push(call);
    return { body: { reviewed: [] } };
  });
  const marks = new Marks(serverOf({ api }));
  const changes = { goal_changed: { from: null, to: "Count the apples" } };
  const groups = rank([workOf(1, { changes }), workOf(2, { changes })]);
  const { cards } = makeCards({ panes: [], groups, now: NOW });
  expect(await marks.mark(cards)).toBe(true);
  const [{ method, path, body } = { method: "", path: "", body: null }] = calls;
  const snapshots = cards.map(({ agent_id, snapshot_id }) => ({ agent_id, snapshot_id }));
  expect([method, path, body]).toEqual(["PUT", "/api/review/all", { snapshots }]);
  expect(cards.map((card) => marks.of(card))).toEqual(["reviewed", "reviewed"]);
  // A later snapshot of the agent is not marked.
  expect(cards.map((card) => marks.of({ ...card, snapshot_id: "later" }))).toEqual([null, null]);
});
