import { expect, test } from "bun:test";
import { join } from "node:path";
import { z } from "zod";
import { AgentList, DecisionList, MessageList } from "../../src/protocol/agent-replies.ts";
import { AgentSession, ChatMessage, DecisionItem } from "../../src/protocol/agents.ts";
import { until } from "../support/until.ts";
import { labOfFile } from "./lab.ts";
import type { Panewatch } from "./panewatch.ts";

const DEADLINE_MS = 30_000;

const MessageReply = z.object({ message: ChatMessage });

const stage = labOfFile();

/** The agent in a state, and the workspace that reads its home. */
async function watch(name: "claude" | "codex", state: string) {
  const { agent, service } = await stage.start({ agent: name, state }, (started) => ({
    [name === "claude" ? "agent_a" : "agent_b"]: join(started.home, `.${name}`),
  }));
  const on = await service.call("PATCH", "/api/config", {
    experimental_agent_workspace_enabled: true,
  });
  expect(on.body).toMatchObject({
    _info: { capabilities: { agent_context_v1: { enabled: true } } },
  });
  return { agent, service };
}

function see<T>(what: string, look: () => Promise<T | null | undefined>): Promise<T> {
  return until(look, DEADLINE_MS).catch((cause: unknown) => {
    throw new Error(`no ${what}`, { cause });
  });
}

async function sessionsOf(running: Panewatch): Promise<AgentSession[]> {
  return AgentList.parse((await running.call("GET", "/api/agents")).body).agents;
}

async function confirmed(running: Panewatch, pane: string): Promise<AgentSession> {
  return see(`confirmed session in ${pane}`, async () =>
    (await sessionsOf(running)).find((each) => each.pane_id === pane),
  ).catch(async (cause: unknown) => {
    const lines = (await running.pane(pane))?.lines.slice(-30).join("\n");
    const known = (await sessionsOf(running)).map((each) => [
      ...[each.title, each.association, each.pane_id, each.binding_candidates],
    ]);
    throw new Error(`${pane} shows\n${lines}\n${JSON.stringify(known)}`, { cause });
  });
}

async function pendingDecision(running: Panewatch): Promise<DecisionItem> {
  return see("pending decision", async () => {
    const { body } = await running.call("GET", "/api/decisions?status=pending");
    return DecisionList.parse(body).decisions[0];
  });
}

const replyTo = (decision: DecisionItem, option_id: string, key: string) => ({
  option_id,
  custom_text: null,
  idempotency_key: key,
  expected_revision: decision.revision,
  expected_binding_revision: decision.binding_revision,
  prompt_fingerprint: decision.prompt_fingerprint,
});

for (const name of ["claude", "codex"] as const) {
  test(`${name}: a decision is answered, and the model is told exactly that`, async () => {
    const { agent: live, service: running } = await watch(name, "question-single");
    const decision = await pendingDecision(running);
    const before = (await live.modelTexts()).length;
    const url = `/api/decisions/${decision.id}/reply`;
    expect((await running.call("POST", url, replyTo(decision, "2", "k"))).status).toBe(202);
    expect((await running.call("POST", url, replyTo(decision, "2", "k"))).status).toBe(202);
    await see("resolved decision", async () => {
      const { body } = await running.call("GET", `/api/decisions/${decision.id}`);
      const { status, selected_option_id } = DecisionItem.parse(body);
      return status === "resolved" && selected_option_id === "2" ? true : null;
    });
    const texts = await live.newModelTexts(before);
    expect(texts.length).toBe(1);
    expect(texts[0]).toContain("PostgreSQL");
  });

  test(`${name}: a question answered at the desk meanwhile is a conflict`, async () => {
    const { agent: live, service: running } = await watch(name, "question-single");
    const decision = await pendingDecision(running);
    const before = (await live.modelTexts()).length;
    await stage.lab.press(live.pane, "1");
    await live.newModelTexts(before);
    // It tells its model first and draws then; in between, nobody can see that it was answered.
    await running.see(live.pane, "the question gone", ({ question }) => question === null);
    const late = await running.call(
      "POST",
      `/api/decisions/${decision.id}/reply`,
      replyTo(decision, "3", "late"),
    );
    expect(late).toMatchObject({
      status: 409,
      body: { detail: { current: { id: decision.id } } },
    });
    const texts = (await live.modelTexts()).slice(before);
    expect(texts.length).toBe(1);
    expect(texts[0]).toContain("SQLite");
    expect(texts[0]).not.toContain("Plain files");
  });

  test(`${name}: a message arrives once, as it was written, and is seen in the log`, async () => {
    const { agent: live, service: running } = await watch(name, "idle-finished");
    const session = await confirmed(running, live.pane);
    const before = (await live.modelTexts()).length;
    const text = "And what does bye do?\nSay it in one line.";
    const request = {
      ...{ text, client_message_id: "m1" },
      expected_binding_revision: session.binding_revision,
    };
    const url = `/api/agents/${session.id}/messages`;
    const first = await running.call("POST", url, request);
    expect(first).toMatchObject({ status: 202, body: { message: { content: text } } });
    const { message } = MessageReply.parse(first.body);
    const again = await running.call("POST", url, request);
    expect(again.body).toMatchObject({ message: { id: message.id } });
    await see("observed message", async () => {
      const { body } = await running.call("GET", `${url}?role=user`);
      const { messages } = MessageList.parse(body);
      const own = messages.find((each) => each.client_message_id === "m1");
      return own?.status === "observed" ? own : null;
    });
    // The log has a message before the model is told it.
    const texts = (await live.newModelTexts(before)).filter((each) => each.includes("bye do?"));
    expect(texts.length).toBe(1);
    expect(texts[0]).toContain(JSON.stringify(text));
  });

  test(`${name}: a draft of the person at the desk is not touched`, async () => {
    const { agent: live, service: running } = await watch(name, "idle-finished");
    const session = await confirmed(running, live.pane);
    await stage.lab.press(live.pane, "-l", "my own words");
    await running.see(live.pane, "the draft", ({ lines }) =>
      lines.some((line) => line.includes("my own words")),
    );
    const before = (await live.modelTexts()).length;
    const reply = await running.call("POST", `/api/agents/${session.id}/messages`, {
      ...{ text: "something else", client_message_id: "m2" },
      expected_binding_revision: session.binding_revision,
    });
    expect(reply.status).toBe(409);
    const pane = await running.pane(live.pane);
    expect(pane?.lines.some((line) => line.includes("my own words"))).toBe(true);
    expect(pane?.lines.some((line) => line.includes("something else"))).toBe(false);
    expect((await live.modelTexts()).length).toBe(before);
  });

  test(`${name}: two in one folder are told apart`, async () => {
    const { agent: live, service: running } = await watch(name, "idle-finished");
    const first = await confirmed(running, live.pane);
    const twin = await stage.lab.twin(live.pane);
    await running.see(
      twin,
      "an idle twin",
      ({ status, kind }) => kind !== "generic" && status === "idle",
    );
    await stage.lab.press(twin, "-l", "A word of the other one");
    // A program that has just drawn its input line may swallow an Enter.
    await see("the other one's turn", async () => {
      await stage.lab.press(twin, "Enter");
      return (await sessionsOf(running)).length > 1 ? true : null;
    });
    const second = await confirmed(running, twin);
    expect(second.id).not.toBe(first.id);
    expect(second.context.goal).toBe("A word of the other one");
    expect((await confirmed(running, live.pane)).id).toBe(first.id);
  });
}

test("claude: a plan is approved through its dialog", async () => {
  const { agent: live, service: running } = await watch("claude", "plan-approval");
  const decision = await pendingDecision(running);
  expect(decision.kind).toBe("plan_approval");
  const manual = decision.options.find(({ label }) => label.includes("manually"));
  if (!manual) throw new Error(`no such option in ${JSON.stringify(decision.options)}`);
  const before = (await live.modelTexts()).length;
  const url = `/api/decisions/${decision.id}/reply`;
  expect((await running.call("POST", url, replyTo(decision, manual.id, "p"))).status).toBe(202);
  const [text] = await live.newModelTexts(before);
  expect(text).toContain("approved");
});

test("claude: a session that is cleared leaves its pane to the next", async () => {
  const { agent: live, service: running } = await watch("claude", "idle-finished");
  const first = await confirmed(running, live.pane);
  await stage.lab.press(live.pane, "-l", "/clear");
  await see("the cleared session go", async () => {
    await stage.lab.press(live.pane, "Enter");
    const { body } = await running.call("GET", `/api/agents/${first.id}`);
    return AgentSession.parse(body).association === "unavailable" ? true : null;
  });
  const { body } = await running.call("GET", `/api/agents/${first.id}`);
  expect(body).toMatchObject({ pane_id: null, lifecycle: "offline" });
  const late = await running.call("POST", `/api/agents/${first.id}/messages`, {
    ...{ text: "to the one before", client_message_id: "late" },
    expected_binding_revision: first.binding_revision,
  });
  expect(late.status).toBe(409);
});
