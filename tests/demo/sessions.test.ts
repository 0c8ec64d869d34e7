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

let service: LiveService;
let folder: string;
const ready = Promise.withResolvers<void>();
const stopped = Promise.withResolvers<number>();
let demo: Promise<number>;

beforeAll(async () => {
  demo = runDemo({
    self: [process.execPath, ENTRY],
    agents: true,
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

test("every sample session is proved to be in a pane of its own", async () => {
  const goals = [
    "Ship the checkout fix",
    "Set up storage for the orders service",
    "Add pages to the list of orders",
  ];
  const found = await Promise.all(goals.map(confirmed));
  expect(found.map(({ runtime }) => runtime)).toEqual(["agent_a", "agent_a", "agent_b"]);
  expect(new Set(found.map(({ pane_id }) => pane_id)).size).toBe(3);
}, 60_000);

test("a structured question is answered by its decision, and the log resolves it", async () => {
  const { id } = await confirmed("Set up storage for the orders service");
  const pending = await until(async () => {
    const list = await ask(`/api/decisions?status=pending&agent_id=${id}`);
    return DecisionList.parse(list).decisions[0] ?? null;
  }, DEADLINE_MS);
  expect(pending.review_status).toBe("actionable");
  const option = pending.options.find(({ label }) => label === "PostgreSQL");
  const reply = await fetch(`${service.url}/api/decisions/${pending.id}/reply`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      option_id: option?.id,
      custom_text: null,
      idempotency_key: crypto.randomUUID(),
      expected_revision: pending.revision,
      expected_binding_revision: pending.binding_revision,
      prompt_fingerprint: pending.prompt_fingerprint,
    }),
  });
  expect(reply.status).toBe(202);
  const resolved = await until(async () => {
    const decision = DecisionItem.parse(await ask(`/api/decisions/${pending.id}`));
    return decision.status === "resolved" ? decision : null;
  }, DEADLINE_MS);
  expect(resolved.selected_option_id).toBe(option?.id ?? "");
  await says(id, "Going with PostgreSQL.");
}, 90_000);

test("the sessions grow by themselves", async () => {
  const { id } = await confirmed("Add pages to the list of orders");
  await says(id, "A cursor now holds the last order of a page.");
  const plan = await until(async () => {
    const { agents } = AgentList.parse(await ask("/api/agents"));
    const progress = agents.find((each) => each.id === id)?.context.progress;
    return progress && progress.completed >= 2 ? progress : null;
  }, DEADLINE_MS);
  expect(plan.total).toBe(3);
}, 90_000);

test("everything of it is private and ends with the demo", async () => {
  for (const home of [".claude", ".codex"]) {
    const logs = new Bun.Glob("**/*.jsonl").scanSync({ cwd: join(folder, home), absolute: true });
    const modes = await Promise.all([...logs].map(async (path) => (await stat(path)).mode & 0o77));
    expect(modes).toEqual(home === ".claude" ? [0, 0] : [0]);
  }
  stopped.resolve(0);
  expect(await demo).toBe(0);
  expect(existsSync(folder)).toBe(false);
}, 60_000);
