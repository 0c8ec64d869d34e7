import { expect, test } from "bun:test";
import type { Pane } from "../../../web/model/pane.ts";
import {
  entriesOf,
  EMPTY_ORDER,
  keepOrder,
  LEAVING_MS,
  orderEntries,
  type Order,
} from "../../../web/model/queue/order.ts";
import { pane } from "../../support/pane.ts";

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
