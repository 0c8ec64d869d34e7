import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { runDemo } from "../../src/demo/demo.ts";
import { AgentList, DecisionList, MessageList } from "../../src/protocol/agent-replies.ts";
import { type AgentSession, DecisionItem } from "../../src/protocol/agents.ts";
import { type LiveService, startLiveService } from "../support/live-service.ts";
import { until } from "../support/until.ts";

const ENTRY = join(import.meta.dir, "entry.ts");
const DEADLINE_MS = 30_000;
/** So that the next questions come after a few seconds. */
const PACE = 6;

let service: LiveService;
let folder: string;
const ready = Promise.withResolvers<void>();
const stopped = Promise.withResolvers<number>();
let demo: Promise<number>;

beforeAll(async () => {
  demo = runDemo({
    self: [process.execPath, ENTRY],
    agents: true,
    pace: PACE,
    async serve(configPath) {
      folder = dirname(dirname(configPath));
      service = await startLiveService({ configPath });
      ready.resolve();
      const code = await stopped.promise;
      await service.stop();
      return code;
    },
  });
  await Promise.race([ready.promise, demo]);
}, DEADLINE_MS);
afterAll(async () => {
  stopped.resolve(0);
  await demo;
}, DEADLINE_MS);

/** The workspace is switched on beside the service, and answers 503 until then. */
function ask(path: string): Promise<unknown> {
  return until(async () => {
    const reply = await fetch(`${service.url}${path}`);
    return reply.ok ? reply.json() : null;
  }, DEADLINE_MS);
}
async function sessionOf(goal: string): Promise<AgentSession | null> {
  const { agents } = AgentList.parse(await ask("/api/agents"));
  const found = agents.find(({ context }) => context.goal === goal);
  return found?.association === "confirmed" ? found : null;
}
const confirmed = (goal: string) => until(() => sessionOf(goal), DEADLINE_MS);
async function messagesOf(id: string): Promise<string[]> {
  const { messages } = MessageList.parse(await ask(`/api/agents/${id}/messages`));
  return messages.map(({ content }) => content);
}
const says = (id: string, text: string) =>
  until(async () => ((await messagesOf(id)).includes(text) ? true : null), DEADLINE_MS);

/** Those of these sessions that can be answered from Review. */
async function actionable(...ids: readonly string[]): Promise<DecisionItem[]> {
  const { decisions } = DecisionList.parse(await ask("/api/decisions?status=pending"));
  return decisions.filter(
    ({ agent_id, review_status }) => review_status === "actionable" && ids.includes(agent_id),
  );
}
const nextOf = (id: string) => until(async () => (await actionable(id))[0] ?? null, DEADLINE_MS);

function post(path: string, body: object): Promise<Response> {
  const headers = { "content-type": "application/json" };
  return fetch(`${service.url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
}
/** Chooses the second option under what was seen. */
function answer(seen: DecisionItem, { as = seen.id } = {}): Promise<Response> {
  return post(`/api/decisions/${as}/reply`, {
    option_id: seen.options[1]?.id,
    custom_text: null,
    idempotency_key: crypto.randomUUID(),
    expected_revision: seen.revision,
    expected_binding_revision: seen.binding_revision,
    prompt_fingerprint: seen.prompt_fingerprint,
  });
}
const decisionOf = async (id: string) => DecisionItem.parse(await ask(`/api/decisions/${id}`));
const resolved = (id: string) =>
  until(async () => {
    const decision = await decisionOf(id);
    return decision.status === "resolved" ? decision : null;
  }, DEADLINE_MS);

const STORAGE = "Set up storage for the orders service";
const DISCOUNTS = "Add discounts to the shop";
const SEARCH = "Make the product search faster";
const ORDERS = "Add pages to the list of orders";

test("every sample session is proved to be in a pane of its own", async () => {
  const goals = ["Ship the checkout fix", STORAGE, DISCOUNTS, SEARCH, ORDERS];
  const found = await Promise.all(goals.map(confirmed));
  expect(found.map(({ runtime }) => runtime)).toEqual([
    ...(["agent_a", "agent_a", "agent_a", "agent_b", "agent_b"] as const),
  ]);
  expect(new Set(found.map(({ pane_id }) => pane_id)).size).toBe(5);
});

test("the sessions grow by themselves", async () => {
  const { id } = await confirmed(ORDERS);
  await says(id, "A cursor now holds the last of a page.");
  const plan = await until(async () => {
    const { agents } = AgentList.parse(await ask("/api/agents"));
    const progress = agents.find((each) => each.id === id)?.context.progress;
    return progress && progress.completed >= 2 ? progress : null;
  }, DEADLINE_MS);
  expect(plan.total).toBe(3);
});

test("three questions wait at once; each is answered by its decision, and its log resolves it", async () => {
  const agents = await Promise.all([STORAGE, DISCOUNTS, SEARCH].map(confirmed));
  const ids = agents.map(({ id }) => id);
  const planned = await until(async () => {
    const waiting = await actionable(...ids);
    return waiting.length === 3 ? waiting : null;
  }, DEADLINE_MS);
  expect(planned.map(({ agent_id }) => agent_id).sort()).toEqual([...ids].sort());
  for (const seen of planned) expect((await answer(seen)).status).toBe(202);
  for (const seen of planned) {
    expect((await resolved(seen.id)).selected_option_id).toBe(seen.options[1]?.id ?? "");
    await says(seen.agent_id, `Going with ${seen.options[1]?.label}.`);
  }

  // What was seen of a question fits neither it nor the next one of the same agent.
  for (const seen of planned) {
    const next = await nextOf(seen.agent_id);
    expect(next.id).not.toBe(seen.id);
    expect(next.prompt_fingerprint).not.toBe(seen.prompt_fingerprint);
    expect((await answer(seen)).status).toBe(409);
    const current = { ...next, prompt_fingerprint: seen.prompt_fingerprint };
    expect((await answer(current)).status).toBe(409);
    expect((await decisionOf(next.id)).status).toBe("pending");
  }
});

test("a plan that waits for approval is approved by its decision", async () => {
  const { id } = await confirmed(DISCOUNTS);
  const plan = await nextOf(id);
  expect(plan.kind).toBe("plan_approval");
  expect(plan.description).toContain("1. Add discount codes to the basket.");
  expect((await answer(plan)).status).toBe(202);
  await resolved(plan.id);
  await says(id, "The plan is approved: I begin with its first line.");
});

test("an agent that rests takes a message, and answers it", async () => {
  const sent = await until(async () => {
    const { id, context, binding_revision } = await confirmed(ORDERS);
    if (context.lifecycle !== "idle") return null;
    const reply = await post(`/api/agents/${id}/messages`, {
      text: "Which page size?",
      client_message_id: crypto.randomUUID(),
      expected_binding_revision: binding_revision,
    });
    return reply.ok ? id : null;
  }, DEADLINE_MS);
  await says(sent, "You wrote: Which page size?");
});

test("everything of it is private and ends with the demo", async () => {
  for (const home of [".claude", ".codex"]) {
    const logs = new Bun.Glob("**/*.jsonl").scanSync({ cwd: join(folder, home), absolute: true });
    const modes = await Promise.all([...logs].map(async (path) => (await stat(path)).mode & 0o77));
    expect(modes).toEqual(home === ".claude" ? [0, 0, 0] : [0, 0]);
  }
  stopped.resolve(0);
  expect(await demo).toBe(0);
  expect(existsSync(folder)).toBe(false);
});
