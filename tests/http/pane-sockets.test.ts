import { afterEach, describe, expect, test } from "bun:test";
import { PING_SECONDS } from "../../src/connections/flow-controlled-socket.ts";
import { PANES_PATH } from "../../src/http/pane-sockets.ts";
import type { HttpServer } from "../../src/http/server.ts";
import { applyDelta, type Scene, sceneOf, type Styles } from "../../src/protocol/delta.ts";
import { DeltaFrame, ServerFrame } from "../../src/protocol/frames.ts";
import type { PaneState } from "../../src/protocol/pane.ts";
import { connect, LazyClient, type TestClient } from "../support/client.ts";
import { pane } from "../support/pane.ts";
import { service, type ServiceOptions } from "../support/service.ts";
import { until } from "../support/until.ts";

const open: { server: HttpServer; lazy: LazyClient[] }[] = [];

function serve(options: ServiceOptions = {}) {
  const parts = service(options);
  const server = parts.listen();
  const lazy: LazyClient[] = [];
  open.push({ server, lazy });
  return {
    ...parts,
    port: server.port,
    stop: () => server.stop(),
    connect: (path: string, headers?: Record<string, string>) =>
      connect(server.port, path, headers),
    connectLazily: (path: string) => {
      const client = new LazyClient(server.port, path);
      lazy.push(client);
      return client;
    },
  };
}

/** A client that has received its hello and its first state. */
async function openClient(path: string, panes: readonly PaneState[] = [], styles?: Styles) {
  const parts = serve();
  parts.hub.publish(panes, styles);
  const client = parts.connect(path);
  await client.take(2);
  return { ...parts, client };
}

afterEach(async () => {
  for (const { server, lazy } of open.splice(0)) {
    for (const client of lazy) client.destroy();
    await server.stop();
  }
});

test("a page is open from its connection to its close", async () => {
  const { openSockets, connect } = serve();
  expect(openSockets.areOpen(PANES_PATH)).toBe(false);
  const client = connect("/ws");
  await client.take(1);
  expect([PANES_PATH, "/ws/agents"].map((path) => openSockets.areOpen(path))).toEqual([
    true,
    false,
  ]);
  client.close();
  await until(() => !openSockets.areOpen(PANES_PATH));
});

describe("a plain /ws", () => {
  test("a plain socket sends hello, a full state, and a state after every pass", async () => {
    const { hub, connect } = serve();
    const panes = [pane({ lines: ["a"] })];
    hub.publish(panes);
    const client = connect("/ws");
    const [hello, state] = await client.take(2);
    expect(hello).toEqual({ type: "hello", sid: expect.stringMatching(/^[0-9a-f]{8}$/) });
    expect(state).toEqual({ type: "state", panes });

    hub.publish(panes);
    expect((await client.take(3))[2]).toEqual({ type: "state", panes });
    hub.publish([]);
    expect((await client.take(4))[3]).toEqual({ type: "state", panes: [] });
    for (const frame of client.frames) ServerFrame.parse(frame);
  });

  test("a plain socket ignores messages of the client and sends no frame outside the contract", async () => {
    const { hub, paneSockets, client } = await openClient("/ws");
    for (const message of ["ping", "{", '{"type":"view","ids":["%1"]}', new Uint8Array([1, 2])])
      client.send(message);
    paneSockets.configChanged();
    hub.publish([pane()]);
    expect((await client.take(3))[2]).toEqual({ type: "state", panes: [pane()] });
  });

  test("a plain socket closes with 1009 for a message over 64 KiB", async () => {
    const { connect, paneSockets } = serve();
    const client = connect("/ws");
    client.take(2).catch(() => {});
    await client.take(1);
    client.send("x".repeat(64 * 1024));
    expect(paneSockets.list()).toHaveLength(1);
    client.send("x".repeat(64 * 1024 + 1));
    expect((await client.closed).code).toBe(1009);
    await until(() => paneSockets.list().length === 0);
  });
});

describe("a connection to a socket", () => {
  test("a bad token is accepted and closed with 1008, without hello", async () => {
    const { connect, paneSockets } = serve({ token: "s/e+c" });
    for (const path of ["/ws", "/ws?token=", "/ws?token=s", "/ws/agents?token=no"]) {
      const client = connect(path);
      expect((await client.closed).code).toBe(1008);
      expect(client.frames).toEqual([]);
    }
    expect(paneSockets.list()).toEqual([]);
    const good = connect(`/ws?token=${encodeURIComponent("s/e+c")}&mode=plain`);
    await good.take(2);
    expect(paneSockets.list()).toHaveLength(1);
  });

  test("/ws/agents closes with 1013 while agent context is disabled", async () => {
    const client = serve().connect("/ws/agents?cursor=3");
    expect((await client.closed).code).toBe(1013);
    expect(client.frames).toEqual([]);
  });

  test("another origin is refused, the server's own is not", async () => {
    const { connect, port, paneSockets } = serve();
    const foreign = connect("/ws", { Origin: "https://evil.example" });
    expect((await foreign.closed).code).toBe(1006);
    expect(paneSockets.list()).toEqual([]);
    await connect("/ws", { Origin: `http://127.0.0.1:${port}` }).take(2);
  });
});

describe("socket sessions", () => {
  test("sessions are listed in order of connection, with age and user agent", async () => {
    const { request, connect, clock } = serve();
    const first = connect("/ws", { "user-agent": "one" });
    await first.take(1);
    clock.advance(12.26);
    const second = connect("/ws?mode=delta", { "user-agent": "two".padEnd(400, "!") });
    await second.take(1);
    const { sessions } = (await (await request("/api/sessions")).json()) as { sessions: unknown };
    expect(sessions).toEqual([
      { id: first.frames[0]?.["sid"], ip: "127.0.0.1", ua: "one", age: 12.3 },
      { id: second.frames[0]?.["sid"], ip: "127.0.0.1", ua: "two".padEnd(300, "!"), age: 0 },
    ]);
    first.close();
    await until(async () => {
      const reply = await (await request("/api/sessions")).json();
      return (reply as { sessions: unknown[] }).sessions.length === 1 ? true : null;
    });
  });

  test("a killed session closes with 4001, and is unknown afterwards", async () => {
    const { request, connect } = serve();
    for (const path of ["/ws", "/ws?mode=delta"]) {
      const client = connect(path);
      const [hello] = await client.take(1);
      const kill = () =>
        request("/api/sessions/kill", {
          method: "POST",
          body: JSON.stringify({ id: hello?.["sid"] }),
        });
      expect(await (await kill()).json()).toEqual({ ok: true });
      expect((await client.closed).code).toBe(4001);
      const again = await kill();
      expect(again.status).toBe(404);
      expect(await again.json()).toEqual({ detail: "unknown session" });
    }
  });

  test("sessions end with 1001 when the service stops", async () => {
    const { stop, client } = await openClient("/ws");
    await stop();
    expect((await client.closed).code).toBe(1001);
  });
});

describe("a delta socket", () => {
  const follow = (client: TestClient) => {
    let scene: Scene = { panes: [], styles: new Map() };
    for (const frame of client.frames) {
      if (frame["type"] === "state")
        scene = { panes: frame["panes"] as PaneState[], styles: new Map() };
      if (frame["type"] !== "delta") continue;
      const next = applyDelta(scene, DeltaFrame.parse(frame));
      if (!next) throw new Error("the delta does not fit");
      scene = next;
    }
    return scene;
  };
  const view = (ids: string[], styles = false) => JSON.stringify({ type: "view", ids, styles });

  test("a delta socket sends a state, then a delta after every pass, also without changes", async () => {
    const { hub, connect } = serve();
    const panes = [pane({ lines: ["a"] }), pane({ id: "%2", lines: ["b"], status: "needs_input" })];
    hub.publish(panes);
    const client = connect("/ws?mode=delta");
    const [hello, state] = await client.take(2);
    expect(hello).toMatchObject({ type: "hello" });
    expect(state).toEqual({ type: "state", panes: [{ ...panes[0], lines: [] }, panes[1]] });
    hub.publish(panes);
    expect((await client.take(3))[2]).toEqual({ type: "delta" });
    hub.publish(panes.slice(1));
    expect((await client.take(4))[3]).toEqual({ type: "delta", order: ["%2"] });
  });

  test("a delta socket sends the lines and styles of a new view at once", async () => {
    const scene = {
      panes: [pane({ lines: ["a"] }), pane({ id: "%2", lines: ["b"] })],
      styles: new Map([["%2", [[{ start: 0, length: 1, style: "b" }]]]]),
    };
    const { client } = await openClient("/ws?mode=delta", scene.panes, scene.styles);
    client.send(view(["%2"], true));
    await client.take(3);
    const viewing2 = { ids: new Set(["%2"]), styles: true };
    expect(follow(client)).toEqual(sceneOf({ scene, view: viewing2 }));

    // Of two views in a row the second is answered too, a little later.
    client.send(view(["%1"]));
    client.send(view(["%1", "%2"]));
    const viewing = { ids: new Set(["%1", "%2"]), styles: false };
    await until(() =>
      Bun.deepEquals(follow(client), sceneOf({ scene, view: viewing })) ? true : null,
    );
    expect(client.frames.length).toBeLessThanOrEqual(5);
  });

  test("a delta socket ignores invalid views", async () => {
    const { client } = await openClient("/ws?mode=delta", [pane({ lines: ["a"] })]);
    const tooMany = Array.from({ length: 201 }, (_, index) => `%${index}`);
    for (const message of [
      "",
      "{",
      "[]",
      '{"type":"view"}',
      '{"type":"view","ids":[1]}',
      view(tooMany),
    ])
      client.send(message);
    client.send(new TextEncoder().encode(view(["%1"])));
    client.send(view(["%9"]));
    await client.take(3);
    expect(client.frames.slice(2)).toEqual([{ type: "delta" }]);
  });

  test("a delta socket answers a thousand views with less than a hundred frames", async () => {
    const { client } = await openClient("/ws?mode=delta", [
      pane({ lines: ["a"] }),
      pane({ id: "%2", lines: ["b"] }),
    ]);
    for (let i = 0; i < 1000; i++) client.send(view([i % 2 ? "%1" : "%2"]));
    await until(() => follow(client).panes[0]?.lines.length === 1);
    expect(client.frames.length).toBeLessThan(100);
  });

  test("a delta socket announces changed settings", async () => {
    const { paneSockets, client } = await openClient("/ws?mode=delta");
    paneSockets.configChanged();
    expect((await client.take(3))[2]).toEqual({ type: "config_changed" });
  });
});

describe("a client that does not read", () => {
  // More than the kernel takes for a client that does not read.
  const heavy = (mark: string) => [
    pane({ id: mark, lines: Array.from({ length: 100 }, () => mark.padEnd(200_000, "x")) }),
  ];
  const sessions = (parts: ReturnType<typeof serve>) => parts.paneSockets.list().length;

  test("a client that does not read delays no other client, and gets only the newest snapshot afterwards", async () => {
    const parts = serve();
    const { hub, connect, connectLazily } = parts;
    const lazy = connectLazily("/ws");
    const eager = connect("/ws");
    await eager.take(2);
    await until(() => sessions(parts) === 2);
    hub.publish(heavy("%1"));
    await eager.take(3);
    for (let i = 2; i <= 20; i++) {
      hub.publish([pane({ id: `%${i}` })]);
      await eager.take(i + 2);
    }
    lazy.read();
    await until(() => lazy.frames().texts.at(-1)?.includes('"id":"%20"'));
    const ids = lazy.frames().texts.map((text) => /"id":"(%\d+)"/.exec(text)?.[1]);
    expect(ids).toEqual([undefined, undefined, "%1", "%20"]);
  });

  test("a slow delta client gets the newest state in one delta", async () => {
    const parts = serve();
    const { hub, connectLazily } = parts;
    const lazy = connectLazily("/ws?mode=delta");
    await until(() => sessions(parts) === 1);
    const waiting = heavy("%1").map((each) => ({ ...each, status: "needs_input" as const }));
    hub.publish(waiting);
    for (let i = 2; i <= 5; i++) hub.publish([pane({ id: `%${i}` })]);
    lazy.read();
    await until(() => lazy.frames().texts.length === 4);
    expect(JSON.parse(lazy.frames().texts[3] ?? "")).toEqual({
      type: "delta",
      added: [pane({ id: "%5" })],
      order: ["%5"],
    });
  });
});

const ids = (parts: ReturnType<typeof serve>) => parts.paneSockets.list().map(({ id }) => id);

test("a client that answers no ping is ended at the next ping, a client that answers stays", async () => {
  const parts = serve();
  const { hub, clock, connect, connectLazily } = parts;
  const there = connect("/ws?mode=delta");
  const [hello] = await there.take(2);
  const gone = connectLazily("/ws?mode=delta");
  // Reads on, as a network's buffers do for a phone that has left.
  gone.read();
  await until(() => ids(parts).length === 2);
  for (const seconds of [PING_SECONDS, PING_SECONDS - 1]) {
    clock.advance(seconds);
    hub.publish([pane()]);
    expect(ids(parts)).toHaveLength(2);
  }
  // A later message on the same connection has come, so the pong has come too.
  const frames = there.frames.length;
  there.send('{"type":"view","ids":["%1"],"styles":true}');
  await there.take(frames + 1);
  clock.advance(1);
  hub.publish([pane()]);
  expect(ids(parts)).toEqual([String(hello?.sid)]);
  await until(() => gone.frames().closeCode);
  expect(gone.frames().closeCode).toBe(1013);
});

describe("a /ws with ?events=1", () => {
  const event = (agent_id: string) => ({ kind: "agent_updated", agent_id, revision: 1 }) as const;
  const eventsOf = ({ frames }: TestClient) =>
    frames.filter(({ type }) => type === "agent_event" || type === "reset");

  test("an events socket has the events of agents after its hello, in both modes", async () => {
    const { feed, connect } = serve();
    feed.publish(event("before"));
    const { cursor } = feed;
    for (const mode of ["", "&mode=delta"]) {
      const client = connect(`/ws?events=1${mode}`);
      const [hello] = await client.take(2);
      expect(hello).toMatchObject({ type: "hello", cursor: feed.cursor });
      feed.publish(event("now"));
      await until(() => eventsOf(client).length > 0);
      expect(eventsOf(client)).toEqual([
        { type: "agent_event", cursor: feed.cursor, event: event("now") },
      ]);
      client.close();
    }
    expect(feed.cursor).toBe(cursor + 2);
  });

  test("an events socket continues from its cursor, and gets a reset if the cursor is too old", async () => {
    const { feed, connect } = serve();
    const from = feed.cursor;
    feed.publish(event("missed"));
    const back = connect(`/ws?events=1&cursor=${from}`);
    await until(() => eventsOf(back).length > 0);
    expect(back.frames[0]).toMatchObject({ type: "hello", cursor: from });
    expect(eventsOf(back)).toEqual([
      { type: "agent_event", cursor: from + 1, event: event("missed") },
    ]);
    const lost = connect(`/ws?events=1&cursor=${from - 1}`);
    await until(() => eventsOf(lost).length > 0);
    expect(eventsOf(lost)).toEqual([{ type: "reset", cursor: from + 1, reason: "cursor_unknown" }]);
  });

  test("a socket without ?events=1 gets no events", async () => {
    const { feed, hub, client } = await openClient("/ws");
    feed.publish(event("now"));
    hub.publish([]);
    await client.take(3);
    expect(eventsOf(client)).toEqual([]);
    expect(client.frames[0]).not.toHaveProperty("cursor");
  });
});
