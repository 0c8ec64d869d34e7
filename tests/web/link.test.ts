import { afterEach, describe, expect, test } from "bun:test";
import { signal } from "@preact/signals";
import type { Scene } from "../../src/protocol/delta.ts";
import type { Host } from "../../web/model/hosts.ts";
import type { Pane } from "../../web/model/pane.ts";
import {
  backoffMs,
  type Connection,
  type ConnectionEvent,
  due,
  INITIAL,
  reduce,
  silenceMs,
} from "../../web/net/connection.ts";
import { Link } from "../../web/state/server/link.ts";
import { fixtureHost } from "../support/fixture-hosts.ts";
import { apiOf, FakeSocket, serverOf } from "../support/page-server.ts";
import { pane } from "../support/pane.ts";
import { until } from "../support/until.ts";

const state = (question: string) => ({
  type: "state",
  panes: [pane({ status: "needs_input", question })],
});

/** A link over a network whose answers come when the test lets them. */
function openLink({ isKnown = false, handshake = async () => {} } = {}) {
  /** What the agent workspace is told. */
  const told: unknown[] = [];
  const workspace = {
    receive: (event: unknown) => told.push(event),
    onResumed: () => told.push("resumed"),
    onMissed: () => told.push("missed"),
  };
  const asked: { path: string; signal: AbortSignal; answer: (response: Response) => void }[] = [];
  const sockets: FakeSocket[] = [];
  const shown: (string | null | undefined)[] = [];
  const machines: string[] = [];
  const api = apiOf(() => "lost", {
    fetch: (path, { signal }) =>
      new Promise((answer) => {
        if (signal) asked.push({ path, signal, answer });
      }),
  });
  let handshakes = 0;
  const connection = signal(INITIAL);
  const invitation = signal<string | null>(null);
  const sid = signal<string | null>(null);
  const server = serverOf({
    ...{ api, connection, invitation, sid },
    workspace: { current: workspace },
    nowMs: () => performance.now(),
    openSocket: ({ events, cursor }: Record<string, unknown>) => {
      const socket = new FakeSocket(`${events} ${cursor}`);
      sockets.push(socket);
      return socket;
    },
    config: {
      current: signal(isKnown ? { poll_interval: 0.7 } : null),
      load: async () => {
        handshakes++;
        await handshake();
        return "ok";
      },
    },
    panes: { take: ({ panes }: Scene<Pane>) => void shown.push(panes[0]?.question) },
    takeHosts: (hosts: readonly Host[]) =>
      void machines.push(hosts.map(({ name }) => name).join(" ")),
  });
  const link = new Link(server);
  open = link;
  return {
    ...{ link, asked, sockets, shown, machines, invitation, told },
    phase: () => connection.value.phase,
    sid: () => sid.value,
    handshakes: () => handshakes,
    lose: (at: number) => sockets[at]?.onclose?.({ code: 1006, reason: "" }),
    answer: (at: number, body: unknown, status = 200) =>
      asked[at]?.answer(Response.json(body, { status })),
  };
}

/** It has opened its first socket. */
async function started(options?: Parameters<typeof openLink>[0]) {
  const it = openLink(options);
  it.link.start();
  await holds(() => it.sockets.length === 1);
  return it;
}

const holds = (check: () => boolean) => until(() => check() || null);

let open: Link | null = null;
afterEach(() => open?.sleep());

test("an answer of REST that a frame has overtaken does not bring the old prompt back", async () => {
  const it = await started();
  it.sockets[0]?.say(state("first?"));

  const refreshed = it.link.refresh();
  it.sockets[0]?.say(state("second?"));
  it.answer(0, state("first?"));
  // What is shown is newer than the question, so it is fresh.
  expect(await refreshed).toBe(true);
  expect(it.shown).toEqual(["first?", "second?"]);
});

test("of two questions the one that was asked later decides, in whatever order they are answered", async () => {
  const it = await started();
  const earlier = it.link.refresh();
  const later = it.link.refresh();
  it.answer(1, state("newer?"));
  expect(await later).toBe(true);
  it.answer(0, state("older?"));
  expect(await earlier).toBe(true);
  const last = it.link.refresh();
  it.answer(2, state("newest?"));
  expect(await last).toBe(true);
  expect(it.shown).toEqual(["newer?", "newest?"]);
});

test("Retry connects at once, also while an earlier request hangs, and shakes hands again", async () => {
  const it = await started();
  it.lose(0);
  await holds(() => it.asked.length === 1);
  const shaken = it.handshakes();
  it.link.start();
  await holds(() => it.handshakes() === shaken + 1 && it.sockets.length === 2);
  // The one that hung neither shows anything nor stops the polling.
  it.answer(0, { detail: "bad or missing token" }, 401);
  it.sockets[1]?.say(state("by socket?"));
  expect(it.shown).toEqual(["by socket?"]);
  expect(it.phase()).toBe("live");
});

test("what was asked before signing out or a kill shows nothing afterwards", async () => {
  const it = await started();
  const refreshed = it.link.refresh();
  it.link.refuse("killed");
  it.answer(0, state("late?"));
  expect(await refreshed).toBe(false);
  expect([it.phase(), it.shown]).toEqual(["killed", []]);
});

test("a delta that does not fit is not guessed at: the page connects again", async () => {
  const it = await started();
  it.sockets[0]?.say(state("first?"));
  it.sockets[0]?.say({ type: "delta", changed: [{ id: "%404", set: { question: "whose?" } }] });
  expect(it.phase()).toBe("connecting");
  // What the old socket still says is nobody's affair.
  it.sockets[0]?.say(state("late?"));
  await holds(() => it.sockets.length === 2);
  it.sockets[1]?.say(state("second?"));
  expect([it.phase(), it.shown]).toEqual(["live", ["first?", "second?"]]);
});

test("the machines come with the state, and with a delta where they have changed", async () => {
  const it = await started({ isKnown: true });
  const [laptop, gpu] = ["laptop", "gpu-1"].map((name) => fixtureHost({ name }));
  it.sockets[0]?.say({ ...state("first?"), hosts: [laptop, gpu] });
  it.sockets[0]?.say({ type: "delta" });
  it.sockets[0]?.say({ type: "delta", hosts: [] });
  it.sockets[0]?.say(state("first?"));
  expect(it.machines).toEqual(["laptop gpu-1", "", ""]);
});

test("REST shares no slow link with the first state of the socket", async () => {
  const it = await started();
  it.sockets[0]?.say(state("first?"));
  expect([it.phase(), it.shown, it.asked.length]).toEqual(["live", ["first?"], 0]);
});

test("REST takes over from a socket that is lost, and its request ends with the next loss", async () => {
  const it = await started();
  it.lose(0);
  await holds(() => it.asked.length === 1 && it.sockets.length === 2);
  expect(it.asked[0]?.signal.aborted).toBe(false);
  it.lose(1);
  expect(it.asked[0]?.signal.aborted).toBe(true);
});

test("a server that is known is connected to at once, however long its handshake hangs", async () => {
  const it = await started({ isKnown: true, handshake: () => new Promise(() => {}) });
  it.sockets[0]?.say(state("first?"));
  expect([it.phase(), it.shown]).toEqual(["live", ["first?"]]);
  await holds(() => it.handshakes() === 1);
});

test("a socket that is closed with a code hands it on; any other refusal holds none", async () => {
  for (const [reason, codes] of [
    ["pair=abc-123", ["abc-123"]],
    ["signed out", []],
  ] as const) {
    const it = await started();
    it.sockets[0]?.onclose?.({ code: 1008, reason });
    expect(it.invitation.value).toBe(codes.at(-1) ?? null);
    expect(it.phase()).toBe("unauthorized");
  }
});

describe("events of agents", () => {
  const event = (cursor: number) => ({ type: "agent_event", cursor, event: { of: cursor } });

  test("go on behind the last one that was told, over a loss and over a sleep", async () => {
    const it = await started({ isKnown: true });
    it.sockets[0]?.say({ type: "hello", sid: "one", cursor: 100 });
    it.sockets[0]?.say(state("first?"));
    it.sockets[0]?.say(event(101));
    it.lose(0);
    await holds(() => it.sockets.length === 2);
    it.sockets[1]?.say({ type: "hello", sid: "two", cursor: 101 });
    it.sockets[1]?.say(event(102));
    it.link.sleep();
    it.link.start();
    await holds(() => it.sockets.length === 3);
    it.sockets[2]?.say({ type: "hello", sid: "three", cursor: 102 });
    expect(it.sockets.map(({ url }) => url)).toEqual(["1 null", "1 101", "1 102"]);
    expect(it.told).toEqual(["missed", { of: 101 }, "resumed", { of: 102 }, "resumed"]);
  });

  test("that were missed are told of as missed, once and for all", async () => {
    const it = await started({ isKnown: true });
    it.sockets[0]?.say({ type: "hello", sid: "one", cursor: 100 });
    it.sockets[0]?.say({ type: "reset", cursor: 500, reason: "subscriber_lagged" });
    it.lose(0);
    await holds(() => it.sockets.length === 2);
    // Another run of the server counts anew.
    it.sockets[1]?.say({ type: "hello", sid: "two", cursor: 3 });
    it.lose(1);
    await holds(() => it.sockets.length === 3);
    expect(it.sockets.map(({ url }) => url)).toEqual(["1 null", "1 500", "1 3"]);
    expect(it.told).toEqual(["missed", "missed", "missed"]);
  });

  test("may be none: then whatever is shown counts as missed with each socket", async () => {
    const it = openLink({ isKnown: true });
    for (const at of [0, 1]) {
      it.link.start();
      await holds(() => it.sockets.length === at + 1);
      it.sockets[at]?.say({ type: "hello", sid: "one" });
    }
    expect(it.told).toEqual(["missed", "missed"]);
  });

  test("that no socket brings are missed with each state of REST", async () => {
    const it = await started();
    it.lose(0);
    await holds(() => it.asked.length === 1);
    it.answer(0, state("by REST?"));
    await holds(() => it.shown.length === 1);
    expect([it.phase(), it.told]).toEqual(["rest", ["missed"]]);
  });

  test("a session is over with its socket: what REST tells then may be of another run", async () => {
    const it = await started({ isKnown: true });
    it.sockets[0]?.say({ type: "hello", sid: "one", cursor: 100 });
    expect(it.sid()).toBe("one");
    it.lose(0);
    expect(it.sid()).toBeNull();
  });
});

const START: ConnectionEvent = { type: "start" };
const LOST: ConnectionEvent = { type: "lost", jitterMs: 0 };

/** Feeds events, each with its time in milliseconds. */
function run(...events: readonly (readonly [number, ConnectionEvent])[]): Connection {
  return events.reduce((c, [at, event]) => reduce(c, event, at), INITIAL);
}

test("a first state may take eight seconds, whatever counts as silence afterwards", () => {
  const opening = run([0, START], [5, { type: "configured" }], [10, { type: "opening" }]);
  expect(due(opening, 3000)).toMatchObject({ pollAt: Infinity, silentAt: 8010 });
  // Without it, REST takes over before the page would say Offline.
  const lost = reduce(opening, LOST, 8010);
  expect(due(lost, 3000)).toMatchObject({ pollAt: 8010, offlineAt: 10_000 });
});

test("silence is two passes plus a second; a lost socket is tried after 0.5 s, doubling to 8 s", () => {
  expect([silenceMs(0.7), silenceMs(5)]).toEqual([3000, 11_000]);
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

test("a page that sleeps, or was refused, holds nothing open until a person starts anew", () => {
  for (const as of ["unauthorized", "incompatible", "killed"] as const) {
    const c = run([0, START], [10, { type: "refused", as }], [20, { type: "frame" }], [30, LOST]);
    expect(c.phase).toBe(as);
    expect(Math.min(...Object.values(due(c, 3000)))).toBe(Infinity);
    expect(reduce(c, START, 50).phase).toBe("connecting");
  }
  const asleep = run([0, START], [10, { type: "frame" }], [30_000, { type: "sleep" }]);
  expect(Math.min(...Object.values(due(asleep, 3000)))).toBe(Infinity);
});
