import { describe, expect, test } from "bun:test";
import { createLog } from "../../src/lib/log.ts";
import { Delivery } from "../../src/push/delivery.ts";
import type { Message } from "../../src/push/message.ts";
import type { Outcome } from "../../src/push/transport.ts";
import { FakeClock } from "../support/clock.ts";
import { until } from "../support/until.ts";

const alert = (tag: string): Message => ({
  kind: "pane",
  reason: "needs_input",
  tag,
  pane: { id: "%1", name: "", provider: "mux", menu: [] },
  panes: 1,
  badge: 1,
});
const answered = (tag: string): Message => ({ kind: "answered", tag, paneId: "%1", badge: 0 });
const ACCEPTED: Outcome = { is: "accepted", detail: "200" };
const LATER: Outcome = { is: "later", detail: "503", afterMs: 0 };

function stage() {
  const clock = new FakeClock();
  const sent: string[] = [];
  const done: string[] = [];
  const pauses: number[] = [];
  const replies: (Outcome | Promise<Outcome>)[] = [];
  const state = { isDue: true };
  const delivery = new Delivery({
    send: async (device, message) => {
      sent.push(`${device} ${message.kind} ${message.tag}`);
      return (await replies.shift()) ?? ACCEPTED;
    },
    isDue: () => state.isDue,
    done: (device, message, { is }) => done.push(`${device} ${message.kind} ${message.tag} ${is}`),
    clock,
    log: createLog(() => {}),
    pause: async (ms) => {
      pauses.push(ms);
      clock.advance(ms / 1000);
    },
  });
  const settled = () => until(() => (delivery.size === 0 ? true : null));
  return { clock, sent, done, pauses, replies, state, delivery, settled };
}

describe("delivery", () => {
  test("what a service is too busy for is tried three times more, with a growing pause", async () => {
    const { delivery, replies, pauses, done, settled } = stage();
    replies.push(LATER, LATER, LATER, LATER);
    delivery.push("a", alert("one"));
    await settled();
    expect(pauses).toEqual([1000, 4000, 16_000]);
    expect(done).toEqual(["a pane one later"]);
  });

  test("a longer pause that the service asks for is kept", async () => {
    const { delivery, replies, pauses, settled } = stage();
    replies.push({ ...LATER, afterMs: 9000 });
    delivery.push("a", alert("one"));
    await settled();
    expect(pauses).toEqual([9000]);
  });

  test("nothing is tried again once its cause is gone", async () => {
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

  test("a device that hangs delays no other", async () => {
    const { delivery, replies, done } = stage();
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    replies.push(promise);
    delivery.push("slow", alert("one"));
    delivery.push("quick", alert("one"));
    await until(() => (done.length === 1 ? true : null));
    expect(done).toEqual(["quick pane one accepted"]);
    resolve(ACCEPTED);
    await delivery.stop();
  });

  test("of what waits behind a hanging one, the newest of each tag is kept", async () => {
    const { delivery, replies, sent, done, settled } = stage();
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    replies.push(promise);
    delivery.push("a", alert("first"));
    for (let index = 0; index < 100; index++) delivery.push("a", alert("one"));
    expect(delivery.size).toBe(2);
    delivery.push("a", alert("two"));
    resolve(ACCEPTED);
    await settled();
    expect(sent).toEqual(["a pane first", "a pane one", "a pane two"]);
    expect(done.filter((line) => line.endsWith("dropped"))).toHaveLength(99);
  });

  test("an alert that never left is not taken back, one that did is", async () => {
    const { delivery, replies, sent, settled } = stage();
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    replies.push(promise);
    delivery.push("a", alert("one"));
    delivery.push("a", alert("two"));
    delivery.push("a", answered("one"));
    delivery.push("a", answered("two"));
    resolve(ACCEPTED);
    await settled();
    expect(sent).toEqual(["a pane one", "a answered one"]);
  });

  test("what could only come too late is dropped", async () => {
    const { clock, delivery, replies, done, settled } = stage();
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    replies.push(promise);
    delivery.push("a", alert("one"));
    delivery.push("a", alert("two"));
    clock.advance(601);
    resolve(ACCEPTED);
    await settled();
    expect(done).toEqual(["a pane one accepted", "a pane two dropped"]);
  });

  test("after the end nothing begins", async () => {
    const { delivery, sent } = stage();
    await delivery.stop();
    delivery.push("a", alert("one"));
    expect(sent).toEqual([]);
  });
});
