import { afterAll, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { runDemo } from "../../src/demo/demo.ts";
import {
  AgentList,
  DecisionList,
  MessageList,
  MessageSearch,
} from "../../src/protocol/agent-replies.ts";
import { type AgentSession, DecisionItem } from "../../src/protocol/agents.ts";
import { AnsweredState } from "../../src/protocol/acts.ts";
import { Changes } from "../../src/protocol/changes.ts";
import { CreateReply, FirstMessageFate, ResumeState } from "../../src/protocol/creation.ts";
import { StateFrame } from "../../src/protocol/frames.ts";
import { type LiveService, startLiveService } from "../support/live-service.ts";
import { PANEWATCH } from "../support/program.ts";
import { until } from "../support/until.ts";
import { jsonRequest } from "../support/json.ts";

/** Generous: the sample agents start beside whatever else the machine does. */
const DEADLINE_MS = 100_000;
/** So that the next questions come after a few seconds. */
const PACE = 6;

let service: LiveService;
let folder: string;
const ready = Promise.withResolvers<void>();
const stopped = Promise.withResolvers<number>();

const demo = runDemo({
  self: PANEWATCH,
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
  until(async () => (await messagesOf(id)).includes(text), DEADLINE_MS);

/** The pending decisions of these sessions that can be answered from Review. */
async function actionable(...ids: readonly string[]): Promise<DecisionItem[]> {
  const { decisions } = DecisionList.parse(await ask("/api/decisions?status=pending"));
  return decisions.filter(
    ({ agent_id, review_status }) => review_status === "actionable" && ids.includes(agent_id),
  );
}
const nextOf = (id: string) => until(async () => (await actionable(id))[0] ?? null, DEADLINE_MS);

function post(path: string, body: object): Promise<Response> {
  return fetch(`${service.url}${path}`, jsonRequest("POST", body));
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
const CATALOGUE = "Find out why the import of customers is slow";
const PAGES = "Translate the product pages";

test("every sample session is associated with a pane of its own", async () => {
  const goals = ["Ship the checkout fix", STORAGE, DISCOUNTS, PAGES, SEARCH, ORDERS, CATALOGUE];
  const found = await Promise.all(goals.map(confirmed));
  expect(found.map(({ runtime }) => runtime)).toEqual([
    ...(["agent_a", "agent_a", "agent_a", "agent_a", "agent_b", "agent_b", "agent_b"] as const),
  ]);
  expect(new Set(found.map(({ pane_id }) => pane_id)).size).toBe(7);
});

test("a sample session goes on by itself", async () => {
  const { id } = await confirmed(ORDERS);
  await says(id, "A cursor now holds the last of a page.");
  // The log is read as it is written: a step is known before the next one is planned.
  const plan = await until(async () => {
    const { agents } = AgentList.parse(await ask("/api/agents"));
    const progress = agents.find((each) => each.id === id)?.context.progress;
    return progress && progress.completed >= 2 && progress.total >= 3 ? progress : null;
  }, DEADLINE_MS);
  expect(plan.total).toBe(3);
});

test("the demo reports one harmless command that was allowed all week, with its exact setting", async () => {
  const { questions } = AnsweredState.parse(await ask("/api/answered"));
  expect(questions).toMatchObject([
    { folder: join(folder, "code", "shop"), command: "npm run lint", count: 12 },
  ]);
  expect(questions[0]?.setting.rule).toBe("Bash(npm run lint)");
});

test("three sample questions wait at once, and each is answered by its decision alone", async () => {
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

  // The revisions of an answered question fit neither that question nor the agent's next one.
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

test("a sample plan is approved by its decision", async () => {
  const { id } = await confirmed(DISCOUNTS);
  const plan = await nextOf(id);
  expect(plan.kind).toBe("plan_approval");
  expect(plan.description).toContain("1. Add discount codes to the basket.");
  expect((await answer(plan)).status).toBe(202);
  await resolved(plan.id);
  await says(id, "The plan is approved: I begin with its first line.");
});

test("a resting sample agent takes a message, and answers it", async () => {
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

test("messages of sample sessions that have ended are found, and their agents are offline", async () => {
  const { finds, agents } = await until(async () => {
    const found = MessageSearch.parse(await ask("/api/messages?q=separator"));
    return found.finds.length > 0 ? found : null;
  });
  expect(finds.map(({ match }) => match)).toEqual(["separator"]);
  expect(agents).toMatchObject([{ lifecycle: "offline", pane_id: null }]);
});

test("a sample session that has ended is resumed in a pane of its own", async () => {
  const [ended] = MessageSearch.parse(await ask("/api/messages?q=separator")).agents;
  const agent_id = ended?.id ?? "";
  const { command, reason } = ResumeState.parse(await ask(`/api/mux/resume?agent_id=${agent_id}`));
  expect([command, reason]).toEqual([expect.stringMatching(/^claude --resume [\w-]{36}$/), null]);
  const made = CreateReply.parse(await (await post("/api/mux/resume", { agent_id })).json());
  const { pane_id } = await confirmed("Add a CSV export to the list of orders");
  expect(pane_id).toBe(made.pane_id);
  expect((await post("/api/mux/resume", { agent_id })).status).toBe(409);
});

test("one sample agent is parked with the time of its reset, and the shells are hidden", async () => {
  const { panes } = StateFrame.parse(await ask("/api/state"));
  const parked = panes.filter((pane) => pane.parked);
  expect(parked.map(({ target }) => target)).toEqual(["shop:6.0"]);
  expect(parked[0]?.parked).toMatchObject({ reason: "5-hour limit" });
  const resetsAt = parked[0]?.parked?.until ?? 0;
  expect(resetsAt % 60).toBe(0);
  expect(resetsAt).toBeLessThanOrEqual(Date.now() / 1000 + 180);
  expect(resetsAt).toBeGreaterThan(Date.now() / 1000 - 600);
  expect(panes.filter(({ target }) => target.startsWith("home:"))).toEqual([]);
});

test("the context of the busy sample agent is read from its screen and from its log", async () => {
  const { panes } = StateFrame.parse(await ask("/api/state"));
  expect(panes.find(({ target }) => target === "shop:5.0")?.context_percent).toBeGreaterThan(75);
  const percent = await until(async () => {
    const { context_percent } = await confirmed(CATALOGUE);
    return context_percent ?? null;
  }, DEADLINE_MS);
  expect(percent).toBeGreaterThan(75);
  expect((await confirmed(PAGES)).parked).toMatchObject({ reason: "5-hour limit" });
});

test("a queued message waits for the busy sample agent, and is sent once the agent was stopped", async () => {
  const { id, pane_id } = await confirmed(CATALOGUE);
  const paneNow = async () => {
    const { panes } = StateFrame.parse(await ask("/api/state"));
    return panes.find((pane) => pane.id === pane_id) ?? null;
  };
  const send = (path: string, body: object) =>
    post(path, { id: pane_id, idempotency_key: crypto.randomUUID(), ...body });
  // The agent rests for a moment between two tasks.
  await until(async () => {
    if ((await paneNow())?.status !== "working") return null;
    const added = await send("/api/queue", { operation: "add", text: "Then the customers" });
    return added.ok || null;
  }, DEADLINE_MS);
  // Where its work was just over, the message is sent at once.
  const isSent = async () => (await messagesOf(id)).includes("You wrote: Then the customers");
  await until(async () => (await paneNow())?.queued?.count === 1 || (await isSent()), DEADLINE_MS);
  await until(async () => (await send("/api/stop", {})).ok, DEADLINE_MS);
  await says(id, "You wrote: Then the customers");
  await until(async () => (await paneNow())?.queued === null, DEADLINE_MS);
});

test("the folder of the sample agents is a work tree with changes of every kind", async () => {
  const { panes } = StateFrame.parse(await ask("/api/state"));
  const pane = panes.find(({ target }) => target === "shop:0.0")?.id ?? "";
  const read = async (range: string) =>
    Changes.parse(await ask(`/api/changes?id=${encodeURIComponent(pane)}&range=${range}`));
  const { branch, base, files } = await read("head");
  expect([branch, base]).toEqual(["fix/checkout-rounding", "main"]);
  expect(files.map(({ path, status, staged }) => [path, status, staged])).toEqual([
    ["CHANGES.md", "untracked", false],
    ["src/price.ts", "modified", false],
    ["src/round-each.ts", "deleted", true],
  ]);
  expect((await read("base")).files.map(({ path }) => path)).toContain("tests/price.test.ts");
});

test("a created sample agent gets its first message", async () => {
  const made = await post("/api/mux/create", {
    ...{ type: "window", parent_session: "shop", name: null, runtime: "agent_a" },
    ...{ cwd: join(folder, "code", "shop"), first_message: "Tidy the readme" },
  });
  const { pane_id } = CreateReply.parse(await made.json());
  const path = `/api/mux/message?id=${encodeURIComponent(pane_id)}`;
  const fate = await until(async () => {
    const { state } = FirstMessageFate.parse(await ask(path));
    return state === "waiting" ? null : state;
  }, DEADLINE_MS);
  expect(fate).toBe("sent");
});

test("the files of the demo are private and end with the demo", async () => {
  for (const home of [".claude", ".codex"]) {
    const logs = new Bun.Glob("**/*.jsonl").scanSync({ cwd: join(folder, home), absolute: true });
    const modes = await Promise.all([...logs].map(async (path) => (await stat(path)).mode & 0o77));
    expect(modes).toEqual(Array.from({ length: home === ".claude" ? 5 : 4 }, () => 0));
  }
  stopped.resolve(0);
  expect(await demo).toBe(0);
  expect(existsSync(folder)).toBe(false);
});
