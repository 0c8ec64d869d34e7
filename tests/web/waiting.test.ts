import { afterEach, expect, jest, test } from "bun:test";
import { signal } from "@preact/signals";
import { QueueRequest, type MessageList } from "../../src/protocol/queue.ts";
import type { PaneState } from "../../src/protocol/pane.ts";
import type { Pane } from "../../web/model/pane.ts";
import { mustWait } from "../../web/model/work.ts";
import { WaitingMessages } from "../../web/state/server/waiting.ts";
import { apiOf, elapse, serverOf } from "../support/page-server.ts";
import { pane } from "../support/pane.ts";

afterEach(() => void jest.useRealTimers());

const agent = { id: "agent_a", label: "Claude Code" };
const queued = { revision: 1, count: 1, held: null, lost: false, sends_now: true };
const lost = { ...queued, lost: true };
const parked = { reason: "5-hour limit", until: null, continues: false };
const agentPane = (members: Partial<PaneState> = {}) =>
  pane({ id: "%1", kind: "agent_a", agent, status: "working", ...members });

test.each<[string, Partial<PaneState>, boolean]>([
  ["works", {}, true],
  ["is idle", { status: "idle" }, false],
  ["is idle, and others wait before it", { status: "idle", queued }, true],
  ["is idle, and those that waited are lost", { status: "idle", queued: lost }, false],
  ["asks", { status: "needs_input" }, false],
  ["is parked", { status: "error", parked }, true],
  ["is a program that works", { agent: null, kind: "generic" }, false],
  ["is a shell", { agent: null, kind: "shell" }, false],
  ["cannot be read", { stale: true, actionable: false }, false],
])("a message must wait, or not, where its pane %s", (_, members, expected) => {
  expect(mustWait(agentPane(members))).toBe(expected);
});

function stage() {
  const panes = signal<readonly Pane[]>([agentPane()]);
  const requests: QueueRequest[] = [];
  let lists: MessageList[] = [];
  let isLost = false;
  const reads = { count: 0, from: Promise.resolve(), areLost: false };
  const api = apiOf(async ({ method, body }) => {
    if (method === "GET") {
      reads.count++;
      await reads.from;
      return reads.areLost ? "lost" : { body: { lists } };
    }
    const request = QueueRequest.parse(body);
    requests.push(request);
    if (isLost) return "lost";
    const text = "text" in request ? request.text : "";
    const id = "message_id" in request ? request.message_id : request.idempotency_key;
    const message = { id, text, state: "waiting" as const, at: 1 };
    const list = { id: "%1", name: "a", agent: "agent_a", revision: 2, lost: null };
    lists = [{ ...list, messages: [message] }];
    return { body: { ok: true, list: lists[0] } };
  });
  const listed = { all: panes, latest: () => panes.peek()[0] ?? null };
  const server = serverOf({ api, panes: listed });
  const waiting = new WaitingMessages(server);
  const lose = (is: boolean) => (isLost = is);
  /** Changes the messages as another device does, without an event for this page. */
  const editElsewhere = (text: string) =>
    (lists = lists.map((list) => ({
      ...list,
      messages: list.messages.map((message) => ({ ...message, text })),
    })));
  return { waiting, drafts: server.drafts, panes, requests, reads, lose, editElsewhere };
}

test("a text whose adding was not confirmed is added again under the same key", async () => {
  const { waiting, requests, lose } = stage();
  const add = () => waiting.add("%1", "first");
  lose(true);
  // A second tap comes before the first was heard.
  const uncertain = { step: "uncertain" } as const;
  expect(await Promise.all([add(), add()])).toEqual([uncertain, uncertain]);
  lose(false);
  expect([await add(), await add()]).toEqual([{ step: "done" }, { step: "done" }]);
  lose(true);
  await add();
  // The same words written again by a person are another message.
  waiting.forgetFailedAdd("%1");
  lose(false);
  await add();
  const keys = requests.map(({ idempotency_key: key }) =>
    requests.findIndex((one) => one.idempotency_key === key),
  );
  expect(keys).toEqual([0, 0, 0, 3, 4, 5]);
});

test("Send now is refused for a message that was changed since it was read", async () => {
  const { waiting, requests, panes, reads, editElsewhere } = stage();
  await waiting.add("%1", "go on");
  const seen = () => {
    const list = waiting.of("%1");
    const [message] = list?.messages ?? [];
    if (!list || !message) throw new Error("nothing waits");
    return () => waiting.sendNow(list, message);
  };
  const press = seen();
  editElsewhere("delete all of it");
  expect(await press()).toMatchObject({ step: "refused" });
  const again = seen();
  editElsewhere("delete none of it");
  const pressed = again();
  // The list changes while it is read: that reading is dropped, and the next one takes long.
  const late = Promise.withResolvers<void>();
  reads.from = late.promise;
  panes.value = [agentPane({ queued: { ...queued, revision: 9 } })];
  expect(await pressed).toMatchObject({ step: "refused" });
  expect(requests.map(({ operation }) => operation)).toEqual(["add"]);
  late.resolve();
  await waiting.read();
  expect(await seen()()).toEqual({ step: "done" });
  expect(requests.map(({ operation }) => operation)).toEqual(["add", "send"]);
});

test("an edit of a message that another device has changed is refused once, with the other text", async () => {
  const { waiting, drafts, requests, panes, editElsewhere } = stage();
  await waiting.add("%1", "go on");
  const [pane] = panes.peek();
  const id = waiting.of("%1")?.messages[0]?.id ?? "";
  if (pane === undefined) throw new Error("no pane");
  const write = (words: string) => {
    drafts.set(pane, { edits: { [id]: words } });
    waiting.followEdits(pane);
    return words;
  };
  expect(await waiting.edit(id, write("go on, slowly"))).toEqual({ step: "done" });
  // A change that this page saved is no change of another device.
  expect(await waiting.edit(id, write("go on, quickly"))).toEqual({ step: "done" });
  editElsewhere("stop");
  await waiting.read();
  waiting.followEdits(pane);
  const refused = await waiting.edit(id, write("go on, at once"));
  expect(refused.step === "refused" && refused.reason).toContain("“stop”");
  // Once a person has read the other text, the edit is accepted.
  expect(await waiting.edit(id, write("go on, at once"))).toEqual({ step: "done" });
  // An edit that is begun again starts from the present text.
  editElsewhere("wait");
  await waiting.read();
  drafts.set(pane, { edits: {} });
  waiting.followEdits(pane);
  expect(await waiting.edit(id, write("wait a little"))).toEqual({ step: "done" });
  expect(requests.map((one) => ("text" in one ? one.text : ""))).toEqual([
    ...["go on", "go on, slowly", "go on, quickly", "go on, at once", "wait a little"],
  ]);
});

test("the lists of queued messages are read again when a revision changes, and not with every snapshot", async () => {
  const { panes, reads } = stage();
  const before = reads.count;
  panes.value = [agentPane({ queued })];
  panes.value = [agentPane({ queued, updated: 5 })];
  panes.value = [agentPane({ queued, updated: 6 })];
  expect(reads.count).toBe(before + 1);
  panes.value = [agentPane({ queued: { ...queued, revision: 2 } })];
  expect(reads.count).toBe(before + 2);
});

test("lists that could not be read are read again after a while", async () => {
  jest.useFakeTimers();
  const { panes, reads, waiting } = stage();
  await elapse();
  reads.areLost = true;
  panes.value = [agentPane({ queued })];
  await elapse();
  expect(waiting.hasFailed.value).toBe(true);
  reads.areLost = false;
  await elapse(8000);
  expect(waiting.hasFailed.value).toBe(false);
  const before = reads.count;
  await elapse(20_000);
  expect(reads.count).toBe(before);
});
