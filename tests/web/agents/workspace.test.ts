import { afterEach, beforeEach, describe, expect, jest, test } from "bun:test";
import { MessageHit, MessageList } from "../../../src/protocol/agent-replies.ts";
import { DecisionItem } from "../../../src/protocol/agents.ts";
import { Review } from "../../../src/protocol/review.ts";
import { agentOf, NOW, uuid } from "../../review/works.ts";
import { fixture } from "../../support/fixture.ts";
import { elapse, type Answer, type Call } from "../../support/page-server.ts";
import { stage } from "./stage.ts";

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const MESSAGES = fixture(MessageList, {});
const NOTHING_FOUND = { finds: [], agents: [], next_cursor: null, retained_from: NOW };
/** Of a server without anything to review. */
const EMPTY_REVIEW = fixture(Review, {
  generated_at: NOW,
  settings: {
    urgent_bypass: { high_critical_decisions: true },
    ...{ min_interval_minutes: 5, max_interval_minutes: 1440, presets: [30, 60] },
  },
});

function serve({ path }: Call) {
  if (path.startsWith("/api/review")) return { body: EMPTY_REVIEW };
  if (path.startsWith("/api/messages")) return { body: NOTHING_FOUND };
  if (path.includes("/messages")) return { body: MESSAGES };
  if (path.includes("/timeline")) return { body: { events: [], next_cursor: null } };
  if (path.startsWith("/api/decisions")) return { body: { decisions: [], next_cursor: null } };
  if (path === `/api/agents/${uuid(1)}`) return { body: agentOf(1) };
  return { body: { agents: [agentOf(1)], next_cursor: null } };
}

const event = (kind: string, more: object = {}) => ({
  ...{ kind, agent_id: uuid(1), revision: 1, ...more },
});

function live() {
  const stageOf = stage(serve);
  const paths = () => stageOf.calls.splice(0).map(({ path }) => path.split("?")[0]);
  return { ...stageOf, paths };
}

test("a list is read every two seconds while agents write all the time", async () => {
  const { workspace, paths } = live();
  workspace.agents.watch();
  await elapse();
  for (let step = 0; step < 100; step++) {
    workspace.receive(event("agent_updated"));
    await elapse(100);
  }
  expect(paths()).toHaveLength(6);
});

describe("an event of the workspace", () => {
  const updated = event("agent_updated", { snapshot_id: uuid(9) });
  const deleted = ["agent", "chat", "decisions", "agents", "timeline", "steps"];
  test.each<[told: unknown, named: string[]]>([
    [event("agent_updated"), ["agent", "agents", "steps"]],
    [updated, ["agent", "agents", "steps", "timeline"]],
    [event("decision_updated", { decision_id: uuid(9) }), ["agent", "decisions", "acts"]],
    [event("message_updated", { message_id: uuid(9) }), ["chat", "steps"]],
    [event("history_deleted"), deleted],
    [event("review_due", { agent_id: "" }), ["review"]],
    ...[event("agent_slept"), null, "agent_updated", { kind: 1 }].map(
      (none): [unknown, string[]] => [none, []],
    ),
  ])("%j reads only what it concerns", async (told, named) => {
    const { queries, workspace, paths } = live();
    const agent = workspace.agent(uuid(1));
    const { agents, review } = workspace;
    const acts = queries.query("GET /api/acts", { query: { pane: "%1" } });
    for (const query of [agents, review, acts, ...agent.queries]) query.watch();
    await elapse(3000);
    paths();
    workspace.receive(told);
    await elapse(3000);
    const pathOf: Record<string, readonly string[]> = {
      agent: [`/api/agents/${uuid(1)}`],
      chat: [`/api/agents/${uuid(1)}/messages`],
      decisions: ["/api/decisions"],
      review: ["/api/review"],
      agents: ["/api/agents"],
      timeline: [`/api/agents/${uuid(1)}/timeline`],
      steps: [`/api/agents/${uuid(1)}/steps`],
      acts: ["/api/acts"],
    };
    expect(paths().toSorted()).toEqual(named.flatMap((name) => pathOf[name] ?? []).toSorted());
  });
});

test("missed events cause one reading of the lists that views watch", async () => {
  const { workspace, paths } = live();
  workspace.review.watch();
  await elapse(3000);
  paths();
  workspace.onMissed();
  await elapse(3000);
  expect(paths()).toEqual(["/api/review"]);
});

test("a history that is deleted elsewhere is not shown any more", async () => {
  const { workspace } = live();
  const { decisions } = workspace.agent(uuid(1));
  const search = workspace.searchMessages({ q: "needle" });
  const unwatch = search.watch();
  await Promise.all([decisions.load(), search.reload()]);
  expect([decisions.items.value, search.items.value]).toEqual([[], []]);
  workspace.receive(event("history_deleted"));
  expect([decisions.items.value, search.items.value]).toEqual([null, null]);
  // A search that is on the screen is made again.
  await elapse(3000);
  expect([decisions.items.value, search.items.value]).toEqual([null, []]);
  unwatch();
});

test("a search goes on through pages without a find until something is found", async () => {
  const hit = fixture(MessageHit, { id: uuid(9), agent_id: uuid(1), match: "needle" });
  const none = { ...NOTHING_FOUND, retained_from: 7 };
  const parts: Readonly<Record<string, object>> = {
    "": { ...none, next_cursor: "a" },
    a: { ...none, next_cursor: "b" },
    b: { ...none, finds: [hit], agents: [agentOf(1)], next_cursor: "c" },
  };
  const { workspace, calls } = stage((call) => {
    if (!call.path.startsWith("/api/messages")) return serve(call);
    const cursor = new URL(call.path, "http://page").searchParams.get("cursor") ?? "";
    return { body: parts[cursor] ?? none };
  });
  const list = workspace.searchMessages({ q: "needle", agent_id: uuid(1) });
  await list.load();
  expect(list.items.value?.map(({ find }) => find.match)).toEqual(["needle"]);
  expect(list.hasMore.value).toBe(true);
  const asked = calls.filter(({ path }) => path.startsWith("/api/messages"));
  expect(
    asked.map(({ path }) => new URL(path, "http://page").searchParams.get("agent_id")),
  ).toEqual([uuid(1), uuid(1), uuid(1)]);
});

test("agents that no view watches are dropped when there are many, but not while a view is drawn", async () => {
  const { workspace } = live();
  const ids = Array.from({ length: 30 }, (_, n) => uuid(n + 1));
  const first = workspace.agent(ids[0] ?? "");
  const second = workspace.agent(ids[1] ?? "");
  first.query.watch();
  for (const id of ids) workspace.agent(id);
  expect(workspace.agent(second.id)).toBe(second);
  workspace.receive(event("agent_slept"));
  expect(workspace.agent(first.id)).toBe(first);
  expect(workspace.agent(second.id)).not.toBe(second);
});

test("an agent stays on the screen while it cannot be read, and not once it is gone", async () => {
  const answers: Answer[] = [
    ...[{ body: agentOf(1, { title: "shown" }) }, "lost" as const],
    { status: 404, body: { detail: "gone" } },
  ];
  const { workspace } = stage(() => answers.shift() ?? "lost");
  const { query } = workspace.agent(uuid(1));
  const titles: (string | undefined)[] = [];
  for (let times = 0; times < 3; times++) {
    await query.reload();
    titles.push(workspace.agentRow(uuid(1))?.title ?? undefined);
  }
  expect(titles).toEqual(["shown", "shown", undefined]);
});

test("an agent of the list is shown before its own reply, which holds from then on", async () => {
  const { workspace } = stage((call) =>
    call.path === `/api/agents/${uuid(1)}` ? { body: agentOf(1, { title: "own" }) } : serve(call),
  );
  const title = () => workspace.agentRow(uuid(1))?.title;
  expect(title()).toBeUndefined();
  await workspace.agents.load();
  expect(title()).toBe(agentOf(1).title);
  await workspace.agent(uuid(1)).query.load();
  expect(title()).toBe("own");
});

test("a decision is found in the list of its agent once that was read", async () => {
  const decision = fixture(DecisionItem, { id: uuid(9), agent_id: uuid(1) });
  const { workspace } = stage((call) =>
    call.path.startsWith("/api/decisions")
      ? { body: { decisions: [decision], next_cursor: null } }
      : serve(call),
  );
  const { decisions } = workspace.agent(uuid(1));
  expect(workspace.decision(uuid(9))).toBeNull();
  await decisions.load();
  expect(workspace.decision(uuid(9))?.id).toBe(uuid(9));
});
