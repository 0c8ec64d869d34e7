import { describe, expect, test } from "bun:test";
import { rank, type ReviewWork } from "../../../src/review/rank.ts";
import type { Pane } from "../../../web/model/pane.ts";
import {
  EMPTY_ORDER,
  LEAVING_MS,
  entriesOf,
  keepOrder,
  orderEntries,
  putLast,
  type Entry,
  type Order,
} from "../../../web/model/queue/order.ts";
import { NOW, agentOf, decisionOf, workOf } from "../../review/works.ts";
import { pane } from "../../support/pane.ts";

import fc from "fast-check";

const facts = (panes: readonly Pane[], works: readonly ReviewWork[] | null = null) => ({
  panes,
  groups: works === null ? null : rank([...works]),
  now: NOW,
  isPutAway: () => false,
});
const told = (entries: readonly Entry[]) => entries.map(({ key, section }) => `${section} ${key}`);
const agent = (n: number) => `agent:${agentOf(n).id}`;
const stuck = {
  new_blockers: [{ id: "b", title: "stuck", created_at: NOW - 5, source: "runtime_plan" as const }],
};
const goal = { goal_changed: { from: null, to: "ship it" } };

describe("entries", () => {
  test("an error that was put away is no card, but what changed is", () => {
    const panes = [pane({ id: "%1", status: "error" })];
    expect(entriesOf({ ...facts(panes), isPutAway: () => true })).toEqual([]);
    const changed = facts(panes, [workOf(1, { changes: goal })]);
    expect(told(entriesOf(changed))).toEqual([`errors ${agent(1)}`]);
    expect(told(entriesOf({ ...changed, isPutAway: () => true }))).toEqual([`changed ${agent(1)}`]);
  });

  test("what is parked stands below Blocked", () => {
    const parked = { reason: "5-hour limit", until: null, continues: false };
    const panes = [pane({ id: "%1", status: "error", parked })];
    expect(told(entriesOf(facts(panes)))).toEqual(["blocked pane:%1"]);
  });

  test("urgent decisions stand first, then the longest wait, as the server ranks them", () => {
    const since = [NOW - 20, NOW - 10, NOW - 5];
    const panes = since.map((prompt_since, n) =>
      pane({ id: `%${n}`, status: "needs_input", prompt_since }),
    );
    const urgent = workOf(2, { decisions: [decisionOf(2, 1, { priority: "critical" })] });
    const { waiting } = orderEntries(entriesOf(facts(panes.toReversed(), [urgent])));
    expect(waiting.map(({ paneId }) => paneId)).toEqual(["%2", "%0", "%1"]);
  });
});

describe("laws", () => {
  const statuses = ["needs_input", "error", "working", "idle"] as const;
  const scene = fc.record({
    panes: fc.uniqueArray(
      fc.record({
        n: fc.integer({ min: 1, max: 6 }),
        status: fc.constantFrom(...statuses),
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
    entriesOf(
      facts(
        panes.map(({ n, status, since, isDone }) =>
          pane({ id: `%${n}`, status, prompt_since: since, finished_at: isDone ? NOW - 1 : null }),
        ),
        works.map(({ n, inPane, isCertain, asks, isStuck }) =>
          workOf(n, {
            agent: agentOf(n, {
              pane_id: `%${inPane}`,
              association: isCertain ? "confirmed" : "ambiguous",
            }),
            decisions: asks ? [decisionOf(n, 1)] : [],
            changes: isStuck ? stuck : goal,
          }),
        ),
      ),
    );
  const slots = (order: typeof EMPTY_ORDER) => Object.values(order).flat();

  test("what stands keeps its order and its section, nothing stands twice, nothing is lost", () => {
    fc.assert(
      fc.property(scene, scene, (one, two) => {
        const first = orderEntries(read(one));
        const entries = read(two);
        const next = keepOrder(first, entries, 0, () => false);
        const keys = slots(next).map(({ key }) => key);
        expect(new Set(keys).size).toBe(keys.length);
        const panes = slots(next).flatMap(({ paneId }) => paneId ?? []);
        for (const { key, paneId } of entries)
          expect(keys.includes(key) || (paneId !== null && panes.includes(paneId))).toBe(true);
        for (const [section, before] of Object.entries(first)) {
          const stood = new Set(before.map(({ key }) => key));
          const now = Object.entries(next).find(([name]) => name === section)?.[1] ?? [];
          const kept = now.map(({ key }) => key).filter((key) => stood.has(key));
          expect(kept).toEqual(before.map(({ key }) => key).filter((key) => kept.includes(key)));
        }
        // What has left is gone once its time is over, and then all stand where they belong.
        const late = keepOrder(next, entries, 10_000, () => false);
        const settled = keepOrder(late, entries, 10_000, () => false);
        expect(told(entries).toSorted()).toEqual(
          Object.entries(settled)
            .flatMap(([section, here]) => here.map(({ key }) => `${section} ${key}`))
            .toSorted(),
        );
        expect(keepOrder(settled, entries, 20_000, () => false)).toBe(settled);
      }),
    );
  });
});

test("a pane keeps its place when the agent in it becomes known", () => {
  const panes = [1, 2, 3].map((n) => pane({ id: `%${n}`, status: "needs_input", prompt_since: n }));
  const before = keepOrder(EMPTY_ORDER, entriesOf(facts(panes)), 0, () => false);
  const works = [workOf(2, { changes: goal })];
  const after = keepOrder(before, entriesOf(facts(panes, works)), 0, () => false);
  expect(after.waiting.map(({ key }) => key)).toEqual(["pane:%1", agent(2), "pane:%3"]);
});

test("what is put off stands last until the order is made anew", () => {
  const panes = [1, 2].map((n) => pane({ id: `%${n}`, status: "needs_input", prompt_since: n }));
  const entries = entriesOf(facts(panes));
  const off = putLast(orderEntries(entries), "pane:%1");
  const keys = (order: typeof EMPTY_ORDER) => order.waiting.map(({ key }) => key);
  expect(keys(keepOrder(off, entries, 0, () => false))).toEqual(["pane:%2", "pane:%1"]);
  expect(keys(orderEntries(entries))).toEqual(["pane:%1", "pane:%2"]);
});

test("a failed pane that asks something stands in Waiting at once, and nowhere else", () => {
  const one = (status: "error" | "needs_input" | "working") =>
    entriesOf(facts([pane({ id: "%1", status, prompt_since: 5 })]));
  const asks = keepOrder(orderEntries(one("error")), one("needs_input"), 0, () => false);
  expect(asks.errors).toEqual([]);
  expect(asks.waiting.map(({ key }) => key)).toEqual(["pane:%1"]);
  const failing = keepOrder(asks, one("error"), 0, () => false);
  expect([failing.waiting.length, failing.errors.length]).toEqual([1, 0]);
});

const waiting = (id: string, since: number): Pane =>
  pane({ id, status: "needs_input", prompt_since: since });
const free = () => false;
const ids = (slots: readonly { paneId: string | null }[]) => slots.map(({ paneId }) => paneId);
const read = (panes: readonly Pane[]) =>
  entriesOf({ panes, groups: null, now: 0, isPutAway: () => false });
const orderQueue = (panes: readonly Pane[]) => orderEntries(read(panes));
const keepQueue = (order: Order, panes: readonly Pane[], nowMs: number, held: () => boolean) =>
  keepOrder(order, read(panes), nowMs, held);

test("orders by the longest wait, errors in their own group", () => {
  const queue = orderQueue([
    waiting("a", 30),
    pane({ id: "e", status: "error" }),
    waiting("b", 10),
    pane({ id: "x" }),
  ]);
  expect(ids(queue.waiting)).toEqual(["b", "a"]);
  expect(ids(queue.errors)).toEqual(["e"]);
});

test("the order is frozen: an older arrival is appended, nothing moves", () => {
  const first = orderQueue([waiting("a", 30), waiting("b", 20)]);
  const next = keepQueue(first, [waiting("c", 1), waiting("a", 30), waiting("b", 20)], 0, free);
  expect(ids(next.waiting)).toEqual(["b", "a", "c"]);
});

test("an unchanged snapshot gives the same object, so nothing is drawn", () => {
  const panes = [waiting("a", 30), waiting("b", 20)];
  const queue = orderQueue(panes);
  expect(keepQueue(queue, panes, 100, free)).toBe(queue);
});

test("a pane that stops waiting keeps its slot for three seconds", () => {
  const queue = keepQueue(EMPTY_ORDER, [waiting("a", 1), waiting("b", 2)], 0, free);
  const left = keepQueue(queue, [waiting("b", 2)], 1000, free);
  expect(ids(left.waiting)).toEqual(["a", "b"]);
  expect(ids(keepQueue(left, [waiting("b", 2)], 1000 + LEAVING_MS - 1, free).waiting)).toEqual([
    "a",
    "b",
  ]);
  expect(ids(keepQueue(left, [waiting("b", 2)], 1000 + LEAVING_MS, free).waiting)).toEqual(["b"]);
});

test("a pane whose answer is under way keeps its slot as long as that lasts", () => {
  const queue = keepQueue(EMPTY_ORDER, [waiting("a", 1)], 0, free);
  const left = keepQueue(queue, [], 1000, free);
  expect(ids(keepQueue(left, [], 60_000, () => true).waiting)).toEqual(["a"]);
});

test("one that waits again takes its old slot back", () => {
  const queue = keepQueue(EMPTY_ORDER, [waiting("a", 1), waiting("b", 2)], 0, free);
  const left = keepQueue(queue, [waiting("b", 2)], 1000, free);
  const back = keepQueue(left, [waiting("b", 2), waiting("a", 9)], 2000, free);
  expect(ids(back.waiting)).toEqual(["a", "b"]);
  expect(back.waiting.every(({ leftAt }) => leftAt === null)).toBe(true);
});
