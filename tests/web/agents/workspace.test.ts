import { afterEach, beforeEach, describe, expect, jest, test } from "bun:test";
import { CLOSE_NORMAL } from "../../../src/protocol/close.ts";
import { agentOf, uuid } from "../../review/works.ts";
import { EMPTY_REVIEW, stage } from "./stage.ts";
import type { Call } from "../../support/page-server.ts";

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const MESSAGES = {
  messages: [],
  next_cursor: null,
  retained_from: null,
  retained_to: null,
  reviewed_at: null,
  reviewed_snapshot_id: null,
  reviewed_snapshot_sequence: null,
  reviewed_snapshot_at: null,
  history_truncated: false,
  filters: { q: null, role: null, after: null, before: null },
};

function serve({ path }: Call) {
  if (path.startsWith("/api/review")) return { body: EMPTY_REVIEW };
  if (path.startsWith("/api/timeline")) return { body: { events: [], next_cursor: null } };
  if (path.includes("/messages")) return { body: MESSAGES };
  if (path.includes("/timeline")) return { body: { events: [], next_cursor: null } };
  if (path.startsWith("/api/decisions")) return { body: { decisions: [], next_cursor: null } };
  if (path === `/api/agents/${uuid(1)}`) return { body: agentOf(1) };
  return { body: { agents: [agentOf(1)], next_cursor: null } };
}

const settle = async () => {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
};
const after = async (ms: number) => {
  jest.advanceTimersByTime(ms);
  await settle();
};
const event = (cursor: number, kind: string, more: object = {}) => ({
  type: "agent_event",
  cursor,
  event: { kind, agent_id: uuid(1), revision: 1, ...more },
});

function live() {
  const stageOf = stage(serve);
  stageOf.workspace.start();
  const socket = () => stageOf.sockets.at(-1);
  socket()?.say({ type: "hello", cursor: 100 });
  const asked = () => stageOf.calls.splice(0).map(({ path }) => path.split("?")[0]);
  return { ...stageOf, socket, asked };
}

test("the socket carries the token, and where the last one ended", async () => {
  const { sockets, socket } = live();
  socket()?.say(event(107, "agent_updated"));
  socket()?.onclose?.({ code: 1006, reason: "" });
  await after(2000);
  expect(sockets.map(({ url }) => url)).toEqual([
    "ws://test/ws/agents?token=t+k",
    "ws://test/ws/agents?token=t+k&cursor=107",
  ]);
});

test("nothing is asked before somebody looks, and what is not looked at is not asked again", async () => {
  const { workspace, socket, asked } = live();
  socket()?.say(event(101, "agent_updated"));
  await after(5000);
  expect(asked()).toEqual([]);
  const leave = workspace.agents.watch();
  await settle();
  expect(asked()).toEqual(["/api/agents"]);
  leave();
  socket()?.say(event(102, "agent_updated"));
  await after(5000);
  expect(asked()).toEqual([]);
  workspace.agents.watch();
  await settle();
  expect(asked()).toEqual(["/api/agents"]);
});

test("a burst of events is one question", async () => {
  const { workspace, socket, asked } = live();
  workspace.review.watch();
  await after(3000);
  asked();
  for (let cursor = 101; cursor < 120; cursor++) socket()?.say(event(cursor, "review_updated"));
  await after(100);
  expect(asked()).toEqual(["/api/review"]);
});

test("agents that write all the time ask for their list every two seconds", async () => {
  const { workspace, socket, asked } = live();
  workspace.agents.watch();
  await settle();
  for (let step = 0; step < 100; step++) {
    socket()?.say(event(101 + step, "agent_updated"));
    await after(100);
  }
  expect(asked()).toHaveLength(6);
});

describe("an event asks for what it names", () => {
  test.each([
    ["agent_updated", {}, ["agent", "agents", "steps"]],
    ["agent_updated", { snapshot_id: uuid(9) }, ["agent", "agents", "steps", "timeline"]],
    ["decision_updated", { decision_id: uuid(9) }, ["agent", "decisions", "acts"]],
    ["message_updated", { message_id: uuid(9) }, ["chat", "steps"]],
    ["history_deleted", {}, ["agent", "chat", "decisions", "agents", "timeline", "steps", "acts"]],
    ["review_due", { agent_id: "" }, ["review"]],
    ["agent_slept", {}, []],
  ] as const)("%s %j", async (kind, more, named) => {
    const { workspace, socket, asked } = live();
    const agent = workspace.agent(uuid(1));
    const { agents, review } = workspace;
    for (const query of [agents, review, ...agent.queries.filter((one) => one !== agent.found)])
      query.watch();
    await after(3000);
    asked();
    socket()?.say(event(101, kind, more));
    await after(3000);
    const pathOf: Record<string, readonly string[]> = {
      agent: [`/api/agents/${uuid(1)}`],
      chat: [`/api/agents/${uuid(1)}/messages`],
      decisions: ["/api/decisions"],
      review: ["/api/review"],
      agents: ["/api/agents"],
      timeline: [`/api/agents/${uuid(1)}/timeline`],
      steps: [`/api/agents/${uuid(1)}/steps`],
      acts: ["/api/acts"],
    };
    expect(asked().toSorted()).toEqual(named.flatMap((name) => pathOf[name] ?? []).toSorted());
  });
});

test("what was read before the socket's first word is read again: no event tells of a change between", async () => {
  const { workspace, sockets, calls } = stage(serve);
  workspace.start();
  workspace.review.watch();
  await after(3000);
  expect(calls.map(({ path }) => path)).toEqual(["/api/review"]);
  sockets.at(-1)?.say({ type: "hello", cursor: 100 });
  await after(3000);
  expect(calls.map(({ path }) => path)).toEqual(["/api/review", "/api/review"]);
});

test("a reset, and a counter that went back, ask for all that is shown", async () => {
  const { workspace, socket, asked } = live();
  workspace.review.watch();
  await after(3000);
  asked();
  socket()?.say({ type: "reset", cursor: 500, reason: "subscriber_lagged" });
  await after(3000);
  expect(asked()).toEqual(["/api/review"]);
  socket()?.say({ type: "hello", cursor: 3 });
  await after(3000);
  expect(asked()).toEqual(["/api/review"]);
  socket()?.say({ type: "hello", cursor: 3 });
  await after(3000);
  expect(asked()).toEqual([]);
});

test("switched off on the server: the configuration is asked, nothing connects again", async () => {
  const { workspace, socket, sockets, ended } = live();
  socket()?.onclose?.({ code: CLOSE_NORMAL, reason: "" });
  await after(60_000);
  expect([ended.count, sockets.length, workspace.isDown.value]).toEqual([1, 1, true]);
});

test("stopped, nothing of it stays and no frame is heard", async () => {
  const { workspace, socket } = live();
  workspace.agents.watch();
  await settle();
  expect(workspace.agents.items.value).toHaveLength(1);
  const old = socket();
  workspace.stop();
  old?.say(event(101, "agent_updated"));
  expect(workspace.agents.items.value).toBeNull();
  expect([old?.isClosed, workspace.phase.value]).toEqual([true, "off"]);
});

test("a search whose first parts find nothing is asked on until something is found", async () => {
  const found = {
    id: uuid(9),
    agent_id: uuid(1),
    role: "user",
    content: "the needle",
    status: "observed",
    native_event_id: null,
    client_message_id: null,
    created_at: 1,
    updated_at: 1,
  };
  const parts: Readonly<Record<string, object>> = {
    "": { ...MESSAGES, retained_from: 7, next_cursor: "a" },
    a: { ...MESSAGES, next_cursor: "b" },
    b: { ...MESSAGES, messages: [found], next_cursor: "c" },
  };
  const { workspace, calls } = stage((call) => {
    if (!call.path.includes("/messages")) return serve(call);
    const cursor = new URL(call.path, "http://page").searchParams.get("cursor") ?? "";
    return { body: parts[cursor] ?? MESSAGES };
  });
  const { found: list, search } = workspace.agent(uuid(1));
  search.value = "needle";
  await list.load();
  expect(list.items.value?.map(({ content }) => content)).toEqual(["the needle"]);
  expect(list.hasMore.value).toBe(true);
  expect(calls.filter(({ path }) => path.includes("/messages"))).toHaveLength(3);
});

test("what failed is asked for again when the socket lives again, without an event about it", async () => {
  const network = { isThere: true };
  const { workspace, sockets, calls } = stage((call) => (network.isThere ? serve(call) : "lost"));
  workspace.start();
  sockets.at(-1)?.say({ type: "hello", cursor: 1 });
  network.isThere = false;
  workspace.agents.watch();
  await after(5000);
  expect(workspace.agents.failure.value).toEqual({ kind: "lost" });
  sockets.at(-1)?.onclose?.({ code: 1006, reason: "" });
  network.isThere = true;
  await after(10_000);
  sockets.at(-1)?.say({ type: "hello", cursor: 1 });
  await after(1000);
  expect(workspace.agents.items.value).toHaveLength(1);
  expect(calls.filter(({ path }) => path.startsWith("/api/agents"))).toHaveLength(2);
});

test("of many agents those that nobody looks at are let go of, but not while a view is drawn", async () => {
  const { workspace, socket } = live();
  const ids = Array.from({ length: 30 }, (_, n) => uuid(n + 1));
  const first = workspace.agent(ids[0] ?? "");
  const second = workspace.agent(ids[1] ?? "");
  first.query.watch();
  for (const id of ids) workspace.agent(id);
  expect(workspace.agent(second.id)).toBe(second);
  socket()?.say({ type: "ping", cursor: 100 });
  expect(workspace.agent(first.id)).toBe(first);
  expect(workspace.agent(second.id)).not.toBe(second);
});

test("one agent is one row, whichever reply brought it, and the newest revision is shown", async () => {
  const newer = agentOf(1, { revision: 7, title: "renamed" });
  const { workspace } = stage((call) =>
    call.path === `/api/agents/${uuid(1)}` ? { body: newer } : serve(call),
  );
  workspace.agents.watch();
  await settle();
  const state = workspace.agent(uuid(1));
  state.query.watch();
  await settle();
  expect(workspace.agents.items.value?.map(({ title }) => title)).toEqual(["renamed"]);
  await workspace.agents.reload();
  expect(state.agent.value?.title).toBe("renamed");
  expect(workspace.known(uuid(1))).toBe(state.agent.value);
});
