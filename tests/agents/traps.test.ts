import { expect, test } from "bun:test";
import type { AgentStore } from "../../src/agents/store/store.ts";
import { EVERYTHING } from "./support/messages.ts";
import {
  CLAUDE_LOG as A,
  CODEX_LOG as B,
  line,
  openLogs,
  promptLine,
  questionLine,
} from "./support/records.ts";
import { allSessions, onlySession, sessionNamed } from "./support/store.ts";

const T = 1_800_000_000;

async function read(files: Record<string, string>): Promise<AgentStore> {
  await using logs = await openLogs({ now: T + 1000 });
  for (const [path, text] of Object.entries(files)) await logs.reads(text, path);
  return logs.store;
}

function textsOf(store: AgentStore, nativeId = "session-1"): string[] {
  const known = allSessions(store).find(({ session }) => session.native_session_id === nativeId);
  if (known === undefined) return [];
  const { messages } = store.messages.page(known.session.id, EVERYTHING);
  return messages.map(({ content }) => content);
}

const time = (at: number) => new Date(at * 1000).toISOString();
const answer = (text: string, at: number, over: object = {}) =>
  promptLine(text, at, {
    type: "assistant",
    message: { model: "m", stop_reason: "end_turn", content: [{ type: "text", text }] },
    ...over,
  });
const record = (type: string, payload: object, at: number) =>
  line({ timestamp: time(at), type, payload });
const META = record("session_meta", { id: "session-1", cwd: "/home/dev/shop" }, T);
const response = (role: string, text: string, at: number) => {
  const type = role === "user" ? "input_text" : "output_text";
  return record("response_item", { type: "message", role, content: [{ type, text }] }, at);
};

/** A call of a tool, with the same parent as others. */
const toolCall = (id: string, at: number) =>
  promptLine(id, at, {
    type: "assistant",
    parentUuid: "p",
    message: { model: "m", content: [{ type: "tool_use", id, name: "Bash", input: {} }] },
  });
const event = (type: string, message: string, at: number) =>
  record("event_msg", { type, message }, at);
const forkedFrom = { sessionId: "gone", messageUuid: "x" };

test.each<[string, Record<string, string>, string[]]>([
  [
    "records that name the session they were copied from are no messages",
    { [A]: promptLine("old", T, { forkedFrom }) + promptLine("new", T + 60) },
    ["new"],
  ],
  [
    "parallel tool calls with one parent take back no message",
    {
      [A]:
        promptLine("go", T) + toolCall("t1", T + 1) + toolCall("t2", T + 1) + answer("done", T + 2),
    },
    ["go", "done"],
  ],
  [
    "a Codex log without event messages gives its items, except text that the program inserts",
    {
      [B]:
        META +
        response("user", "<environment_context>x</environment_context>", T) +
        response("user", "# AGENTS.md instructions for /home\n\n<INSTRUCTIONS>x", T) +
        response("user", "do it", T + 1) +
        response("assistant", "done", T + 2),
    },
    ["do it", "done"],
  ],
  [
    "a Codex log with event messages gives no item without an equal event, also before the first",
    {
      [B]:
        META +
        response("assistant", "a summary that nobody sees", T) +
        response("user", "do it", T + 1) +
        event("user_message", "do it", T + 1.01) +
        response("assistant", "another summary", T + 2),
    },
    ["do it"],
  ],
  [
    "messages of a turn that is rolled back are removed",
    {
      [B]:
        META +
        event("user_message", "one", T) +
        event("agent_message", "1", T + 1) +
        event("user_message", "two", T + 2) +
        event("agent_message", "2", T + 3) +
        record("event_msg", { type: "thread_rolled_back", num_turns: 1 }, T + 4),
    },
    ["one", "1"],
  ],
  [
    "escape sequences and control characters never reach a message",
    {
      [A]: promptLine(
        "a\u001b[31mred\u001b[0m\u0007 b\u001b]0;title\u0007c\u0000\td\r\ne\u009b1mf",
        T,
      ),
    },
    ["ared b" + "c\td\nef"],
  ],
  [
    "an escape sequence without an end removes no text behind it",
    { [A]: promptLine("see \u001b]0;title and the rest", T) },
    ["see 0;title and the rest"],
  ],
  [
    "a byte order mark does not hide the first record of a log",
    { [A]: `\ufeff${promptLine("first", T)}` },
    ["first"],
  ],
])("%s", async (_, files, words) => {
  expect(textsOf(await read(files))).toEqual(words);
});

test("a rollback does not take a message that never arrived for a turn", async () => {
  const first = META + event("user_message", "one", T) + event("agent_message", "1", T + 1);
  const second = event("user_message", "two", T + 2) + event("agent_message", "2", T + 3);
  await using logs = await openLogs({ now: T + 1000 });
  await logs.reads(first + second, B);
  const { store } = logs;
  const [id = ""] = store.sessions.ids();
  store.write(() => {
    const sent = { text: "three", clientId: "c1" };
    const { message } = store.messages.reserve(id, sent, T + 4);
    store.messages.noteSent(message.id, "failed", T + 4);
  });
  const back = record("event_msg", { type: "thread_rolled_back", num_turns: 1 }, T + 5);
  await logs.reads(first + second + back, B);
  expect(textsOf(store)).toEqual(["one", "1", "three"]);
});

test("a fork gets its goal once the long log that it was forked from is read", async () => {
  await using logs = await openLogs({ now: T + 1000 });
  const { store } = logs;
  const fork = { id: "session-2", cwd: "/home/dev/shop", forked_from_id: "session-1" };
  await logs.reads(
    record("session_meta", fork, T + 60) + event("user_message", "And the tests?", T + 61),
    ".codex/sessions/2027/01/02/c.jsonl",
  );
  const long = event("agent_message", "x".repeat(300_000), T + 2);
  await logs.reads(META + event("user_message", "Mend the cart", T + 1) + long + long, B);
  const known = sessionNamed(store, "agent_b", "session-2");
  expect(known?.session.context.goal).toBe("Mend the cart");
});

test("a decision is resolved with one event also where much follows its answer in the log", async () => {
  await using logs = await openLogs({ now: T + 1000 });
  const { store } = logs;
  const question = promptLine("go", T) + questionLine("q1", T + 1);
  await logs.reads(question);
  const [agentId = ""] = store.sessions.ids();
  const [known] = store.decisions.live(agentId);
  const id = known?.decision.id ?? "";
  store.write(() => store.decisions.change(id, ["unverified"], { status: "pending" }, T + 2));
  const decisionIds: (string | undefined)[] = [];
  store.subscribe(({ decision_id }) => void decisionIds.push(decision_id));
  const result = { type: "tool_result", tool_use_id: "q1", content: "A" };
  const answered = promptLine("", T + 3, {
    ...{ message: { role: "user", content: [result] }, toolUseResult: { answers: {} } },
  });
  await logs.reads(question + answered + answer("x".repeat(300_000), T + 4));
  expect(store.decisions.get(id)?.status).toBe("resolved");
  expect(decisionIds.filter((one) => one === id)).toHaveLength(1);
});

test("a fork has only the messages typed into it, and the goal of the session that it copied", async () => {
  const past = promptLine("first", T) + answer("done", T + 1);
  const copy = past.replaceAll('"session-1"', '"session-2"');
  const store = await read({
    [A]: past,
    ".claude/projects/x/b.jsonl":
      copy + promptLine("in the fork", T + 60, { sessionId: "session-2" }),
  });
  expect(textsOf(store)).toEqual(["first", "done"]);
  expect(textsOf(store, "session-2")).toEqual(["in the fork"]);
  const fork = sessionNamed(store, "agent_a", "session-2");
  expect(fork?.session.context.goal).toBe("first");
});

test("a second prompt with one parent takes back the first only with a mark in the log or in an old version", async () => {
  const turns = (version: string) =>
    promptLine("one", T, { parentUuid: null, version }) +
    promptLine("two", T + 10, { parentUuid: "p", version }) +
    answer("second answer", T + 11, { version }) +
    promptLine("three", T + 20, { parentUuid: "p", version });
  const mark = line({ type: "last-prompt", explicit: true, sessionId: "session-1" });
  expect(textsOf(await read({ [A]: turns("2.1.330") }))).toHaveLength(4);
  expect(textsOf(await read({ [A]: turns("2.1.330") + mark }))).toEqual(["one", "three"]);
  expect(textsOf(await read({ [A]: turns("2.1.150") }))).toEqual(["one", "three"]);
});

test("records of sub-agents, titles, compaction and notices of the program are no messages", async () => {
  const store = await read({
    [A]: [
      line({ type: "custom-title", customTitle: "My work", sessionId: "session-1" }),
      promptLine("go", T),
      promptLine("side", T + 1, { isSidechain: true }),
      promptLine("summary", T + 2, { isCompactSummary: true }),
      promptLine("hidden", T + 3, { isMeta: true }),
      promptLine("<command-name>/clear</command-name>", T + 4),
      promptLine("<task-notification>x</task-notification>", T + 5),
      promptLine("a job is done", T + 5, { origin: { kind: "task-notification" } }),
      promptLine("wake up", T + 5, { promptSource: "system" }),
      answer("No response requested.", T + 6, {
        message: { model: "<synthetic>", content: [{ type: "text", text: "No response" }] },
      }),
    ].join(""),
  });
  expect(textsOf(store)).toEqual(["go"]);
  expect(onlySession(store).session.title).toBe("My work");
});

test("a record of over a megabyte is skipped, and the session is degraded", async () => {
  const store = await read({
    [A]:
      promptLine("before", T) +
      promptLine("x".repeat(3 * 1024 * 1024), T + 1) +
      promptLine("after", T + 2),
  });
  expect(textsOf(store)).toEqual(["before", "after"]);
  expect(onlySession(store).session.extraction_health).toBe("degraded:oversized_line_discarded");
});

test("a record just under a megabyte is read, and its message is cut to 20,000 characters", async () => {
  const store = await read({ [A]: promptLine("y".repeat(1024 * 1024 - 2000), T, { uuid: "y" }) });
  const [text] = textsOf(store);
  expect(text).toHaveLength(20_000);
  expect(text?.endsWith("…")).toBe(true);
});

test("a session of a print or exec run is marked as not typed into", async () => {
  const store = await read({
    [A]: promptLine("print it", T, { entrypoint: "sdk-cli" }),
    [B]: record("session_meta", { id: "e", source: "exec" }, T) + response("user", "run", T),
  });
  expect(allSessions(store).map(({ facts }) => facts.isTyped)).toEqual([false, false]);
});

test("the log of a sub-agent makes no session", async () => {
  const meta = { id: "child", session_id: "session-1", thread_source: "subagent", source: {} };
  const store = await read({ [B]: record("session_meta", meta, T) + response("user", "x", T) });
  expect(allSessions(store)).toEqual([]);
});

const toolResult = (text: string, at: number) => {
  const content = [{ type: "tool_result", tool_use_id: "toolu_1", content: text }];
  return promptLine("", at, { parentUuid: "x", message: { role: "user", content } });
};

test("a tool result of over a megabyte does not degrade a session; a prompt does, until a turn is read whole", async () => {
  const picture = "x".repeat(2 * 1024 * 1024);
  const shot = await read({ [A]: promptLine("look", T) + toolResult(picture, T + 1) });
  expect(onlySession(shot).session.extraction_health).toBe("ok");
  const idle = (at: number) =>
    line({ type: "system", subtype: "turn_duration", sessionId: "session-1", timestamp: time(at) });
  const lost = promptLine("first", T) + promptLine(picture, T + 1);
  const ended = await read({ [A]: lost + idle(T + 2) });
  expect(onlySession(ended).session.extraction_health).toContain("degraded:");
  const whole = await read({ [A]: lost + idle(T + 2) + promptLine("next", T + 3) + idle(T + 4) });
  expect(onlySession(whole).session.extraction_health).toBe("ok");
});

test("no line of a context has control characters, line breaks, half characters or over 200 characters", async () => {
  const odd = `a\u001b[31m\u0007\u0000\ud800 b\r\nsecond line ${"z".repeat(30_000)}`;
  const todos = [
    { content: odd, status: "in_progress" },
    { content: `${odd} 2`, status: "completed" },
    { content: `next ${odd}`, status: "pending" },
  ];
  const message = {
    model: "m",
    content: [
      { type: "text", text: odd },
      { type: "tool_use", id: "t", name: "TodoWrite", input: { todos } },
    ],
  };
  const turn = line({ type: "assistant", sessionId: "session-1", message, timestamp: time(T + 1) });
  const store = await read({ [A]: promptLine(odd, T) + turn });
  const { title, context } = onlySession(store).session;
  const { goal, current_task, next_action, completed_items, progress_summary } = context;
  const lines = [title, goal, current_task, next_action, ...completed_items.map((i) => i.title)];
  for (const text of lines) {
    expect(text).toMatch(/^[^\u0000-\u001f\u007f-\u009f]+$/);
    expect((text ?? "").length).toBeLessThanOrEqual(200);
    expect((text ?? "").isWellFormed()).toBe(true);
  }
  expect(progress_summary).not.toContain("\u001b");
  const events = store.snapshots.global(null, 10).events.map((each) => each.title);
  expect(events.every((each) => each.length <= 500 && !each.includes("\u0007"))).toBe(true);
});

test("of two steps of a plan with the same words or id, each is done by itself", async () => {
  const plan = (at: number, statuses: readonly string[], id?: string) => {
    const todos = statuses.map((status) => ({ content: "Run the tests", status, id }));
    const content = [{ type: "tool_use", id: `t${at}`, name: "TodoWrite", input: { todos } }];
    const message = { model: "m", content };
    return line({ type: "assistant", sessionId: "session-1", message, timestamp: time(at) });
  };
  for (const id of [undefined, "1"]) {
    const steps = [promptLine("go", T), plan(T + 1, ["completed", "pending"], id)];
    const done = async () =>
      onlySession(await read({ [A]: steps.join("") })).session.context.completed_items;
    const first = await done();
    expect(first.map(({ title, completed_at }) => [title, completed_at])).toEqual([
      ["Run the tests", T + 1],
    ]);
    steps.push(
      plan(T + 5, ["completed", "in_progress"], id),
      plan(T + 9, ["completed", "completed"], id),
    );
    const both = await done();
    expect(both[0]).toEqual(first[0]);
    expect(both.map(({ completed_at }) => completed_at)).toEqual([T + 1, T + 9]);
  }
});

test("a record dated in the future counts as of now", async () => {
  const store = await read({ [A]: promptLine("now", T) + promptLine("then", T + 86_400 * 365) });
  expect(onlySession(store).session.last_event_at).toBe(T + 1000);
});
