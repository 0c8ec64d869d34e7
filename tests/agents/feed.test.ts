import { expect, test } from "bun:test";
import fc from "fast-check";
import {
  AgentFeed,
  MAX_FIRST_EVENTS,
  MAX_KEPT_EVENTS,
  MAX_WAITING_EVENTS,
  PING_AFTER_SECONDS,
} from "../../src/agents/feed.ts";
import { AgentFrame } from "../../src/protocol/agent-replies.ts";
import { FakeClock } from "../support/clock.ts";
import { forAll } from "../support/laws.ts";

const START = 1000;
const event = (id: string) => ({ kind: "agent_updated" as const, agent_id: id, revision: 1 });

function run(start = START) {
  const clock = new FakeClock();
  const feed = new AgentFeed(clock, start);
  feed.open();
  return { clock, feed };
}

/** One socket; `rawSocket.untaken` stalls it. */
function connect(
  { feed }: ReturnType<typeof run>,
  cursor: string | null,
  take: (frame: AgentFrame) => void = () => {},
) {
  const rawSocket = { untaken: 0, frames: [] as AgentFrame[], closed: [] as number[] };
  const query = new URLSearchParams(cursor === null ? {} : { cursor });
  const session = feed.accept({ query })({
    send(text) {
      const frame = AgentFrame.parse(JSON.parse(text));
      take(frame);
      return rawSocket.frames.push(frame);
    },
    getBufferedAmount: () => rawSocket.untaken,
    ping: () => 0,
    close: (code) => void rawSocket.closed.push(code),
  });
  const cursors = () =>
    rawSocket.frames.flatMap((frame) => (frame.type === "agent_event" ? [frame.cursor] : []));
  return { ...rawSocket, rawSocket, session, cursors };
}

function publish({ feed }: ReturnType<typeof run>, count: number) {
  for (let index = 0; index < count; index++) feed.publish(event(`a${index}`));
}

const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

test("the first frame is hello with the current cursor, and the next event has the cursor after it", () => {
  const server = run();
  publish(server, 3);
  const client = connect(server, null);
  expect(client.frames).toEqual([{ type: "hello", cursor: START + 3 }]);
  publish(server, 1);
  expect(client.frames[1]).toEqual({
    type: "agent_event",
    cursor: START + 4,
    event: event("a0"),
  });
});

test("a reconnecting client gets the events it missed, or a reset when they are more than are kept", () => {
  const server = run();
  publish(server, MAX_KEPT_EVENTS + 1);
  expect(connect(server, String(START)).frames).toEqual([
    { type: "hello", cursor: START + MAX_KEPT_EVENTS + 1 },
    { type: "reset", cursor: START + MAX_KEPT_EVENTS + 1, reason: "cursor_expired" },
  ]);
  const back = connect(server, String(START + 1));
  expect(back.frames[0]).toEqual({ type: "hello", cursor: START + 1 });
  expect(back.cursors()).toEqual(range(START + 2, START + MAX_KEPT_EVENTS + 1));
});

test("cursor 0 replays the run from its start, or gets a reset once the run has too many events", () => {
  const server = run();
  publish(server, MAX_FIRST_EVENTS);
  expect(connect(server, "0").cursors()).toEqual(range(START + 1, START + MAX_FIRST_EVENTS));
  publish(server, 1);
  expect(connect(server, "0").frames[1]).toMatchObject({ type: "reset", reason: "cursor_expired" });
});

test("a cursor of another run gets a reset as unknown", () => {
  const server = run();
  for (const cursor of [START - 1, START + 1, -3, "99999999999999999999"])
    expect(connect(server, String(cursor)).frames[1]).toMatchObject({
      type: "reset",
      cursor: START,
      reason: "cursor_unknown",
    });
});

test("the cursors of fifty runs all start at different numbers", () => {
  const starts = new Set(range(1, 50).map(() => new AgentFeed(new FakeClock()).cursor));
  expect(starts.size).toBe(50);
  for (const start of starts) expect(Number.isSafeInteger(start + 1e9)).toBe(true);
});

test("a cursor that is not an integer counts as no cursor", () => {
  const server = run();
  for (const cursor of ["", "x", "1.5", "1e3", "0x10", " 1"])
    expect(connect(server, cursor).frames).toEqual([{ type: "hello", cursor: START }]);
});

test("a socket gets a ping after twenty seconds without a frame, and an event restarts that time", () => {
  const server = run();
  const client = connect(server, null);
  server.clock.advance(PING_AFTER_SECONDS - 1);
  server.feed.tick();
  expect(client.frames.length).toBe(1);
  publish(server, 1);
  server.clock.advance(PING_AFTER_SECONDS - 1);
  server.feed.tick();
  expect(client.frames.length).toBe(2);
  server.clock.advance(1);
  server.feed.tick();
  expect(client.frames[2]).toEqual({ type: "ping", cursor: START + 1 });
});

test("a stalled socket gets up to a hundred events later, and a reset when it has missed more", () => {
  const server = run();
  const client = connect(server, null);
  client.rawSocket.untaken = 10;
  publish(server, MAX_WAITING_EVENTS);
  client.rawSocket.untaken = 0;
  client.session?.drained();
  expect(client.cursors().length).toBe(MAX_WAITING_EVENTS);
  client.rawSocket.untaken = 10;
  publish(server, MAX_WAITING_EVENTS + 5);
  client.rawSocket.untaken = 0;
  client.session?.drained();
  expect(client.frames.at(-1)).toEqual({
    type: "reset",
    cursor: server.feed.cursor,
    reason: "subscriber_lagged",
  });
  publish(server, 1);
  expect(client.cursors().at(-1)).toBe(server.feed.cursor);
});

test("a closed feed ends its sockets with 1000 and refuses new ones with 1013", () => {
  const server = run();
  const client = connect(server, null);
  server.feed.close();
  expect(client.rawSocket.closed).toEqual([1000]);
  const late = connect(server, null);
  expect([late.session, late.rawSocket.closed, late.frames]).toEqual([null, [1013], []]);
});

/** A client with a cache: reads again what an event names. */
class CacheClient {
  readonly cache = new Map<string, number>();
  cursor: number | null = null;
  socket: ReturnType<typeof connect> | null = null;

  apply(frame: AgentFrame, server: ReadonlyMap<string, number>): void {
    const isNew = this.cursor === null;
    this.cursor = frame.cursor;
    if (frame.type === "reset" || (frame.type === "hello" && isNew)) {
      this.cache.clear();
      for (const [id, revision] of server) this.cache.set(id, revision);
    }
    if (frame.type !== "agent_event") return;
    const { agent_id } = frame.event;
    const revision = server.get(agent_id);
    if (revision === undefined) this.cache.delete(agent_id);
    else this.cache.set(agent_id, revision);
  }
}

const ids = ["a", "b", "c", "d"];
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("change" as const),
      id: fc.constantFrom(...ids),
      times: fc.integer({ min: 1, max: 180 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("delete" as const), id: fc.constantFrom(...ids) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constantFrom("connect", "leave", "stall", "drain", "restart") }),
  },
);

test("a client that reloads what events and resets name ends with the state of the server", () => {
  forAll([fc.array(step, { maxLength: 40 }), fc.integer({ min: 1, max: 3 })], (steps, seed) => {
    const truth = new Map<string, number>();
    const client = new CacheClient();
    let runs = seed;
    let server = run(runs * 100_000);
    const join = () => {
      client.socket?.session?.closed();
      const cursor = client.cursor === null ? null : String(client.cursor);
      client.socket = connect(server, cursor, (frame) => client.apply(frame, truth));
    };
    for (const each of steps) {
      if (each.do === "change" && "times" in each)
        for (let time = 0; time < each.times; time++) {
          truth.set(each.id, (truth.get(each.id) ?? 0) + 1);
          server.feed.publish(event(each.id));
        }
      if (each.do === "delete" && "id" in each) {
        truth.delete(each.id);
        server.feed.publish({ ...event(each.id), kind: "history_deleted" });
      }
      if (each.do === "connect") join();
      if (each.do === "leave") client.socket?.session?.closed();
      if (client.socket && each.do === "stall") client.socket.rawSocket.untaken = 1;
      if (client.socket && each.do === "drain") {
        client.socket.rawSocket.untaken = 0;
        client.socket.session?.drained();
      }
      if (each.do === "restart") {
        server.feed.close();
        server = run(++runs * 100_000);
      }
    }
    join();
    expect(Object.fromEntries(client.cache)).toEqual(Object.fromEntries(truth));
  });
});
