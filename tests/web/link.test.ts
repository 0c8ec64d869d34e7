import { afterEach, describe, expect, test } from "bun:test";
import { effect, signal } from "@preact/signals";
import type { Scene } from "../../src/protocol/delta.ts";
import type { Host } from "../../web/model/filter.ts";
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
import { followReader } from "../../web/state/app-effects.ts";
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
function openLink({
  isKnown = false,
  handshake = async () => "ok",
  token = () => "",
}: {
  readonly isKnown?: boolean;
  readonly handshake?: () => Promise<string>;
  readonly token?: () => string;
} = {}) {
  /** The calls of the agent workspace. */
  const workspaceCalls: unknown[] = [];
  const workspace = {
    receive: (event: unknown) => workspaceCalls.push(event),
    onMissed: () => workspaceCalls.push("missed"),
  };
  const requests: { path: string; signal: AbortSignal; answer: (response: Response) => void }[] =
    [];
  const sockets: FakeSocket[] = [];
  const questions: (string | null | undefined)[] = [];
  const machines: string[] = [];
  const api = apiOf(() => "lost", {
    token,
    onUnauthorized: () => link.refuse("unauthorized"),
    fetch: (path, { signal }) =>
      new Promise((answer) => {
        if (signal) requests.push({ path, signal, answer });
      }),
  });
  let handshakes = 0;
  const known = { poll_interval: 0.7 };
  const current = signal(isKnown ? known : null);
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
      current,
      load: async () => {
        handshakes++;
        const result = await handshake();
        if (result === "ok") current.value = known;
        return result;
      },
    },
    panes: { take: ({ panes }: Scene<Pane>) => void questions.push(panes[0]?.question) },
    takeHosts: (hosts: readonly Host[]) =>
      void machines.push(hosts.map(({ name }) => name).join(" ")),
  });
  const link = new Link(server);
  open = link;
  return {
    ...{ link, requests, sockets, questions, machines, invitation, workspaceCalls },
    phase: () => connection.value.phase,
    sid: () => sid.value,
    handshakes: () => handshakes,
    lose: (at: number) => sockets[at]?.onclose?.({ code: 1006, reason: "" }),
    answer: (at: number, body: unknown, status = 200) =>
      requests[at]?.answer(Response.json(body, { status })),
  };
}

/** A link that has opened its first socket. */
async function started(options?: Parameters<typeof openLink>[0]) {
  const page = openLink(options);
  page.link.start();
  await holds(() => page.sockets.length === 1);
  return page;
}

const holds = (check: () => boolean) => until(() => check() || null);

let open: Link | null = null;
afterEach(() => open?.sleep());

test("a REST reply that a socket frame has overtaken does not bring the old prompt back", async () => {
  const page = await started();
  page.sockets[0]?.say(state("first?"));

  const refreshed = page.link.refresh();
  page.sockets[0]?.say(state("second?"));
  page.answer(0, state("first?"));
  // The shown state is newer than the request, so it is fresh.
  expect(await refreshed).toBe(true);
  expect(page.questions).toEqual(["first?", "second?"]);
});

test("of two REST replies only the one that was asked for later is shown", async () => {
  const page = await started();
  const earlier = page.link.refresh();
  const later = page.link.refresh();
  page.answer(1, state("newer?"));
  expect(await later).toBe(true);
  page.answer(0, state("older?"));
  expect(await earlier).toBe(true);
  const last = page.link.refresh();
  page.answer(2, state("newest?"));
  expect(await last).toBe(true);
  expect(page.questions).toEqual(["newer?", "newest?"]);
});

test("Retry connects at once with a new handshake, also while an earlier request hangs", async () => {
  const page = await started();
  page.lose(0);
  await holds(() => page.requests.length === 1);
  const shaken = page.handshakes();
  page.link.start();
  await holds(() => page.handshakes() === shaken + 1 && page.sockets.length === 2);
  // The request that hung neither shows anything nor stops the polling.
  page.answer(0, { detail: "bad or missing token" }, 401);
  page.sockets[1]?.say(state("by socket?"));
  expect(page.questions).toEqual(["by socket?"]);
  expect(page.phase()).toBe("live");
});

test("a reply to a request from before signing out or a kill is not shown", async () => {
  const page = await started();
  const refreshed = page.link.refresh();
  page.link.refuse("killed");
  page.answer(0, state("late?"));
  expect(await refreshed).toBe(false);
  expect([page.phase(), page.questions]).toEqual(["killed", []]);
});

test("a refused state ends the connection, unless another token is in use by then", async () => {
  for (const [next, phase] of [
    ["first", "unauthorized"],
    ["second", "live"],
  ] as const) {
    let token = "first";
    const page = await started({ token: () => token });
    page.sockets[0]?.say(state("first?"));
    const refreshed = page.link.refresh();
    token = next;
    page.answer(0, { detail: "bad or missing token" }, 401);
    expect([await refreshed, page.phase()]).toEqual([false, phase]);
  }
});

test("a delta that does not fit the state makes the page connect again", async () => {
  const page = await started();
  page.sockets[0]?.say(state("first?"));
  page.sockets[0]?.say({ type: "delta", changed: [{ id: "%404", set: { question: "whose?" } }] });
  expect(page.phase()).toBe("connecting");
  // Frames of the old socket are ignored.
  page.sockets[0]?.say(state("late?"));
  await holds(() => page.sockets.length === 2);
  page.sockets[1]?.say(state("second?"));
  expect([page.phase(), page.questions]).toEqual(["live", ["first?", "second?"]]);
});

test("the machines come with a first state, and with a delta where they have changed", async () => {
  const page = await started({ isKnown: true });
  const [laptop, gpu] = ["laptop", "gpu-1"].map((name) => fixtureHost({ name }));
  page.sockets[0]?.say({ ...state("first?"), hosts: [laptop, gpu] });
  page.sockets[0]?.say({ type: "delta" });
  page.sockets[0]?.say({ type: "delta", hosts: [] });
  page.sockets[0]?.say(state("first?"));
  expect(page.machines).toEqual(["laptop gpu-1", "", ""]);
});

test("no REST request is made while the first state comes by socket", async () => {
  const page = await started();
  page.sockets[0]?.say(state("first?"));
  expect([page.phase(), page.questions, page.requests.length]).toEqual(["live", ["first?"], 0]);
});

test("REST takes over from a lost socket, and its request ends with the next loss", async () => {
  const page = await started();
  page.lose(0);
  await holds(() => page.requests.length === 1 && page.sockets.length === 2);
  expect(page.requests[0]?.signal.aborted).toBe(false);
  page.lose(1);
  expect(page.requests[0]?.signal.aborted).toBe(true);
});

test("a known server's socket is opened at once, however long the handshake hangs", async () => {
  const page = await started({ isKnown: true, handshake: () => new Promise(() => {}) });
  page.sockets[0]?.say(state("first?"));
  expect([page.phase(), page.questions]).toEqual(["live", ["first?"]]);
  await holds(() => page.handshakes() === 1);
});

test("a handshake that fails beside a live socket is made again, also for a new configuration", async () => {
  let says = "lost";
  const page = await started({ isKnown: true, handshake: async () => says });
  const handshaken = (times: number) =>
    holds(() => {
      page.sockets[0]?.say(state("first?"));
      return page.handshakes() === times;
    });
  await handshaken(1);
  await handshaken(2);
  says = "ok";
  await handshaken(3);
  says = "lost";
  page.sockets[0]?.say({ type: "config_changed" });
  await handshaken(4);
  says = "ok";
  await handshaken(5);
  expect(page.sockets).toHaveLength(1);
});

test("the invitation in the reason of a closed socket is kept, any other reason gives none", async () => {
  for (const [reason, codes] of [
    ["pair=abc-123", ["abc-123"]],
    ["signed out", []],
  ] as const) {
    const page = await started();
    page.sockets[0]?.onclose?.({ code: 1008, reason });
    expect(page.invitation.value).toBe(codes.at(-1) ?? null);
    expect(page.phase()).toBe("unauthorized");
  }
});

describe("the agent events of a link", () => {
  const event = (cursor: number) => ({ type: "agent_event", cursor, event: { of: cursor } });

  test("continue after the last cursor, over a loss and over a sleep", async () => {
    const page = await started({ isKnown: true });
    page.sockets[0]?.say({ type: "hello", sid: "one", cursor: 100 });
    page.sockets[0]?.say(state("first?"));
    page.sockets[0]?.say(event(101));
    page.lose(0);
    await holds(() => page.sockets.length === 2);
    page.sockets[1]?.say({ type: "hello", sid: "two", cursor: 101 });
    page.sockets[1]?.say(event(102));
    page.link.sleep();
    page.link.start();
    await holds(() => page.sockets.length === 3);
    page.sockets[2]?.say({ type: "hello", sid: "three", cursor: 102 });
    expect(page.sockets.map(({ url }) => url)).toEqual(["1 null", "1 101", "1 102"]);
    expect(page.workspaceCalls).toEqual(["missed", { of: 101 }, { of: 102 }]);
  });

  test("that were missed are reported as missed once", async () => {
    const page = await started({ isKnown: true });
    page.sockets[0]?.say({ type: "hello", sid: "one", cursor: 100 });
    page.sockets[0]?.say({ type: "reset", cursor: 500, reason: "subscriber_lagged" });
    page.lose(0);
    await holds(() => page.sockets.length === 2);
    // Another run of the server begins its cursors again.
    page.sockets[1]?.say({ type: "hello", sid: "two", cursor: 3 });
    page.lose(1);
    await holds(() => page.sockets.length === 3);
    expect(page.sockets.map(({ url }) => url)).toEqual(["1 null", "1 500", "1 3"]);
    expect(page.workspaceCalls).toEqual(["missed", "missed", "missed"]);
  });

  test("count as missed with each socket where the server has none", async () => {
    const page = openLink({ isKnown: true });
    for (const at of [0, 1]) {
      page.link.start();
      await holds(() => page.sockets.length === at + 1);
      page.sockets[at]?.say({ type: "hello", sid: "one" });
    }
    expect(page.workspaceCalls).toEqual(["missed", "missed"]);
  });

  test("count as missed with each state by REST", async () => {
    const page = await started();
    page.lose(0);
    await holds(() => page.requests.length === 1);
    page.answer(0, state("by REST?"));
    await holds(() => page.questions.length === 1);
    expect([page.phase(), page.workspaceCalls]).toEqual(["rest", ["missed"]]);
  });

  test("a session id ends with its socket", async () => {
    const page = await started({ isKnown: true });
    page.sockets[0]?.say({ type: "hello", sid: "one", cursor: 100 });
    expect(page.sid()).toBe("one");
    page.lose(0);
    expect(page.sid()).toBeNull();
  });
});

test("each socket is told which panes are shown, and again when others are", () => {
  const sid = signal<string | null>(null);
  const [openPane, sheet] = [signal("%1"), signal(null)];
  const router = { openPane, paneBeside: openPane, sheet, route: signal({ screen: "tab" }) };
  const views: string[] = [];
  const server = serverOf({
    ...{ sid, workspace: { facts: signal({ step: "off" }) } },
    link: { send: ({ ids }: { ids: string[] }) => void views.push(`${sid.peek()}: ${ids.join()}`) },
    follow: (run: () => void) => void effect(run),
    browser: {
      ...{ router, layout: { columns: signal(1) } },
      preferences: { current: signal({ colours: true }) },
    },
  });
  followReader(server);
  views.length = 0;
  sid.value = "one";
  server.panes.showAlso(["%2"]);
  sid.value = null;
  sid.value = "two";
  expect(views).toEqual(["one: %1", "one: %1,%2", "null: %1,%2", "two: %1,%2"]);
});

const START: ConnectionEvent = { type: "start" };
const LOST: ConnectionEvent = { type: "lost", jitterMs: 0 };

/** Feeds events, each with its time in milliseconds. */
function run(...events: readonly (readonly [number, ConnectionEvent])[]): Connection {
  return events.reduce((c, [at, event]) => reduce(c, event, at), INITIAL);
}

test("a first state may take eight seconds before the socket counts as silent", () => {
  const opening = run([0, START], [5, { type: "configured" }], [10, { type: "opening" }]);
  expect(due(opening, 3000)).toMatchObject({ pollAt: Infinity, silentAt: 8010 });
  // Without a first state, REST takes over before the page is offline.
  const lost = reduce(opening, LOST, 8010);
  expect(due(lost, 3000)).toMatchObject({ pollAt: 8010, offlineAt: 10_000 });
});

test("a socket is silent after two passes plus a second, and tried again after 0.5 s, doubling to 8 s", () => {
  expect([silenceMs(0.7), silenceMs(5)]).toEqual([3000, 11_000]);
  expect([1, 2, 3, 4, 5, 6, 20].map((n) => backoffMs(n, 0))).toEqual([
    500, 1000, 2000, 4000, 8000, 8000, 8000,
  ]);
  expect(backoffMs(5, 300)).toBe(8300);
});

test("the page is offline after ten seconds also where the first request hangs", () => {
  const hanging = run([500, START]);
  expect(due(hanging, 3000).offlineAt).toBe(10_500);
  expect(reduce(hanging, { type: "tick" }, 10_500).phase).toBe("offline");
});

test("a REST reply before the first socket's state does not yet make the phase rest", () => {
  const c = run([0, START], [10, { type: "opening" }], [30, { type: "polled" }]);
  expect(c.phase).toBe("connecting");
  expect(reduce(c, { type: "polled" }, 2030).phase).toBe("rest");
});

test("a page that sleeps or was refused has no timers until it is started again", () => {
  for (const as of ["unauthorized", "incompatible", "killed"] as const) {
    const c = run([0, START], [10, { type: "refused", as }], [20, { type: "frame" }], [30, LOST]);
    expect(c.phase).toBe(as);
    expect(Math.min(...Object.values(due(c, 3000)))).toBe(Infinity);
    expect(reduce(c, START, 50).phase).toBe("connecting");
  }
  const asleep = run([0, START], [10, { type: "frame" }], [30_000, { type: "sleep" }]);
  expect(Math.min(...Object.values(due(asleep, 3000)))).toBe(Infinity);
});
