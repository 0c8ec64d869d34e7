import { expect, test } from "bun:test";
import {
  backoffMs,
  due,
  INITIAL,
  reduce,
  silenceMs,
  type Connection,
  type ConnectionEvent,
} from "../../web/net/connection.ts";

const START: ConnectionEvent = { type: "start" };
const LOST: ConnectionEvent = { type: "lost", jitterMs: 0 };

/** Feeds events, each with its time in milliseconds. */
function run(...events: readonly (readonly [number, ConnectionEvent])[]): Connection {
  return events.reduce((c, [at, event]) => reduce(c, event, at), INITIAL);
}

test("a first state may take eight seconds, whatever counts as silence afterwards", () => {
  const opening = run([0, START], [5, { type: "configured" }], [10, { type: "opening" }]);
  expect(due(opening, 3000)).toMatchObject({ pollAt: null, silentAt: 8010 });
  // Without it, REST takes over before the page would say Offline.
  const lost = reduce(opening, LOST, 8010);
  expect(due(lost, 3000)).toMatchObject({ pollAt: 8010, offlineAt: 10_000 });
});

test("silence is the longer of three seconds and two passes plus one", () => {
  expect(silenceMs(0.7)).toBe(3000);
  expect(silenceMs(5)).toBe(11_000);
});

test("a lost socket is tried again after 0.5 s, doubling to 8 s, with jitter on top", () => {
  expect([1, 2, 3, 4, 5, 6, 20].map((n) => backoffMs(n, 0))).toEqual([
    500, 1000, 2000, 4000, 8000, 8000, 8000,
  ]);
  expect(backoffMs(5, 300)).toBe(8300);
});

test("a network that swallows the first request is Offline after ten seconds too", () => {
  const hanging = run([500, START]);
  expect(due(hanging, 3000).offlineAt).toBe(10_500);
  expect(reduce(hanging, { type: "tick" }, 10_500).phase).toBe("offline");
});

test("REST that answers while the first socket is still on its way is not yet a fallback", () => {
  const c = run([0, START], [10, { type: "opening" }], [30, { type: "polled" }]);
  expect(c.phase).toBe("connecting");
  expect(reduce(c, { type: "polled" }, 2030).phase).toBe("rest");
});

test("refusals hold until the person starts anew", () => {
  for (const as of ["unauthorized", "incompatible", "killed"] as const) {
    const c = run([0, START], [10, { type: "refused", as }], [20, { type: "frame" }], [30, LOST]);
    expect(c.phase).toBe(as);
    expect(Object.values(due(c, 3000))).toEqual([null, null, null, null]);
    expect(reduce(c, START, 50).phase).toBe("connecting");
  }
});

test("a sleeping page holds nothing open", () => {
  const asleep = run([0, START], [10, { type: "frame" }], [30_000, { type: "sleep" }]);
  expect(Object.values(due(asleep, 3000))).toEqual([null, null, null, null]);
});
