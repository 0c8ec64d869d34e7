import { beforeEach, describe, expect, test } from "bun:test";
import { type StoredQueue, NO_LISTS, withAdded, withLost } from "../../src/input/message-lists.ts";
import type { MessageQueue } from "../../src/input/message-queue.ts";
import { createLog } from "../../src/lib/log.ts";
import type { QueueRequest } from "../../src/protocol/queue.ts";
import { FakeClock } from "../support/clock.ts";
import { MemoryFile, memoryMessages } from "../support/in-memory.ts";
import {
  asking,
  CLIENT,
  draft,
  EMPTY,
  ID,
  IDENTITY,
  idle,
  refusalCode,
  settled,
  sightOf,
  UNCLEAR,
  working,
} from "./agent-pane.ts";
import { type SimulatedScreen, SimulatedPanes } from "./simulated.ts";

let clock: FakeClock;
let file: MemoryFile;
let panes: SimulatedPanes;
let messages: MessageQueue;
let keys = 0;
let chat: unknown[] = [];
let log: string[] = [];

beforeEach(async () => {
  clock = new FakeClock();
  file = new MemoryFile();
  chat = [];
  log = [];
  begin();
  messages = await service();
});

/** Shows an agent that works after Enter. */
function begin(): void {
  panes = new SimulatedPanes();
  panes.show(ID, idle());
  panes.program(ID, (input) => (input === "<Enter>" ? working() : idle(draft(input))));
}

/** Starts the next run of the service, over the same file. */
async function service(): Promise<MessageQueue> {
  const next = memoryMessages({
    ...{ file, queue: panes.queue, hub: panes.hub, clock },
    log: createLog((line) => log.push(line)),
  });
  next.onSent((id, message) => void chat.push([id, message.id, message.text]));
  await next.open();
  return next;
}

async function pass(
  seconds = 1,
  { members = {}, isListed = true, hasFailed = false } = {},
): Promise<void> {
  clock.advance(seconds);
  messages.follow({ sights: isListed ? [sightOf(panes, ID, members)] : [], hasFailed });
  await settled();
}

async function passes(count = 5, how: Parameters<typeof pass>[1] = {}): Promise<void> {
  for (let each = 0; each < count; each++) await pass(1, how);
}

const key = () => `key-${keys++}`;
async function add(text: string, idempotency_key = key()): Promise<string> {
  await act({ operation: "add", id: ID, text, idempotency_key });
  return idempotency_key;
}
const act = (request: QueueRequest) => messages.act(request, CLIENT);
const texts = () => messages.lists.flatMap((list) => list.messages.map(({ text }) => text));
const OTHER = { id: "agent_d", label: "OpenCode" };
const PARKED = { reason: "5-hour limit", until: null, continues: false };

describe("the message queue of a pane", () => {
  test("messages leave in order, each once the agent has been idle for two seconds", async () => {
    panes.show(ID, working());
    const first = await add("first");
    const second = await add("second");
    await passes(10);
    expect(panes.inputs()).toEqual([]);
    expect(messages.of(IDENTITY)).toMatchObject({ count: 2, held: null, lost: false });
    panes.show(ID, idle());
    await pass();
    await pass(1);
    expect(panes.inputs()).toEqual([]);
    await pass(1);
    expect(panes.inputs()).toEqual(["first", "<Enter>"]);
    expect(panes.sent.every(({ guarded }) => guarded)).toBe(true);
    await passes(10);
    expect(panes.inputs()).toHaveLength(2);
    expect(texts()).toEqual(["second"]);
    panes.show(ID, idle());
    await passes(3);
    expect(panes.inputs().slice(2)).toEqual(["second", "<Enter>"]);
    expect(messages.of(IDENTITY)).toBeUndefined();
    // The chat shows them under the same ids.
    expect(chat).toEqual([
      [ID, first, "first"],
      [ID, second, "second"],
    ]);
  });

  test.each<[string, () => SimulatedScreen, string]>([
    ["the agent asks something", asking, "asks"],
    ["the agent asks something unknown", () => idle(EMPTY, { status: "needs_input" }), "asks"],
    ["a question is on the screen", () => idle(EMPTY, { question: "Run it?" }), "asks"],
    ["the screen shows an error", () => idle(EMPTY, { status: "error" }), "error"],
    [
      "a usage limit holds the agent",
      () => idle(EMPTY, { status: "error", parked: PARKED }),
      "parked",
    ],
    ["the input line holds a draft", () => idle(draft("a")), "typed"],
    ["the input line cannot be read", () => idle(UNCLEAR), "unclear"],
    ["the screen has no input line", () => idle(null), "unclear"],
  ])("a message stays queued while %s, and its list names that reason", async (_, shown, held) => {
    await add("hello");
    panes.show(ID, shown());
    await passes(50);
    expect(panes.inputs()).toEqual([]);
    expect(messages.of(IDENTITY)).toMatchObject({ held, count: 1 });
    panes.show(ID, idle());
    await passes(4);
    expect(panes.inputs()).toEqual(["hello", "<Enter>"]);
  });

  test("a message stays queued if a dialog has come up since the last pass", async () => {
    await add("hello");
    const published = { members: panes.state(ID) };
    panes.show(ID, asking());
    await passes(4, published);
    expect(panes.inputs()).toEqual([]);
    expect(messages.of(IDENTITY)?.held).toBe("asks");
  });

  test("a message is not typed beside a draft that was begun while the queue was written to disk", async () => {
    await add("hello");
    const write = file.write.bind(file);
    file.write = (value) => {
      panes.show(ID, idle(draft("at the desk")));
      return write(value);
    };
    await passes(4);
    expect(panes.inputs()).toEqual([]);
    expect(messages.of(IDENTITY)).toMatchObject({ held: "typed", count: 1 });
    expect(messages.lists[0]?.messages[0]?.state).toBe("waiting");
  });

  test("a message is not entered if a dialog comes up after its text, and is not sent again", async () => {
    await add("hello");
    await add("more");
    panes.program(ID, (input) => (input === "<Enter>" ? working() : asking()));
    await passes(4);
    expect(panes.inputs()).toEqual(["hello"]);
    panes.show(ID, idle());
    await passes(50);
    expect(panes.inputs()).toEqual(["hello"]);
    expect(messages.of(IDENTITY)).toMatchObject({ held: "unknown", count: 2 });
    expect(messages.lists[0]?.messages[0]?.state).toBe("unknown");
  });

  test("the screen of a pane with a held message is read once in 30 seconds while it does not change", async () => {
    await add("hello");
    panes.show(ID, idle(draft("a")));
    const members = panes.state(ID);
    const sight = { ...sightOf(panes), state: members };
    const before = panes.readings;
    for (let each = 1; each <= 33; each++) {
      clock.advance(1);
      messages.follow({ sights: [sight], hasFailed: false });
      await settled();
      // Read after two idle seconds, and half a minute later.
      expect(panes.readings - before).toBe(each < 3 ? 0 : each < 33 ? 1 : 2);
      expect(messages.of(IDENTITY)?.held).toBe(each < 3 ? null : "typed");
    }
  });

  test("the order of the messages survives a restart of the service", async () => {
    panes.show(ID, working());
    await add("first");
    const second = await add("second");
    await act({ operation: "move", idempotency_key: key(), message_id: second, before: null });
    await add("third");
    messages = await service();
    expect(texts()).toEqual(["first", "second", "third"]);
    panes.show(ID, idle());
    await passes(4);
    expect(panes.inputs()).toEqual(["first", "<Enter>"]);
  });

  test("a stored queue is read after a restart, and a message that was being sent becomes unknown", async () => {
    const at = clock.now() - 60;
    const message = { at, sentBy: null };
    file.content = {
      ...{ version: 1, revision: 7, done: ["key-before"] },
      lists: [
        {
          ...{ id: ID, name: "shop", agent: "agent_a", revision: 7, lost: null },
          ...{ identity: IDENTITY, lostAt: null },
          messages: [
            { ...message, id: "key-a", text: "was on its way", state: "sending" },
            { ...message, id: "key-b", text: "waits", state: "waiting" },
          ],
        },
      ],
    };
    messages = await service();
    await passes(60);
    expect(panes.inputs()).toEqual([]);
    expect(messages.of(IDENTITY)).toMatchObject({ held: "unknown", count: 2 });
    await act({ operation: "delete", message_id: "key-a", idempotency_key: key() });
    await passes(4);
    expect(panes.inputs()).toEqual(["waits", "<Enter>"]);
    await add("told before", "key-before");
    expect(texts()).toEqual([]);
  });

  test("a new message does not inherit the hold of a deleted message", async () => {
    panes.show(ID, asking());
    const message_id = await add("first");
    await pass();
    expect(messages.of(IDENTITY)).toMatchObject({ held: "asks" });
    await act({ operation: "delete", message_id, idempotency_key: key() });
    await pass();
    panes.show(ID, idle());
    await add("second");
    expect(messages.of(IDENTITY)).toMatchObject({ held: null });
  });

  test("the messages are lost, with their texts kept, once another program stays in the pane", async () => {
    await add("first");
    panes.show(ID, working());
    const shell = { members: { agent: null, kind: "shell" as const, status: "idle" as const } };
    await passes(5, shell);
    expect(messages.of(IDENTITY)?.lost).toBe(false);
    await pass(1, shell);
    expect(messages.of(IDENTITY)).toMatchObject({ lost: true, count: 1 });
    expect(messages.lists).toMatchObject([
      { lost: "other_program", messages: [{ text: "first" }] },
    ]);
    expect(log.join("")).toContain(`1 for ${ID} are not sent: another program runs there`);
    panes.show(ID, idle());
    await passes(20);
    expect([panes.inputs(), panes.readings]).toEqual([[], 0]);
    await add("of the new one");
    expect(messages.of(IDENTITY)).toMatchObject({ lost: false, count: 1 });
    const [{ messages: [first] = [] } = {}] = messages.lists;
    await act({ operation: "delete", idempotency_key: key(), message_id: first?.id ?? "" });
    expect(texts()).toEqual(["of the new one"]);
  });

  test("no message leaves on idle time that was counted before a failed pass", async () => {
    await add("first");
    await passes(10, { members: { stale: true } });
    await pass();
    await pass(1, { isListed: false, hasFailed: true });
    await pass();
    await pass(1.9);
    expect(panes.inputs()).toEqual([]);
    await pass(0.1);
    expect(panes.inputs()).toEqual(["first", "<Enter>"]);
  });

  test("after a start, the messages of an unlisted pane are lost only after a minute", async () => {
    await add("first");
    messages = await service();
    await passes(59, { isListed: false });
    expect(messages.lists[0]?.lost).toBeNull();
    await passes(2, { isListed: false });
    expect(messages.lists[0]?.lost).toBe("gone");
  });

  test("the messages are lost when the pane is gone, but not while passes fail", async () => {
    await add("first");
    await passes(60, { isListed: false, hasFailed: true });
    await passes(60, { members: { stale: true, actionable: false } });
    expect(messages.lists[0]?.lost).toBeNull();
    await passes(7, { isListed: false });
    expect(messages.lists).toMatchObject([{ lost: "gone", messages: [{ text: "first" }] }]);
    expect(log.join("")).toContain(`1 for ${ID} are not sent: it is gone`);
    expect(messages.of(IDENTITY)?.lost).toBe(true);
  });

  test("the messages for a pane on another machine are lost only when the pane is certainly gone", async () => {
    const far = "%1000007";
    panes.show(far, working(EMPTY, { id: far }));
    await act({ operation: "add", id: far, text: "first", idempotency_key: key() });
    messages.follow({ sights: [sightOf(panes, far)], hasFailed: false });
    // The host has another address and is watched anew.
    panes.isGoneForCertain = false;
    await passes(70, { isListed: false });
    expect(messages.lists[0]?.lost).toBeNull();
    panes.isGoneForCertain = true;
    await passes(6, { isListed: false });
    expect(messages.lists[0]?.lost).toBe("gone");
  });

  test("an add under the same idempotency key adds one message, also after a restart and after the message left", async () => {
    panes.show(ID, working());
    const id = await add("first");
    await add("first", id);
    messages = await service();
    await add("first", id);
    expect(texts()).toEqual(["first"]);
    panes.show(ID, idle());
    await passes(4);
    messages = await service();
    await add("first", id);
    expect(texts()).toEqual([]);
    expect(await refusalCode(add("other words", id))).toBe("idempotency_key_reused");
  });

  test("messages can be edited, moved and deleted, but not a message that is being sent", async () => {
    panes.show(ID, working());
    const [first, second, third] = [await add("1"), await add("2"), await add("3")];
    const own = () => ({ idempotency_key: key() });
    await act({ operation: "move", ...own(), message_id: third, before: first });
    await act({ operation: "edit", ...own(), message_id: first, text: "one" });
    const list = await act({ operation: "delete", ...own(), message_id: second });
    expect(list?.messages.map(({ text }) => text)).toEqual(["3", "one"]);
    await act({ operation: "delete", ...own(), message_id: second });
    expect(
      await refusalCode(act({ operation: "edit", ...own(), message_id: second, text: "x" })),
    ).toBe("unknown_message");
    panes.beforeSend = () => new Promise(() => {});
    panes.show(ID, idle());
    await passes(4);
    for (const request of [
      { operation: "delete", message_id: third },
      { operation: "edit", message_id: third, text: "x" },
      { operation: "move", message_id: first, before: third },
    ] as const)
      expect(await refusalCode(act({ ...request, ...own() }))).toBe("message_sending");
  });

  test("a pane takes at most 20 messages, only with words, and only for an agent", async () => {
    panes.show(ID, working());
    for (let each = 0; each < 20; each++) await add(String(each));
    expect(await refusalCode(add("one more"))).toBe("queue_full");
    expect(await refusalCode(add(" \n"))).toContain("words");
    expect(await refusalCode(add("a\u001b[A"))).toBe("text_not_literal");
    for (const none of [{ kind: "shell" }, { agent: null }] as const) {
      panes.show(ID, idle(EMPTY, none));
      expect(await refusalCode(add("ls"))).toBe("no_agent");
    }
    expect(texts()).toHaveLength(20);
  });

  test("an add that cannot be written is refused, and no message leaves before its state is written", async () => {
    file.fault = Object.assign(new Error("full"), { code: "ENOSPC" });
    expect(await refusalCode(add("first"))).toContain("disk is full");
    expect(messages.of(IDENTITY)).toBeUndefined();
    file.fault = null;
    await add("first");
    file.fault = new Error("read only");
    await passes(10);
    expect(panes.inputs()).toEqual([]);
    file.fault = null;
    await passes(40);
    expect(panes.inputs()).toEqual(["first", "<Enter>"]);
  });

  test("a sent message is not sent again though its end could not be written at once", async () => {
    await add("first");
    await add("second");
    panes.program(ID, (input) => {
      file.fault = new Error("read only");
      return input === "<Enter>" ? idle() : idle(draft(input));
    });
    await passes(40);
    expect(panes.inputs()).toEqual(["first", "<Enter>"]);
    file.fault = null;
    await passes(10);
    expect(texts()).toEqual(["second"]);
  });
});

describe('"send now" of a queued message', () => {
  const now = (message_id: string, idempotency_key = key()) =>
    act({ operation: "send", message_id, idempotency_key });

  test("send now types any message of the queue at once, while the agent works and keeps typed text", async () => {
    panes.show(ID, working());
    panes.program(ID, (input) => (input === "<Enter>" ? working() : working(draft(input))));
    await add("first");
    const second = await add("second");
    const press = key();
    expect((await now(second, press))?.messages).toHaveLength(1);
    await now(second, press);
    await now(second);
    expect(panes.inputs()).toEqual(["second", "<Enter>"]);
    expect(texts()).toEqual(["first"]);
  });

  test("the reply comes after the sent state is written", async () => {
    panes.show(ID, working());
    const id = await add("first");
    const written = Promise.withResolvers<void>();
    panes.program(ID, (input) => {
      if (input === "<Enter>") file.write = () => written.promise;
      return input === "<Enter>" ? working() : working(draft(input));
    });
    let isAnswered = false;
    const sent = now(id).then(() => (isAnswered = true));
    await settled();
    expect([panes.inputs(), isAnswered]).toEqual([["first", "<Enter>"], false]);
    written.resolve();
    await sent;
  });

  test.each<[string, () => SimulatedScreen]>([
    ["asks something", asking],
    ["holds a draft", () => working(draft("a"))],
    ["does not keep text typed while it works", () => working(EMPTY, { agent: OTHER })],
  ])("send now sends nothing to an agent that %s", async (_, shown) => {
    panes.show(ID, shown());
    const id = await add("first");
    expect(await refusalCode(now(id))).toBe("not_free");
    expect(panes.inputs()).toEqual([]);
    expect(messages.lists[0]?.messages).toMatchObject([{ state: "waiting" }]);
  });

  test("send now sends nothing to a new process of the same program", async () => {
    const id = await add("first");
    panes.pid = 101;
    panes.listedAs = () => ({ identity: `server/${ID}/101` });
    expect(await refusalCode(now(id))).toBe("not_free");
    expect(panes.inputs()).toEqual([]);
  });

  test("send now sends nothing from a list that is lost during the look at the screen", async () => {
    const id = await add("first");
    panes.beforeRead = () => {
      for (const seconds of [1, 60]) void pass(seconds, { isListed: false });
    };
    expect(await refusalCode(now(id))).toBe("unknown_message");
    expect(panes.inputs()).toEqual([]);
  });

  test("after a kill of the service send now presses only Enter for a text that is in the input line", async () => {
    const id = await add("first");
    panes.beforeSend = () => new Promise(() => {});
    await passes(4);
    begin();
    panes.show(ID, idle(draft("first")));
    messages = await service();
    expect((await now(id)) ?? null).toBeNull();
    expect(panes.inputs()).toEqual(["<Enter>"]);
    expect(texts()).toEqual([]);
  });

  test.each<[string, () => SimulatedScreen]>([
    ["if somebody has typed more", () => idle(draft("first and more"))],
    ["under a dialog", () => ({ ...asking(), composer: draft("first") })],
    ["under an overlay", () => ({ ...idle(draft("first")), keepsPrevious: true })],
  ])("after a kill of the service send now presses no Enter %s", async (_, shown) => {
    const id = await add("first");
    panes.beforeSend = () => new Promise(() => {});
    await passes(4);
    begin();
    panes.show(ID, shown());
    messages = await service();
    expect(await refusalCode(now(id))).toBe("not_free");
    expect(panes.inputs()).toEqual([]);
  });

  test("send now is refused with message_changed after a concurrent edit", async () => {
    panes.show(ID, working());
    const id = await add("first");
    panes.program(ID, (input) => (input === "<Enter>" ? working() : working(draft(input))));
    const edit = act({ operation: "edit", idempotency_key: key(), message_id: id, text: "other" });
    const [, sent] = await Promise.all([edit, refusalCode(now(id))]);
    expect(sent).toBe("message_changed");
    expect(panes.inputs()).toEqual([]);
    expect(texts()).toEqual(["other"]);
  });

  test("send now leaves the message unknown and quotes both texts if a draft came between text and Enter", async () => {
    panes.show(ID, working());
    panes.program(ID, () => working(draft("desk first")));
    const id = await add("first");
    expect(await refusalCode(now(id))).toBe("delivery_unknown");
    expect(panes.inputs()).toEqual(["first"]);
    const [message] = messages.lists[0]?.messages ?? [];
    expect(message).toMatchObject({
      state: "unknown",
      reason: expect.stringContaining("desk first"),
    });
  });

  test("an uncertain delivery is refused as unknown, and the same idempotency key never sends it again", async () => {
    panes.show(ID, working());
    const id = await add("first");
    panes.outcome = "unknown";
    const press = key();
    expect(await refusalCode(now(id, press))).toBe("delivery_unknown");
    messages = await service();
    expect(await refusalCode(now(id, press))).toBe("delivery_unknown");
    expect(panes.inputs()).toEqual(["first"]);
    panes.outcome = "sent";
    panes.show(ID, working());
    await now(id);
    expect(panes.inputs()).toEqual(["first", "first", "<Enter>"]);
  });
});

const WEEK = 7 * 86_400;
const place = (id: string) => ({ id, identity: `${id} 1`, name: id, agent: "agent_a" });
const withOne = (kept: StoredQueue, pane: string, at: number) =>
  withAdded(kept, place(pane), { id: `${pane} at ${at}`, text: "go on", at });

test("the list of a lost pane is kept for a week", () => {
  const lost = withLost(withOne(NO_LISTS, "%1", 100), "%1 1", "gone", 200);
  const listsAt = (at: number) => withOne(lost, "%2", at).lists.map(({ id }) => id);
  expect(listsAt(200 + WEEK - 1)).toEqual(["%1", "%2"]);
  expect(listsAt(200 + WEEK)).toEqual(["%2"]);
});

test("the queue holds messages for at most 200 panes", () => {
  let queue = NO_LISTS;
  for (let each = 0; each < 200; each++) queue = withOne(queue, `%${each}`, 100);
  expect(() => withOne(queue, "%200", 100)).toThrow("too many panes");
  expect(withOne(queue, "%0", 101).lists).toHaveLength(200);
});

test("a pane that is found again gets a new list beside its lost list", () => {
  const both = withOne(withOne(NO_LISTS, "%1", 100), "%2", 100);
  const { lists } = withOne(withLost(both, "%1 1", "gone", 200), "%1", 300);
  expect(lists.map(({ id, lost, messages }) => [id, lost, messages.length])).toEqual([
    ["%1", "gone", 1],
    ["%2", null, 1],
    ["%1", null, 1],
  ]);
});
