import { AgentStore } from "../../src/agents/store/store.ts";
import { LogTable } from "../../src/agents/store/logs.ts";
import { Table } from "../../src/store/table.ts";
import type { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { UNBOUND } from "../../src/agents/session.ts";
import { AgentEvent } from "../../src/protocol/agent-replies.ts";
import { AgentSession, ChatMessage, DecisionItem } from "../../src/protocol/agents.ts";
import { addMessage, EVERYTHING, messageEvent } from "./support/messages.ts";
import {
  memoryStore,
  migratedFrom,
  newSession,
  sessionNamed,
  sessionStore,
} from "./support/store.ts";
import { FakeClock } from "../support/clock.ts";

const REQUEST = {
  kind: "question" as const,
  index: 0,
  count: 1,
  question: {
    id: null,
    header: "Database",
    question: "Which database?",
    options: [
      { label: "SQLite (Recommended)", description: "One file." },
      { label: "PostgreSQL", description: "A server." },
    ],
    multiSelect: false,
  },
};

function add(store: AgentStore, agent: string, text: string, offset: number, at = 100, over = {}) {
  return addMessage(store, agent, messageEvent(text, { at, ...over }), { offset });
}

function eventsOf(store: AgentStore): AgentEvent[] {
  const events: AgentEvent[] = [];
  store.subscribe((event) => events.push(AgentEvent.parse(event)));
  return events;
}

test("a session is created once, with one event, and is public at once", () => {
  const { store } = memoryStore();
  const events = eventsOf(store);
  const id = newSession(store);
  expect(newSession(store)).toBe(id);
  const session = AgentSession.parse(store.sessions.get(id));
  expect(session).toMatchObject({
    association: "unavailable",
    lifecycle: "observing",
    revision: 1,
  });
  expect(session.context).toMatchObject({ revision: 1, goal: null, completed_items: [] });
  expect(events).toHaveLength(1);
});

test("a write that changes nothing of a session changes no time and no revision and sends no event", () => {
  const { store, clock, id } = sessionStore();
  const before = store.sessions.get(id);
  const events = eventsOf(store);
  clock.now += 60;
  store.write(() => store.sessions.set(id, { binding: UNBOUND }));
  store.write(() => store.sessions.set(id, { lifecycle: null }));
  expect(store.sessions.get(id)).toEqual(before);
  expect(events).toEqual([]);
});

test("a failed write is rolled back and sends no event", () => {
  const { store } = memoryStore();
  const events = eventsOf(store);
  expect(() =>
    store.write(() => {
      store.sessions.ensure("agent_a", "a", 1);
      throw new Error("cut");
    }),
  ).toThrow("cut");
  expect(store.sessions.count()).toBe(0);
  expect(events).toEqual([]);
});

test("a visible change makes a snapshot with the next sequence and its delta", () => {
  const { store, id } = sessionStore();
  store.write(() => store.sessions.set(id, { lifecycle: "working" }));
  store.write(() => store.sessions.set(id, { lifecycle: "idle" }));
  const { events } = store.snapshots.page(id, null, 50);
  expect(events.map(({ sequence }) => sequence)).toEqual([3, 2, 1]);
  expect(events[0]?.delta).toEqual({ lifecycle_changed: { from: "working", to: "idle" } });
});

test("equal texts in records of one type are two messages, in records of two types at one time they are one", () => {
  const { store, id } = sessionStore();
  expect(add(store, id, "go on", 0, 100)).toBeNumber();
  expect(add(store, id, "go on", 10, 100.5, { source: "item" })).toBeNull();
  expect(add(store, id, "go on", 20, 101)).toBeNumber();
  expect(add(store, id, "go on", 30, 101.5, { source: "item" })).toBeNull();
  expect(add(store, id, "go on", 40, 105, { source: "item" })).toBeNumber();
  expect(store.messages.page(id, EVERYTHING).messages).toHaveLength(3);
});

test("a record read again adds no message, neither at its place nor after its log was begun anew", () => {
  const { store, id } = sessionStore();
  add(store, id, "hello", 7);
  expect(add(store, id, "hello", 7)).toBeNull();
  expect(addMessage(store, id, messageEvent("hello"), { generation: "log#1" })).toBeNull();
});

test("a sent message is observed by a record with its words, which observes no second message", () => {
  const { store, id } = sessionStore();
  const send = (clientId: string) =>
    store.write(() => store.messages.reserve(id, { text: "run  the tests", clientId }, 100));
  expect(send("one").isNew).toBe(true);
  expect(send("one").isNew).toBe(false);
  send("two");
  add(store, id, "run the tests", 0, 101, { source: "response" });
  add(store, id, "run the tests", 10, 101.001);
  const found = store.messages.page(id, EVERYTHING).messages.map((each) => ChatMessage.parse(each));
  expect(found.map(({ status }) => status)).toEqual(["observed", "submitting"]);
});

test.each(["before", "after"])(
  "a text typed outside the chat has its client id there, with its record read %s it was noted",
  (order) => {
    const { store, id } = sessionStore();
    const note = () => {
      const sent = { text: "run  the tests", clientId: "one" };
      store.write(() => store.messages.noteTyped(id, sent, 101));
    };
    add(store, id, "go on", 0, 99);
    if (order === "after") note();
    add(store, id, "run the tests", 10, 100.5);
    if (order === "before") note();
    add(store, id, "They passed.", 20, 100.8, { role: "assistant" });
    const { messages } = store.messages.page(id, EVERYTHING);
    expect(messages.map((each) => [each.content, each.status, each.client_message_id])).toEqual([
      ["go on", "observed", null],
      [expect.stringMatching(/^run +the tests$/), "observed", "one"],
      ["They passed.", "observed", null],
    ]);
  },
);

test("a record days before or an hour after a sent message does not observe it by its words", () => {
  const { store, id } = sessionStore();
  const sent = { text: "go on", clientId: "one" };
  store.write(() => store.messages.reserve(id, sent, 1_000_000));
  add(store, id, "go on", 0, 500_000);
  add(store, id, "go on", 10, 1_003_600);
  const found = store.messages.page(id, EVERYTHING).messages;
  expect(found.map(({ status }) => status)).toEqual(["observed", "submitting", "observed"]);
});

test("a decision is public once a live prompt confirmed it, and is resolved by the answer in the log", () => {
  const { store, id } = sessionStore();
  store.write(() => store.decisions.ask(id, "call", REQUEST, 100));
  const [live] = store.decisions.live(id);
  const decisionId = live?.decision.id ?? "";
  expect(store.decisions.get(decisionId)).toBeNull();
  expect(store.sessions.get(id)?.pending_decisions_count).toBe(0);
  store.write(() => store.decisions.change(decisionId, ["unverified"], { status: "pending" }, 101));
  expect(store.sessions.get(id)?.context.decisions).toHaveLength(1);
  store.write(() => store.decisions.resolve(id, "call", { "Which database?": "PostgreSQL" }, 102));
  const shown = DecisionItem.parse(store.decisions.get(decisionId));
  expect(shown).toMatchObject({ status: "resolved", selected_option_id: "2", revision: 3 });
  expect(shown.recommendation).toBe("1");
  expect(store.sessions.get(id)?.pending_decisions_count).toBe(0);
});

test("a decision that is resolved before a live prompt confirmed it is never public", () => {
  const { store, id } = sessionStore();
  const events = eventsOf(store);
  store.write(() => store.decisions.ask(id, "call", REQUEST, 100));
  store.write(() => store.decisions.resolve(id, "call", null, 101));
  expect(
    store.decisions.page({ cursor: null, limit: 9, status: null, agentId: id }).decisions,
  ).toEqual([]);
  expect(events).toEqual([]);
});

test("a visit sends one event for the resume when it moves forward, and none otherwise", () => {
  const { store, id } = sessionStore();
  const first = store.snapshots.latest(id);
  store.write(() => store.sessions.set(id, { lifecycle: "working" }));
  const second = store.snapshots.latest(id);
  if (!first || !second) throw new Error("no snapshots");
  const events = eventsOf(store);
  for (const snapshot of [second, second, first]) store.mark("visit", snapshot);
  const revision = store.sessions.get(id)?.revision ?? 0;
  expect(events).toEqual([
    { kind: "agent_updated", agent_id: id, revision, resources: ["resume"] },
  ]);
});

test("the resume has only the net change since the visit", () => {
  const { store, id } = sessionStore();
  const first = store.snapshots.latest(id);
  if (!first) throw new Error("no snapshot");
  store.write(() => store.marks.advance("visit", first, 10));
  store.write(() => store.sessions.set(id, { lifecycle: "working" }));
  expect(store.resume(id)?.changes).toEqual({
    lifecycle_changed: { from: "observing", to: "working" },
  });
  store.write(() => store.sessions.set(id, { lifecycle: null }));
  expect(store.resume(id)?.changes).toEqual({});
});

const beganAt = (database: Database) =>
  new Table(database, "facts").value("value", "WHERE name = 'began_at'");

test("a store of version 3 keeps its bindings and releases by hand and its positions in logs", () => {
  const database = migratedFrom(3, (old) => {
    for (const source of ["hand", "released", "screen", null]) {
      const id = source ?? "none";
      old.run(
        `INSERT INTO sessions (id, runtime, native_id, created_at, updated_at, revision, state, facts,
           binding, public) VALUES (?, 'agent_a', ?, 1, 1, 0, '{}', '{}', ?, '')`,
        [id, id, JSON.stringify({ ...BOUND_BEFORE, source })],
      );
    }
    old.run(
      `INSERT INTO logs (path, runtime, session_id, is_aside, born, inode, generation, position,
         anchor) VALUES ('/a.jsonl', 'agent_a', 'hand', 1, 5, '1:2', 3, 400, '64:ab')`,
    );
  });
  // The store began with its first session, not with its migration.
  new AgentStore({ database, clock: new FakeClock() });
  expect(beganAt(database)).toBe(1);
  expect(new LogTable(database).get("/a.jsonl")).toEqual({
    ...{ path: "/a.jsonl", runtime: "agent_a", sessionId: "hand", isAside: true, born: 5 },
    ...{ inode: "1:2", generation: 3, position: 400, anchor: "64:ab" },
    ...{ isSkipping: false, isBehind: false, isDormant: false },
  });
  const hands = database
    .query<{ id: string; binding: string }, []>("SELECT id, binding FROM sessions ORDER BY id")
    .all()
    .map(({ id, binding }) => [id, JSON.parse(binding)]);
  const none = { ...BOUND_BEFORE, left: [], newestMessage: null, hand: null };
  const handOf = (kind: string) => ({ kind, incarnation: BOUND_BEFORE.incarnation });
  expect(Object.fromEntries(hands)).toEqual({
    hand: { ...none, source: "hand", hand: handOf("bound") },
    released: { ...none, source: "released", hand: handOf("released") },
    screen: { ...none, source: "screen" },
    none: { ...none, source: null },
  });
});

const BOUND_BEFORE = {
  ...{ association: "confirmed", paneId: "%1", target: "work:1.1", revision: 3 },
  ...{ incarnation: '["%1",100,"7","/shop"]', candidates: [] },
};

test("new progress goes into the newest snapshot, and into a new one once that was reviewed", () => {
  const { store, id } = sessionStore();
  const say = (text: string) =>
    store.write(() => {
      const state = { ...store.sessions.state(id), lastAssistant: { text, at: store.now } };
      store.sessions.set(id, { state });
      return store.sessions.get(id);
    });
  for (let index = 0; index < 60; index++) say(`text ${index}`);
  const { events } = store.snapshots.page(id, null, 50);
  expect(events.length).toBeLessThan(4);
  expect(events[0]).toMatchObject({ title: "text 59", context: { progress_summary: "text 59" } });
  if (events[0]) store.mark("review", events[0]);
  say("after the look");
  const after = store.snapshots.page(id, null, 50).events;
  expect(after.length).toBe(events.length + 1);
  expect(after[1]?.context?.progress_summary).toBe("text 59");
});

test("a failing listener stops neither the write nor the events of other listeners", () => {
  const { store } = memoryStore();
  const kinds: string[] = [];
  store.subscribe(() => {
    throw new Error("broken");
  });
  store.subscribe(({ kind }) => kinds.push(kind));
  const id = newSession(store);
  expect(store.sessions.find(id)).not.toBeNull();
  expect(kinds).not.toEqual([]);
});

test("the risk of a decision covers its whole question, options and plan, also text that is not published", () => {
  const { store, id } = sessionStore();
  const ask = (call: string, question: string, labels = ["Yes", "No"]) => {
    const options = labels.map((label) => ({ label, description: "" }));
    const request = { ...REQUEST, question: { ...REQUEST.question, question, options } };
    store.write(() => store.decisions.ask(id, call, request, 100));
  };
  // The published text is cut far before the command.
  ask("long", `${"Shall the old build go? ".repeat(100)}\nrm -rf /srv/build`);
  ask("option", "How shall it be mended?", ["Run git push --force", "Leave it"]);
  ask("harmless", "Which database?");
  const plan = { kind: "plan_approval" as const, plan: "1. sudo apt-get install jq\n2. Test" };
  store.write(() => store.decisions.ask(id, "plan", plan, 100));
  const risks = store.decisions
    .live(id)
    .map(({ decision }) => [decision.native_event_id, decision.risk?.kinds ?? null]);
  expect(Object.fromEntries(risks)).toEqual({
    long: ["deletes"],
    option: ["rewrites_history"],
    harmless: null,
    plan: ["root"],
  });
});

type Stored = Record<string, string | number | null>;
/** Rows that the previous release wrote, parents first. */
const WRITTEN: { version: number; tables: Record<string, Stored[]> } = await Bun.file(
  new URL("../fixtures/stores/agents.json", import.meta.url),
).json();

test("a store written by the previous release is read in full and can be written", () => {
  const database = migratedFrom(WRITTEN.version, (old) => {
    for (const [name, rows] of Object.entries(WRITTEN.tables))
      for (const row of rows) new Table<Stored>(old, name).insert(row);
  });
  const store = new AgentStore({ database, clock: new FakeClock() });

  const known = sessionNamed(store, "agent_a", "0190aaaa");
  if (!known) throw new Error("the session is lost");
  const { id } = known.session;
  expect(known.facts).toMatchObject({ cwd: "/shop", lastAt: 1_799_999_900 });
  expect(known.binding).toMatchObject({
    ...{ association: "confirmed", paneId: "%1", source: "screen", left: ["other"], revision: 1 },
    hand: { incarnation: "x", kind: "released" },
  });
  expect(known.session).toMatchObject({ lifecycle: "waiting", pane_id: "%1", target: "work:1.1" });
  expect(store.sessions.state(id).goal?.text).toBe("Count the apples");

  const { messages } = store.messages.page(id, EVERYTHING);
  expect(messages.map(({ content, status }) => [content, status])).toEqual([
    ["Count the Äpfel", "observed"],
    ["There are twelve.", "observed"],
    ["And the pears?", "submitting"],
  ]);
  expect(store.messages.page(id, { ...EVERYTHING, q: "apfel" }).messages).toHaveLength(1);
  expect(store.messages.findClient(id, "client-1")?.content).toBe("And the pears?");

  const live = store.decisions.live(id);
  expect(live.map(({ request, decision }) => [request, decision.status])).toEqual([
    [{ kind: "plan_approval", plan: "Count all of it" }, "pending"],
    [{ kind: "plan_approval", plan: "Count none of it" }, "unverified"],
  ]);

  expect(store.logs.get("/home/dev/a.jsonl")).toEqual({
    ...{ path: "/home/dev/a.jsonl", runtime: "agent_a", sessionId: id, isAside: false },
    ...{ born: 1_799_999_000, inode: "1:2", generation: 0, position: 300, anchor: "64:ab" },
    ...{ isSkipping: false, isBehind: false, isDormant: false },
  });
  const { events } = store.snapshots.page(id, null, 10);
  expect(events.map(({ sequence, context }) => [sequence, context?.lifecycle])).toEqual([
    [2, "waiting"],
    [1, "observing"],
  ]);
  expect(store.marks.get(id, "visit")).toMatchObject({
    snapshot_sequence: 2,
    marked_at: 1_800_000_020,
  });
  expect([beganAt(database), store.expiry.forgottenUntil("anybody")]).toEqual([
    1_800_000_000, 1_700_000_000,
  ]);

  // A twin of a message that the previous release stored is found by its digest.
  const twin = { at: 1_799_999_100, source: "other", nativeId: "n9", marksRewinds: false };
  const event = messageEvent("Count the Äpfel", twin);
  expect(addMessage(store, id, event, { generation: "/home/dev/b.jsonl#0" })).toBeNull();
  store.write(() =>
    store.sessions.set(id, { binding: { ...known.binding, paneId: null, revision: 2 } }),
  );
  expect(store.sessions.find(id)?.session).toMatchObject({ pane_id: null, binding_revision: 2 });
});
