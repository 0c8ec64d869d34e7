import { describe, expect, test } from "bun:test";
import type { SeenDecision } from "../../../src/protocol/tolerant-agents.ts";
import { rank } from "../../../src/review/rank.ts";
import { agentOf, decisionOf, NOW, uuid, workOf } from "../../review/works.ts";
import { pane } from "../../support/pane.ts";
import { stage, type Answer, type Call } from "./stage.ts";

const agent = agentOf(1);
const decision = decisionOf(1, 1);
const press = { agent, decision, optionId: "1", label: "This way", steadyMs: 400 };

/** Reads give what `now` says, replies what `reply` says. */
function asking(now: () => Partial<SeenDecision> | Answer, reply: () => Answer) {
  return stage(({ method }: Call) => {
    if (method === "POST") return reply();
    const answer = now();
    if (answer === "lost" || "body" in answer) return answer as Answer;
    return { body: { ...decision, ...answer } };
  });
}
const accepted = (): Answer => ({
  status: 202,
  body: { decision: { ...decision, status: "submitting", revision: 2 } },
});
const posts = (calls: readonly Call[]) => calls.filter(({ method }) => method === "POST");

test("an answer is read again before, and sent with what was pressed", async () => {
  const { workspace, calls, gate } = asking(() => ({}), accepted);
  expect(await workspace.replies.send(press)).toBe("sent");
  expect(calls.map(({ method, path }) => `${method} ${path}`)).toEqual([
    `GET /api/decisions/${decision.id}`,
    `POST /api/decisions/${decision.id}/reply`,
  ]);
  expect(calls[1]?.body).toEqual({
    option_id: "1",
    custom_text: null,
    idempotency_key: "key-1",
    expected_revision: 1,
    expected_binding_revision: 1,
    prompt_fingerprint: "sha256:1-1",
  });
  expect(workspace.replies.of(decision.id).value?.step).toBe("sent");
  expect(workspace.replies.latest(decision.id).value?.status).toBe("submitting");
  expect(gate.stored()).toEqual({});
});

test("a confirmed answer keeps its place for 2 s, then makes room, and is known as one from here", async () => {
  let nowMs = 0;
  const of = stage(
    ({ method }) => (method === "POST" ? accepted() : { body: { ...decision, status: "pending" } }),
    { nowMs: () => nowMs },
  );
  const { done, workspace } = of;
  const { replies, tables } = workspace;
  await replies.send(press);
  const fate = () => [replies.of(decision.id).value?.step, replies.holds(decision.id), done.join()];
  replies.advance();
  tables.decisions.upsert([
    { ...decision, status: "resolved", selected_option_id: "1", revision: 3 },
  ]);
  nowMs = 1000;
  replies.advance();
  expect(replies.of(decision.id).value).toMatchObject({ confirmed: true, at: 1000 });
  nowMs = 2999;
  replies.advance();
  expect(fate()).toEqual(["sent", true, ""]);
  nowMs = 3000;
  replies.advance();
  replies.advance();
  expect(fate()).toEqual(["done", false, agent.pane_id ?? "none"]);
});

test("a decision that nothing follows takes an answer again once its terminal was looked at", async () => {
  let nowMs = 0;
  const { workspace } = stage(
    ({ method }) => (method === "POST" ? accepted() : { body: decision }),
    {
      nowMs: () => nowMs,
    },
  );
  const { replies } = workspace;
  const paneId = agent.pane_id ?? "none";
  await replies.send(press);
  replies.inspected(paneId);
  expect([replies.isLate(paneId), replies.holds(decision.id)]).toEqual([false, true]);
  nowMs = 5000;
  expect([replies.isLate("%99"), replies.isLate(paneId)]).toEqual([false, true]);
  replies.inspected(paneId);
  expect(replies.holds(decision.id)).toBe(false);
});

describe("nothing is sent", () => {
  test.each([
    [{ revision: 2 }],
    [{ binding_revision: 2 }],
    [{ prompt_fingerprint: "sha256:another" }],
    [{ title: "Another?" }],
    [{ status: "resolved" as const }],
    [{ status: "unknown" as const }],
    [{ review_status: "terminal_required" as const }],
  ])("when it has become %j meanwhile", async (difference) => {
    const { workspace, calls } = asking(() => difference, accepted);
    expect(await workspace.replies.send(press)).toBe("not_sent");
    expect(posts(calls)).toEqual([]);
    expect(workspace.replies.of(decision.id).value?.step).toBe("changed");
  });

  test("of an option that the live menu takes words for", async () => {
    const { workspace, calls, panes } = asking(() => ({}), accepted);
    const [chosen] = decision.options;
    const option = { key: "1", label: chosen?.label ?? "", description: "", checked: null };
    const menu = [{ ...option, selected: false, freeform: true }];
    const legacy_guard = {
      ...{ prompt_fingerprint: "sha256:1-1", options_fingerprint: "sha256:o", selected: null },
    };
    panes.take({ panes: [pane({ id: "%1", menu, legacy_guard })], styles: new Map() });
    expect(await workspace.replies.send(press)).toBe("not_sent");
    expect(calls).toEqual([]);
  });

  test("on a card that has just moved, while the pane is busy, or without an answer", async () => {
    const { workspace, calls, gate } = asking(() => ({}), accepted);
    expect(await workspace.replies.send({ ...press, steadyMs: 399 })).toBe("not_sent");
    gate.claim(["%1"], "Enter");
    expect(await workspace.replies.send(press)).toBe("not_sent");
    const lost = asking(() => "lost", accepted);
    expect(await lost.workspace.replies.send(press)).toBe("not_sent");
    expect([...posts(calls), ...posts(lost.calls)]).toEqual([]);
    expect(lost.workspace.replies.of(decision.id).value).toMatchObject({
      step: "refused",
      conflict: "no_connection",
    });
  });

  test("a second time while the first is under way", async () => {
    const { workspace, calls } = asking(() => ({}), accepted);
    const [first, second] = await Promise.all([
      workspace.replies.send(press),
      workspace.replies.send(press),
    ]);
    expect([first, second]).toEqual(["sent", "not_sent"]);
    expect(posts(calls)).toHaveLength(1);
  });
});

test("a conflict is said of what stands there now, and nothing is sent again", async () => {
  let hasAnswered = false;
  const { workspace, calls } = asking(
    () => (hasAnswered ? { revision: 2, title: "Another?" } : {}),
    () => {
      hasAnswered = true;
      return { status: 409, body: { detail: { message: "stale revision", current: null } } };
    },
  );
  expect(await workspace.replies.send(press)).toBe("not_sent");
  await Bun.sleep(0);
  expect(posts(calls)).toHaveLength(1);
  expect(workspace.replies.of(decision.id).value).toMatchObject({
    step: "refused",
    reason: "stale revision",
    signature: expect.stringContaining("Another?"),
  });
});

test("a reply that was lost is in doubt until the terminal was looked at", async () => {
  const { workspace, calls, gate } = asking(
    () => ({}),
    () => "lost",
  );
  const { replies } = workspace;
  expect(await replies.send(press)).toBe("uncertain");
  expect([gate.isDoubted("%1"), gate.isDoubted("%2")]).toEqual([true, false]);
  expect(replies.obstacle(agent, decision, true)).toBe("uncertain");
  expect(gate.stored()).toEqual({ "%1": "This way" });
  expect(await replies.send(press)).toBe("not_sent");
  expect(posts(calls)).toHaveLength(1);
  gate.inspected("%1");
  expect(replies.obstacle(agent, decision, true)).toBeNull();
  expect(gate.stored()).toEqual({});
});

test("a doubt about the pane's terminal is one about its decisions", () => {
  const { workspace, gate } = asking(() => ({}), accepted);
  gate.claim(["%1"], "Enter")?.doubt();
  expect(workspace.replies.obstacle(agent, decision, true)).toBe("uncertain");
});

test("a doubt about one decision holds the others of its pane", async () => {
  const other = decisionOf(1, 2);
  const of = stage(({ method, path }) => {
    if (method === "POST") return "lost";
    return { body: path.endsWith(other.id) ? other : decision };
  });
  const { replies } = of.workspace;
  expect(await replies.send(press)).toBe("uncertain");
  expect(replies.obstacle(agent, other, true)).toBe("uncertain");
  expect(await replies.send({ ...press, decision: other })).toBe("not_sent");
  expect(posts(of.calls)).toHaveLength(1);
  of.gate.inspected("%1");
  expect(replies.obstacle(agent, other, true)).toBeNull();
});

describe("a mark", () => {
  const goal = { goal_changed: { from: null, to: "another" } };
  const [group] = rank([workOf(1, { changes: goal })]);
  if (!group) throw new Error("a group");
  const done = {
    agent_id: uuid(1),
    snapshot_id: group.as_of_snapshot_id,
    snapshot_sequence: 3,
    snapshot_at: NOW - 20,
    reviewed_at: NOW,
    advanced: false,
  };

  test("sends the drawn snapshot, one at a time; that it moved nothing is a success", async () => {
    const { workspace, calls } = stage(() => ({ body: done }));
    const both = [workspace.marks.mark(group), workspace.marks.mark(group)];
    expect(await Promise.all(both)).toEqual([true, false]);
    expect(calls).toEqual([
      {
        method: "PUT",
        path: `/api/agents/${uuid(1)}/review`,
        body: { snapshot_id: group.as_of_snapshot_id },
      },
    ]);
    expect(workspace.marks.of(uuid(1)).value).toEqual({ step: "reviewed", at: NOW - 20 });
  });

  test("that failed may be sent again as it was", async () => {
    let isThere = false;
    const { workspace, calls } = stage(() => (isThere ? { body: done } : "lost"));
    expect(await workspace.marks.mark(group)).toBe(false);
    expect(workspace.marks.of(uuid(1)).value?.step).toBe("failed");
    isThere = true;
    expect(await workspace.marks.mark(group)).toBe(true);
    expect(calls[1]).toEqual(calls[0] as never);
    expect(workspace.marks.count.value).toBe(1);
  });
});
