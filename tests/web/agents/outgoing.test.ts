import { afterEach, beforeEach, describe, expect, jest, test } from "bun:test";
import type { ChatMessage } from "../../../src/protocol/agents.ts";

import { LOOK_FOR_MS } from "../../../web/state/server/agents/outgoing.ts";
import { agentOf, uuid } from "../../review/works.ts";
import { MemoryStorage } from "../../support/memory-storage.ts";
import { pane } from "../../support/pane.ts";
import { stage, type Answer, type Call } from "./stage.ts";

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const NAME = "key-1";
const KEY = `panewatch.chat.server-1.${uuid(1)}`;
const TEXT = "Add redis:7.";

const settle = async () => {
  for (let turn = 0; turn < 40; turn++) await Promise.resolve();
};
const after = async (ms: number) => {
  for (let passed = 0; passed < ms; passed += 500) {
    jest.advanceTimersByTime(Math.min(500, ms - passed));
    await settle();
  }
};

const messageOf = (status: ChatMessage["status"], client_message_id = NAME): ChatMessage => ({
  id: uuid(77),
  agent_id: uuid(1),
  role: "user",
  content: TEXT,
  status,
  native_event_id: null,
  client_message_id,
  created_at: 1_900_000_000,
  updated_at: 1_900_000_000,
});
const listOf = (...messages: ChatMessage[]): Answer => ({
  body: {
    messages,
    next_cursor: null,
    retained_from: null,
    retained_to: null,
    reviewed_at: null,
    reviewed_snapshot_id: null,
    reviewed_snapshot_sequence: null,
    reviewed_snapshot_at: null,
    history_truncated: false,
    filters: { q: null, role: null, after: null, before: null },
  },
});
const accepted = (status: ChatMessage["status"] = "sent"): Answer => ({
  status: 202,
  body: { message: messageOf(status) },
});
const conflict: Answer = {
  status: 409,
  body: { detail: { message: "the agent is not idle", current: null } },
};

interface Served {
  post: () => Answer | Promise<Answer>;
  list: () => Answer;
}

/** A page whose agent is idle in an idle pane, with its socket live. */
async function open(served: Partial<Served> = {}, storage = new MemoryStorage()) {
  const { post = () => accepted(), list = () => listOf() } = served;
  const of = stage(
    ({ method, path }: Call) => {
      if (method === "POST") return post();
      return path.includes("/messages") ? list() : { body: agentOf(1) };
    },
    { storage },
  );
  const { panes, sockets, workspace } = of;
  panes.take({ panes: [pane({ id: "%1" })], styles: new Map() });
  workspace.start();
  sockets.at(-1)?.say({ type: "hello", cursor: 1 });
  workspace.agent(uuid(1)).query.watch();
  await settle();
  const { outgoing } = workspace;
  const write = (text = TEXT) => void outgoing.write(uuid(1), text);
  const send = (more: object = {}) =>
    outgoing.send({ agent: agentOf(1), text: TEXT, steadyMs: 400, ...more });
  const step = () => outgoing.of(uuid(1)).value?.step ?? null;
  const text = () => outgoing.draft(uuid(1)).value?.text ?? null;
  const posts = () => of.calls.filter(({ method }) => method === "POST");
  const stored = () => JSON.parse(storage.getItem(KEY) ?? "null");
  return { ...of, outgoing, write, send, step, text, posts, stored };
}

test("a message is stored under its name before it leaves, and sent once", async () => {
  let atPost: unknown = null;
  const page = await open({
    post: () => {
      atPost = page.stored();
      return accepted();
    },
  });
  page.write();
  expect(page.stored()).toMatchObject({ id: NAME, text: TEXT, leaving: null });
  await Promise.all([page.send(), page.send()]);
  expect(atPost).toMatchObject({ id: NAME, leaving: { paneId: "%1" } });
  expect(page.posts().map(({ path, body }) => ({ path, body }))).toEqual([
    {
      path: `/api/agents/${uuid(1)}/messages`,
      body: { text: TEXT, client_message_id: NAME, expected_binding_revision: 1 },
    },
  ]);
  expect([page.step(), page.text(), page.stored()]).toEqual(["sent", null, null]);
  expect(page.gate.stored()).toEqual({});
  page.outgoing.notice(uuid(1), [messageOf("observed")]);
  expect(page.step()).toBeNull();
});

describe("nothing is sent", () => {
  test("to an agent that is bound anew, or to what stands there too short", async () => {
    const page = await open();
    page.write();
    await page.send({ agent: agentOf(1, { binding_revision: 2 }) });
    expect(page.step()).toBe("changed");
    await page.send({ steadyMs: 399 });
    expect(page.step()).toBe("moved");
    expect([page.posts().length, page.text()]).toEqual([0, TEXT]);
  });

  test.each([
    ["the pane works", { status: "working" as const }],
    ["the pane asks", { status: "needs_input" as const }],
    ["the pane is stale", { stale: true }],
  ])("while %s", async (_, members) => {
    const page = await open();
    page.write();
    page.panes.take({ panes: [pane({ id: "%1", ...members })], styles: new Map() });
    await page.send();
    expect([page.step(), page.posts().length, page.text()]).toEqual(["changed", 0, TEXT]);
  });

  test("while something else goes to that pane, or may have arrived there", async () => {
    const page = await open();
    page.write();
    const other = page.gate.claim(["%1"], "Enter");
    expect(page.outgoing.obstacle(agentOf(1))).toBe("busy");
    await page.send();
    other?.doubt();
    expect(page.outgoing.obstacle(agentOf(1))).toBe("in_doubt");
    await page.send();
    expect(page.posts()).toEqual([]);
  });

  test("without the agents' socket, or without a connection", async () => {
    const page = await open();
    page.sockets.at(-1)?.onclose?.({ code: 1006 });
    await after(20_000);
    expect(page.outgoing.obstacle(agentOf(1))).toBe("not_updated");
    page.connected.value = false;
    expect(page.outgoing.obstacle(agentOf(1))).toBe("no_connection");
  });

  test("when another tab has written or sent it meanwhile", async () => {
    const page = await open();
    page.write();
    const other = { id: NAME, text: "Something else", leaving: null, savedAt: 1_900_000_000 };
    page.storage.setItem(KEY, JSON.stringify(other));
    await page.send();
    expect([page.posts().length, page.text()]).toEqual([0, "Something else"]);
  });
});

test("after a conflict the text is back under another name, with what the server said", async () => {
  const page = await open({ post: () => conflict });
  page.write();
  await page.send();
  await settle();
  expect(page.outgoing.of(uuid(1)).value).toEqual({
    step: "refused",
    reason: "the agent is not idle",
  });
  expect(page.stored()).toMatchObject({ id: "key-2", text: TEXT, leaving: null });
  expect([page.posts().length, page.gate.stored()]).toEqual([1, {}]);
});

test("a conflict about a message that has left is a doubt", async () => {
  const page = await open({ post: () => conflict, list: () => listOf(messageOf("unknown")) });
  page.write();
  await page.send();
  await settle();
  expect([page.step(), page.gate.isDoubted("%1")]).toEqual(["uncertain", true]);
});

describe("a reply that is lost", () => {
  test("is looked for by its name, and never sent again", async () => {
    let looks = 0;
    const page = await open({
      post: () => "lost",
      list: () => {
        looks += 1;
        if (looks === 1) return listOf();
        return listOf(messageOf(looks === 2 ? "submitting" : "observed"));
      },
    });
    page.write();
    void page.send();
    await settle();
    expect(page.step()).toBe("sending");
    await after(3000);
    expect([page.step(), page.posts().length, page.stored()]).toEqual(["sent", 1, null]);
    expect([page.gate.stored(), page.gate.isHeld("%1")]).toEqual([{}, false]);
  });

  test("and not found is a doubt until the terminal was looked at", async () => {
    const page = await open({ post: () => "lost" });
    page.write();
    void page.send();
    await after(LOOK_FOR_MS - 500);
    expect(page.step()).toBe("sending");
    await after(2000);
    expect([page.step(), page.gate.isDoubted("%1"), page.gate.stored()]).toEqual([
      "uncertain",
      true,
      { "%1": TEXT },
    ]);
    expect(page.outgoing.obstacle(agentOf(1))).toBe("in_doubt");
    await page.send();
    page.write("more");
    expect([page.posts().length, page.text()]).toEqual([1, TEXT]);
    page.gate.inspected("%1");
    expect([page.step(), page.text(), page.gate.stored()]).toEqual([null, TEXT, {}]);
    expect(page.stored()).toMatchObject({ id: "key-2", leaving: null });
    expect(page.outgoing.obstacle(agentOf(1))).toBeNull();
  });

  test("and found late, by any reading, ends the doubt", async () => {
    const page = await open({ post: () => "lost" });
    page.write();
    void page.send();
    await after(LOOK_FOR_MS + 2000);
    expect(page.step()).toBe("uncertain");
    page.outgoing.notice(uuid(1), [messageOf("unknown")]);
    expect(page.step()).toBe("uncertain");
    page.outgoing.notice(uuid(1), [messageOf("observed")]);
    expect([page.step(), page.stored(), page.gate.stored()]).toEqual([null, null, {}]);
  });

  test("and told as failed brings the text back", async () => {
    const page = await open({ post: () => "lost", list: () => listOf(messageOf("failed")) });
    page.write();
    void page.send();
    await after(1000);
    expect([page.step(), page.text(), page.posts().length]).toEqual(["refused", TEXT, 1]);
  });
});

describe("a page that was reloaded while it sent", () => {
  const left = (at = 1_900_000_000) => {
    const storage = new MemoryStorage();
    const leaving = { paneId: "%1", at };
    storage.setItem(KEY, JSON.stringify({ id: NAME, text: TEXT, leaving, savedAt: at }));
    return storage;
  };

  test("begins with looking for it, and sends nothing", async () => {
    const page = await open({ list: () => listOf(messageOf("sent")) }, left());
    expect([page.step(), page.posts().length, page.stored()]).toEqual(["sent", 0, null]);
  });

  test("is in doubt where nobody knows it", async () => {
    const page = await open({}, left());
    expect([page.step(), page.gate.isHeld("%1")]).toEqual(["sending", true]);
    await after(LOOK_FOR_MS + 2000);
    expect([page.step(), page.posts().length]).toEqual(["uncertain", 0]);
  });

  test("forgets what is older than a month", async () => {
    const page = await open({}, left(1_900_000_000 - 31 * 86_400));
    expect([page.step(), page.stored(), page.text()]).toEqual([null, null, null]);
  });
});

describe("two tabs of one browser", () => {
  test("send under one name, which the server takes once", async () => {
    const storage = new MemoryStorage();
    const first = await open({}, storage);
    first.write();
    const second = await open({}, storage);
    expect(second.text()).toBe(TEXT);
    void first.send();
    void second.send();
    await settle();
    const names = [...first.posts(), ...second.posts()].map(({ body }) =>
      Reflect.get(Object(body), "client_message_id"),
    );
    expect(new Set(names)).toEqual(new Set([NAME]));
    expect(names).toHaveLength(1);
  });

  test("follow each other: what one sends the other looks for, and lets go when it is told", async () => {
    const storage = new MemoryStorage();
    const second = await open({}, storage);
    const first = await open({ post: () => new Promise(() => {}) }, storage);
    first.write();
    second.outgoing.follow(KEY);
    expect(second.text()).toBe(TEXT);
    void first.send();
    await settle();
    second.outgoing.follow(KEY);
    expect(second.step()).toBe("sending");
    await second.send();
    expect(second.posts()).toEqual([]);
    storage.removeItem(KEY);
    second.outgoing.follow(KEY);
    await after(1000);
    expect([second.step(), second.text(), second.gate.isHeld("%1")]).toEqual([null, null, false]);
  });
});

test("switched off it lets go of everything and keeps what is stored", async () => {
  const page = await open({ post: () => "lost" });
  page.write();
  void page.send();
  await settle();
  const asked = () => page.calls.filter(({ path }) => path.includes("/messages")).length;
  const before = asked();
  page.workspace.stop();
  await after(5000);
  expect([asked(), page.stored()?.text]).toEqual([before, TEXT]);
});
