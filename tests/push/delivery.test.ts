import { expect, test } from "bun:test";
import { Delivery } from "../../src/push/delivery.ts";
import type { Message, Outcome } from "../../src/push/message.ts";
import { FakeClock } from "../support/clock.ts";
import { until } from "../support/until.ts";
import { ALERT } from "./stage.ts";

const alert = (tag: string): Message => ({ ...ALERT, tag });
const answered = (tag: string): Message => ({ kind: "answered", tag, paneId: "%1" });
const ACCEPTED: Outcome = { is: "accepted", detail: "200" };
const LATER: Outcome = { is: "later", detail: "503", afterMs: 0 };

interface Pause {
  ms: number;
  end: () => void;
}

/** @param endsPauses false: the test ends each pause itself */
function stage({ endsPauses = true } = {}) {
  const clock = new FakeClock();
  const sent: string[] = [];
  const done: string[] = [];
  const pauses: Pause[] = [];
  const replies: (Outcome | Promise<Outcome>)[] = [];
  const state = { isDue: true };
  const delivery = new Delivery({
    send: async (device, message) => {
      sent.push(`${device} ${message.kind} ${message.tag}`);
      return { ...((await replies.shift()) ?? ACCEPTED), sentTo: null };
    },
    isDue: () => state.isDue,
    done: (device, message, { is }) => done.push(`${device} ${message.kind} ${message.tag} ${is}`),
    clock,
    pause: async (ms, signal) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      pauses.push({ ms, end: resolve });
      if (signal.aborted) resolve();
      signal.addEventListener("abort", () => resolve());
      if (!endsPauses) return await promise;
      clock.advance(ms / 1000);
    },
  });
  const settled = () => until(() => delivery.size === 0);
  return { clock, sent, done, pauses, replies, state, delivery, settled };
}

test("a message to a busy service is tried three times more, after 2 s, 30 s and 5 minutes", async () => {
  const { delivery, replies, pauses, done, settled } = stage();
  replies.push(LATER, LATER, LATER, LATER);
  delivery.push("a", alert("one"));
  await settled();
  expect(pauses.map(({ ms }) => ms)).toEqual([2000, 30_000, 300_000]);
  expect(done).toEqual(["a pane one later"]);
});

test("a retry waits as long as the service asks, where that is longer", async () => {
  const { delivery, replies, pauses, settled } = stage();
  replies.push({ ...LATER, afterMs: 9000 });
  delivery.push("a", alert("one"));
  await settled();
  expect(pauses.map(({ ms }) => ms)).toEqual([9000]);
});

test("a message is not tried again once its cause is gone", async () => {
  const { delivery, replies, sent, state, done, settled } = stage();
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  replies.push(promise);
  delivery.push("a", alert("one"));
  state.isDue = false;
  resolve(LATER);
  await settled();
  expect(sent).toEqual(["a pane one"]);
  expect(done).toEqual(["a pane one dropped"]);
});

test("a message that hangs or is retried delays no other, not even of the same device", async () => {
  const { delivery, replies, pauses, done } = stage({ endsPauses: false });
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  replies.push(promise, LATER);
  delivery.push("slow", alert("one"));
  delivery.push("slow", alert("two"));
  await until(() => pauses[0] ?? null);
  delivery.push("slow", alert("three"));
  delivery.push("quick", alert("one"));
  await until(() => done.length === 2);
  expect(done).toEqual(["slow pane three accepted", "quick pane one accepted"]);
  resolve(ACCEPTED);
  await delivery.stop();
});

test("of the messages behind a hanging one of their tag only the newest is sent", async () => {
  const { delivery, replies, sent, done, settled } = stage();
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  replies.push(promise);
  for (let index = 0; index < 100; index++) delivery.push("a", alert("one"));
  expect(delivery.size).toBe(2);
  resolve(ACCEPTED);
  await settled();
  expect(sent).toEqual(["a pane one", "a pane one"]);
  expect(done.filter((line) => line.endsWith("dropped"))).toHaveLength(98);
});

test("a newer message replaces one of its tag that waits for a retry, and is sent at once", async () => {
  const { delivery, replies, pauses, sent, done, settled } = stage({ endsPauses: false });
  replies.push(LATER);
  delivery.push("a", alert("one"));
  await until(() => pauses[0] ?? null);
  delivery.push("a", answered("one"));
  await settled();
  expect(sent).toEqual(["a pane one", "a answered one"]);
  expect(done).toEqual(["a pane one dropped", "a answered one accepted"]);
});

test("a message that is older than ten minutes is not tried again", async () => {
  const { clock, delivery, replies, pauses, sent, done, settled } = stage({ endsPauses: false });
  replies.push(LATER);
  delivery.push("a", alert("one"));
  const pause = await until(() => pauses[0] ?? null);
  clock.advance(601);
  pause.end();
  await settled();
  expect(sent).toEqual(["a pane one"]);
  expect(done).toEqual(["a pane one later"]);
});

test("a message that is pushed while another of its tag ends is sent", async () => {
  const sent: string[] = [];
  const delivery: Delivery = new Delivery({
    send: async (_, { kind }) => {
      sent.push(kind);
      return { ...ACCEPTED, sentTo: null };
    },
    isDue: () => true,
    done: (device, message) => {
      if (message.kind === "pane") delivery.push(device, answered("one"));
    },
    clock: new FakeClock(),
    pause: async () => {},
  });
  delivery.push("a", alert("one"));
  await until(() => delivery.size === 0);
  expect(sent).toEqual(["pane", "answered"]);
});

test("a stopped delivery sends no message", async () => {
  const { delivery, sent } = stage();
  await delivery.stop();
  delivery.push("a", alert("one"));
  expect(sent).toEqual([]);
});
