import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { AgentRequest } from "../../src/agents/session.ts";
import { DATABASE, AgentStage, SAID } from "./support/agent-stage.ts";

const MAY_HAVE_ARRIVED = expect.stringContaining("Look at the terminal");
const TASK = ["Set up storage", "I need a decision before I go on."];
let stage: AgentStage;
beforeEach(async () => {
  stage = new AgentStage();
  await stage.switchTo(true);
});
afterEach(() => stage.workspace.stop());

describe("messages", () => {
  let id: string;
  const send = (members: object = {}) => stage.send(id, members);
  beforeEach(async () => {
    id = stage.session("a", SAID);
    await stage.pass();
  });

  test("a message is typed, sent with Enter, and observed when the log has its words", async () => {
    const { status, body } = await send();
    expect([status, body.message.status]).toEqual([202, "sent"]);
    expect(stage.sent).toEqual(["And bye?", "<Enter>"]);
    stage.say(id, "user", "And  bye?");
    const { body: list } = await stage.request("GET", `/api/agents/${id}/messages?role=user`);
    expect(list.messages.at(-1)).toMatchObject({
      ...{ id: body.message.id, status: "observed", client_message_id: "c1" },
    });
    expect(list.messages.length).toBe(2);
  });

  test("a repeated client id sends nothing again, whatever its text, one after another or at once", async () => {
    const [first, second] = await Promise.all([send(), send()]);
    const third = await send({ text: "Something else", expected_binding_revision: 99 });
    expect(new Set([first, second, third].map(({ body }) => body.message.id)).size).toBe(1);
    expect([first, second, third].map(({ status }) => status)).toEqual([202, 202, 202]);
    expect(stage.sent).toEqual(["And bye?", "<Enter>"]);
  });

  test("a request that waited behind another with its client id gets that one's message", async () => {
    stage.onSend = (input) => {
      if (input === "<Enter>") stage.show("working-streaming");
      return "sent";
    };
    const [first, second] = await Promise.all([send(), send()]);
    expect([first.status, second.status]).toEqual([202, 202]);
    expect(second.body.message.id).toBe(first.body.message.id);
    expect(stage.sent).toEqual(["And bye?", "<Enter>"]);
  });

  test("a message is refused with its session when the program in the pane changes while it waits", async () => {
    stage.processes = async () => {
      stage.identity = "%1 200";
      return [];
    };
    const { status, body } = await send();
    expect([status, body.detail.message, body.detail.current.id]).toEqual([
      ...[409, "another program runs in pane %1 now", id],
    ]);
    expect(stage.sent).toEqual([]);
  });

  const REFUSED: [string, () => unknown, RegExp][] = [
    ["a draft in the input line", () => stage.show("idle-typed"), /typed something/],
    ["a working agent", () => stage.show("working-streaming"), /not idle/],
    ["an open dialog", () => stage.show("permission-edit"), /waits for an answer/],
    ["an empty start of another session", () => stage.show("idle"), /another session/],
    [
      "another program in the pane",
      () => (stage.identity = "%1 200"),
      /another program|not the one/,
    ],
  ];
  test("a refused message is one line in the log of requests, with the reason", async () => {
    stage.show("working-streaming");
    await send();
    expect(stage.requests).toEqual([expect.stringMatching(/\(409\): the agent is not idle\n$/)]);
  });

  test.each(REFUSED)("a message is refused and not typed: %s", async (_, change, why) => {
    change();
    const { status, body } = await send();
    expect(status).toBe(409);
    expect(body.detail).toEqual({
      message: expect.stringMatching(why),
      current: expect.objectContaining({ id }),
    });
    expect(stage.sent).toEqual([]);
    expect(stage.store.messages.findClient(id, "c1")).toBe(null);
  });

  test("a message to a session without messages is typed at its empty start", async () => {
    const fresh = stage.session("fresh", []);
    stage.show("idle");
    await stage.pass();
    const { body: seen } = await stage.request("GET", `/api/agents/${fresh}`);
    const expected_binding_revision = seen.binding_revision;
    const { body: bound } = await stage.request("PUT", `/api/agents/${fresh}/binding`, {
      ...{ pane_id: "%1", expected_binding_revision },
    });
    const { status } = await stage.send(fresh, {
      expected_binding_revision: bound.binding_revision,
    });
    expect(status).toBe(202);
    expect(stage.sent).toEqual(["And bye?", "<Enter>"]);
  });

  test("a message is refused with a stale binding revision and without a confirmed binding", async () => {
    const stale = await send({ expected_binding_revision: 0 });
    expect([stale.status, stale.body.detail.message]).toEqual([409, "stale binding revision"]);
    expect(stale.body.detail.current.id).toBe(id);
    const other = stage.session("b", ["Not on the screen", "Nor is this one at all"]);
    await stage.pass();
    const reply = await stage.send(other, { expected_binding_revision: 0 });
    expect([reply.status, reply.body.detail.current.id]).toEqual([409, other]);
    expect(stage.sent).toEqual([]);
  });

  test("a message is refused when its pane was last seen over ten seconds, or over four slow passes, ago", async () => {
    const after = async (seconds: number, pollInterval = 0.7) => {
      await stage.pass();
      stage.pollInterval = pollInterval;
      stage.clock.advance(seconds);
      const client_message_id = `${seconds} ${pollInterval}`;
      const { status, body } = await send({ client_message_id });
      return status === 202 ? null : body.detail.message;
    };
    const late = "the pane has not been seen of late";
    expect([await after(10), await after(11)]).toEqual([null, late]);
    // Four passes, where those take longer.
    expect([await after(12, 3), await after(12.5, 3)]).toEqual([null, late]);
  });

  test("a jump of the wall clock changes nothing in how long ago a pane was seen", async () => {
    for (const jump of [3600, -7200]) {
      stage.clock.adjustWall(jump);
      expect((await send({ client_message_id: `jumped ${jump}` })).status).toBe(202);
      await stage.pass();
    }
    stage.clock.adjustWall(-60);
    stage.clock.advance(11);
    expect((await send({ client_message_id: "late" })).status).toBe(409);
  });

  test("a text without words or with control characters is refused with 400, an empty or too long one with 422", async () => {
    expect((await send({ text: "a\u001bb" })).status).toBe(400);
    expect((await send({ text: " \n\t" })).status).toBe(400);
    expect((await send({ text: "" })).status).toBe(422);
    expect((await send({ text: "x".repeat(8001) })).status).toBe(422);
    expect(stage.sent).toEqual([]);
  });

  test("a message whose outcome the multiplexer does not know may have arrived, and is not typed again", async () => {
    stage.onSend = () => "unknown";
    const { status, body } = await send();
    expect([status, body.detail.message]).toEqual([409, MAY_HAVE_ARRIVED]);
    expect(stage.store.messages.findClient(id, "c1")?.status).toBe("unknown");
    stage.onSend = () => "sent";
    expect((await send()).body.message.status).toBe("unknown");
    expect(stage.sent.length).toBe(1);
  });

  test("a text that still stands in the input line gets one more Enter, and then its outcome is unknown", async () => {
    // The recorded draft is what was sent.
    stage.onSend = () => {
      stage.show("idle-typed");
      return "sent";
    };
    const { status, body } = await send({ text: "explain what greet.js does" });
    expect([status, body.detail.message]).toEqual([
      409,
      expect.stringContaining("not certain that the message arrived"),
    ]);
    expect(stage.sent).toEqual(["explain what greet.js does", "<Enter>", "<Enter>"]);
    expect(stage.store.messages.findClient(id, "c1")?.status).toBe("unknown");
  });
});

describe("decisions", () => {
  let agent: string;
  const ask = (request: AgentRequest = DATABASE, nativeId = "toolu_1") =>
    stage.store.write(() => stage.store.decisions.ask(agent, nativeId, request, stage.clock.now()));
  const shown = async () => (await stage.request("GET", "/api/decisions")).body.decisions;
  const newest = async () => {
    const [decision] = await shown();
    if (!decision) throw new Error("no decision is public");
    return decision;
  };
  beforeEach(async () => {
    agent = stage.session("a", TASK);
    stage.show("question-single");
  });

  async function publicDecision() {
    ask();
    await stage.pass();
    const decision = await newest();
    return { decision, reply: (members: object = {}) => stage.reply(decision, members) };
  }

  test("a question is public once the screen asks it word for word, and is announced once", async () => {
    ask();
    stage.show("permission-edit");
    await stage.pass();
    expect(await shown()).toEqual([]);
    for (const { decision } of stage.store.decisions.live(agent))
      expect(await stage.reply(decision, { prompt_fingerprint: "p" })).toMatchObject({
        status: 404,
      });
    stage.show("question-single");
    await stage.pass();
    await stage.pass();
    const decision = await newest();
    expect(decision).toMatchObject({
      ...{ status: "pending", kind: "question", review_status: "actionable" },
      title: "Which database should the service use?",
    });
    await stage.pass();
    expect(await shown()).toEqual([decision]);
    expect(stage.verified).toEqual([decision.id]);
    expect<object>((await stage.request("GET", `/api/decisions/${decision.id}`)).body).toEqual(
      decision,
    );
  });

  test("a reply presses the key of its option, and the answer in the log resolves the decision", async () => {
    const { decision, reply } = await publicDecision();
    const { status, body } = await reply();
    expect([status, body.decision.status, body.decision.selected_option_id]).toEqual([
      ...[202, "submitting", "2"],
    ]);
    expect(stage.sent).toEqual(["2"]);
    expect(await stage.ledger.page({ withEvents: false })).toMatchObject([
      { kind: "reply", label: "PostgreSQL", key: "k1" },
    ]);
    const answers = { "Which database should the service use?": "PostgreSQL" };
    stage.store.write(() =>
      stage.store.decisions.resolve(agent, "toolu_1", answers, stage.clock.now()),
    );
    expect((await stage.request("GET", `/api/decisions/${decision.id}`)).body).toMatchObject({
      ...{ status: "resolved", selected_option_id: "2" },
    });
  });

  test("a repeated idempotency key has the same outcome, another key finds the decision submitting", async () => {
    const { reply } = await publicDecision();
    const replies = await Promise.all([reply(), reply()]);
    replies.push(await reply());
    expect(replies.map(({ status }) => status)).toEqual([202, 202, 202]);
    const other = await reply({ idempotency_key: "k2" });
    expect([other.status, other.body.detail.message]).toEqual([409, "the decision is submitting"]);
    expect(stage.sent).toEqual(["2"]);
  });

  test("of two different replies at once only one is sent", async () => {
    const { reply } = await publicDecision();
    const both = await Promise.all([
      reply({ option_id: "1", idempotency_key: "a" }),
      reply({ option_id: "3", idempotency_key: "b" }),
    ]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([202, 409]);
    expect(stage.sent.length).toBe(1);
  });

  test("a reply is refused before a run has observed a pane", async () => {
    const { reply } = await publicDecision();
    await stage.switchTo(false);
    stage.passes.publish(0, [], true);
    await stage.switchTo(true);
    const message = "the session is in no pane for certain";
    expect(await reply()).toMatchObject({ status: 409, body: { detail: { message } } });
  });

  test("a reply with another revision, binding, fingerprint, option or a text is refused and not sent", async () => {
    const { decision, reply } = await publicDecision();
    const refused: object[] = [
      { expected_revision: decision.revision - 1 },
      { expected_binding_revision: 0 },
      { prompt_fingerprint: "sha256:00" },
      { custom_text: "none of these" },
    ];
    for (const [index, members] of refused.entries()) {
      const { status, body } = await reply({ ...members, idempotency_key: `r${index}` });
      expect([status, body.detail.current.id]).toEqual([409, decision.id]);
    }
    const unknown = await reply({ option_id: "9", idempotency_key: "r9" });
    expect([unknown.status, stage.sent]).toEqual([400, []]);
    expect((await reply()).status).toBe(202);
  });

  test("a reply is refused when the prompt has changed since it was shown, and its key stays refused", async () => {
    const { decision, reply } = await publicDecision();
    stage.show("permission-edit");
    const { status, body } = await reply();
    expect([status, body.detail.current.status]).toEqual([409, "pending"]);
    expect(stage.sent).toEqual([]);
    // The key keeps its outcome; another key may answer.
    stage.show("question-single");
    expect((await reply()).status).toBe(409);
    expect((await reply({ idempotency_key: "k2" })).status).toBe(202);
    expect(stage.verified).toEqual([decision.id]);
  });

  test("an idempotency key with another answer is refused, also while the first reply runs", async () => {
    const { decision, reply } = await publicDecision();
    const [first, meanwhile] = await Promise.all([reply(), reply({ option_id: "3" })]);
    const later = await reply({ option_id: "1" });
    expect([first, meanwhile, later].map(({ status }) => status)).toEqual([202, 409, 409]);
    expect(later.body.detail).toMatchObject({
      message: "this idempotency key was used for another request",
      current: { id: decision.id, selected_option_id: "2" },
    });
    expect((await reply()).status).toBe(202);
    expect(stage.sent).toEqual(["2"]);
  });

  test("a reply is refused with its decision when the program in the pane changes while it waits", async () => {
    const { decision, reply } = await publicDecision();
    stage.processes = async () => {
      stage.identity = "%1 200";
      return [];
    };
    const { status, body } = await reply();
    expect([status, body.detail.message, body.detail.current.id]).toEqual([
      ...[409, "another program runs in pane %1 now", decision.id],
    ]);
    expect(stage.sent).toEqual([]);
  });

  test("an idempotency key that was used for one decision is refused for another", async () => {
    const { reply } = await publicDecision();
    await reply();
    ask(DATABASE, "toolu_2");
    stage.store.write(() =>
      stage.store.decisions.resolve(agent, "toolu_1", null, stage.clock.now()),
    );
    await stage.pass();
    const next = (await shown()).find(({ status }) => status === "pending");
    if (!next) throw new Error("the second question is not public");
    const again = await stage.reply(next, { option_id: "1" });
    expect([again.status, stage.sent]).toEqual([409, ["2"]]);
  });

  test("a reply that may have arrived makes its decision unknown, and is not sent again", async () => {
    stage.onSend = () => "unknown";
    const { decision, reply } = await publicDecision();
    const { status, body } = await reply();
    expect([status, body.detail.message]).toEqual([409, MAY_HAVE_ARRIVED]);
    const doubtful = { status: "unknown", review_status: "terminal_required" };
    expect(body.detail.current).toMatchObject(doubtful);
    expect((await stage.request("GET", `/api/decisions/${decision.id}`)).body).toMatchObject(
      doubtful,
    );
    expect((await reply({ idempotency_key: "k2" })).status).toBe(409);
    expect(stage.sent.length).toBe(1);
  });

  test("a reply on its way when a run ended is unknown in the next run, and is not sent again", async () => {
    const { decision, reply } = await publicDecision();
    await reply();
    await stage.switchTo(false);
    await stage.switchTo(true);
    expect(stage.store.decisions.get(decision.id)?.status).toBe("unknown");
    // Its key is still known: nothing is sent again.
    expect((await reply()).status).toBe(202);
    expect(stage.sent).toEqual(["2"]);
  });

  test("a decision whose prompt is gone is resolved after five more seconds without an answer in the log", async () => {
    const { decision } = await publicDecision();
    stage.show("idle-finished");
    await stage.pass();
    expect(stage.store.decisions.get(decision.id)?.status).toBe("pending");
    for (let second = 1; second < 5; second++) await stage.pass();
    expect(stage.store.decisions.get(decision.id)?.status).toBe("pending");
    await stage.pass();
    expect(stage.store.decisions.get(decision.id)?.status).toBe("resolved");
  });

  test("a decision stays pending, without a second alert, while its pane is taken for another program", async () => {
    const { decision, reply } = await publicDecision();
    await stage.pass({ kind: "generic" });
    expect(stage.store.decisions.get(decision.id)?.status).toBe("pending");
    expect((await reply({ idempotency_key: "away" })).status).toBe(409);
    await stage.pass();
    await stage.pass();
    const again = await newest();
    expect(again).toMatchObject({ id: decision.id, status: "pending", binding_revision: 3 });
    // The decision is the same: it is announced once.
    expect(stage.verified).toEqual([decision.id]);
    const guards = { expected_revision: again.revision, expected_binding_revision: 3 };
    expect((await reply(guards)).status).toBe(202);
  });

  test("a decision is superseded when another process runs in its pane", async () => {
    const { decision } = await publicDecision();
    await stage.pass({ kind: "generic" });
    stage.identity = "%1 200";
    await stage.pass();
    await stage.pass();
    expect(stage.store.decisions.get(decision.id)?.status).toBe("superseded");
  });

  test("a decision is superseded when its program goes on to another session", async () => {
    const { decision } = await publicDecision();
    stage.show("idle");
    await stage.pass();
    expect(stage.store.decisions.get(decision.id)?.status).toBe("superseded");
    expect(stage.store.sessions.get(agent)).toMatchObject({
      ...{ association: "unavailable", pane_id: null, lifecycle: "offline", binding_revision: 2 },
    });
  });

  test("a decision that no screen has shown ends when its program goes on to another session", async () => {
    await stage.pass();
    ask({ kind: "plan_approval", plan: "All of it" });
    stage.show("idle");
    await stage.pass();
    expect(stage.store.decisions.live(agent)).toEqual([]);
  });

  test("several questions asked at once require the terminal, and a reply is refused", async () => {
    agent = stage.session("t", ["Set up the project", "I need a decision before I go on."]);
    stage.show("question-tabs");
    ask({ ...DATABASE, count: 3 });
    await stage.pass();
    const decision = await newest();
    expect(decision.review_status).toBe("terminal_required");
    const reply = await stage.reply(decision, { option_id: "1" });
    expect([reply.status, stage.sent]).toEqual([409, []]);
  });
});
